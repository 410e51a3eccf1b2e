/* The cells that boxes become, a row at a time. What a cell is: rendering/scene.py. */
#ifndef FLAMECHAT_PIXEL_CELLS_H
#define FLAMECHAT_PIXEL_CELLS_H

#include "../../traces/kernels/bytes.h"

#define FIXED_BITS 32 /* positions are integer multiples of 2**-32 pixels */
#define FIRST_BITS 5

typedef struct {
    int32_t kind;
    uint32_t turn; /* of another turn: the slot is free */
    int64_t weight;
} Share;

typedef struct { /* one row's boxes in the pixel that is being filled, and what each kind has of them */
    int64_t pixel, left, right, weight, count, kinds;
    Share *share;
    int32_t *used; /* the slots in use */
    uint32_t turn;
    int bits; /* there are 2**bits slots */
} Open;

typedef struct {
    int64_t *left, *right, *weight, *own, *count, *colour, *used, *hidden;
    int32_t *kind;
    const uint8_t *palette;
    int64_t room; /* cells a row may have */
} Rows;

static inline uint32_t slot_of(int32_t kind, int bits) { return (uint32_t)kind * 2654435769u >> (32 - bits); }

/* More slots; 0 when memory is out. */
static int widen(Open *open) {
    int bits = open->bits ? open->bits + 2 : FIRST_BITS;
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    Share *share = calloc((size_t)mask + 1, sizeof *share);
    int32_t *used = malloc(((size_t)mask / 2 + 1) * sizeof *used);
    if (!share || !used || bits > 30) {
        free(share);
        free(used);
        return 0;
    }
    for (int64_t i = 0; i < open->kinds; i++) {
        Share moving = open->share[open->used[i]];
        uint32_t at = slot_of(moving.kind, bits);
        while (share[at].turn == open->turn) at = (at + 1) & mask;
        share[at] = moving;
        used[i] = (int32_t)at;
    }
    free(open->share);
    free(open->used);
    open->share = share;
    open->used = used;
    open->bits = bits;
    return 1;
}

static inline int add_kind(Open *open, int32_t kind, int64_t weight) {
    if ((!open->bits || open->kinds >= (int64_t)1 << (open->bits - 1)) && !widen(open)) return 0;
    uint32_t mask = ((uint32_t)1 << open->bits) - 1, at = slot_of(kind, open->bits);
    for (; open->share[at].turn == open->turn; at = (at + 1) & mask)
        if (open->share[at].kind == kind) {
            open->share[at].weight += weight;
            return 1;
        }
    open->share[at] = (Share){kind, open->turn, weight};
    open->used[open->kinds++] = (int32_t)at;
    return 1;
}

/* The place of the row's next cell, or -1: more cells than disjoint boxes can make. */
static inline int64_t next_cell(Rows *rows, int64_t row) {
    if (rows->used[row] >= rows->room) return -1;
    return row * rows->room + rows->used[row]++;
}

static int close_cell(Rows *rows, Open *open, int64_t row) {
    if (open->pixel < 0) return OK;
    int64_t cell = next_cell(rows, row), colour[3] = {0, 0, 0};
    if (cell < 0) return MALFORMED;
    Share chief = open->share[open->used[0]];
    for (int64_t i = 0; i < open->kinds; i++) {
        Share share = open->share[open->used[i]];
        const uint8_t *rgb = rows->palette + 3 * (int64_t)share.kind;
        for (int c = 0; c < 3; c++) colour[c] += share.weight * rgb[c];
        if (share.weight > chief.weight || (share.weight == chief.weight && share.kind < chief.kind)) chief = share;
    }
    rows->left[cell] = open->left;
    rows->right[cell] = open->right;
    rows->weight[cell] = open->weight;
    rows->own[cell] = chief.weight;
    rows->count[cell] = open->count;
    rows->kind[cell] = chief.kind;
    memcpy(rows->colour + 3 * cell, colour, sizeof colour);
    open->pixel = -1;
    open->kinds = open->weight = open->count = 0;
    if (!++open->turn) return MALFORMED; /* more cells than any picture has */
    return OK;
}

static int add_box(Rows *rows, Open *open, int64_t row, int64_t left, int64_t right, int32_t kind, int64_t last_pixel) {
    int64_t pixel = left >> FIXED_BITS;
    if (pixel > last_pixel) pixel = last_pixel;
    if (right > (pixel + 1) << FIXED_BITS) { /* it crosses into another pixel: a cell of its own */
        int outcome = close_cell(rows, open, row);
        int64_t cell = outcome == OK ? next_cell(rows, row) : -1;
        if (cell < 0) return MALFORMED;
        int64_t weight = right - left;
        rows->left[cell] = left;
        rows->right[cell] = right;
        rows->weight[cell] = rows->own[cell] = weight;
        rows->count[cell] = 1;
        rows->kind[cell] = kind;
        for (int c = 0; c < 3; c++) rows->colour[3 * cell + c] = weight * rows->palette[3 * (int64_t)kind + c];
        return OK;
    }
    if (open->pixel != pixel) {
        int outcome = close_cell(rows, open, row);
        if (outcome != OK) return outcome;
        open->pixel = pixel;
        open->left = left;
    }
    open->right = right;
    open->weight += right - left;
    open->count++;
    return add_kind(open, kind, right - left) ? OK : NO_MEMORY;
}

/* Rows without a box yet, or NULL when memory is out. */
static Open *open_rows(int64_t count) {
    Open *open = calloc((size_t)count + 1, sizeof *open);
    for (int64_t row = 0; open && row < count; row++) open[row].pixel = -1, open[row].turn = 1;
    return open;
}

/* The last cell of each row, where all went well; gives the rows' memory back. Returns the outcome. */
static int close_rows(Rows *rows, Open *open, int64_t count, int outcome) {
    for (int64_t row = 0; open && row < count; row++) {
        if (outcome == OK) outcome = close_cell(rows, &open[row], row);
        free(open[row].share);
        free(open[row].used);
    }
    free(open);
    return outcome;
}

static inline int64_t place(double at, double origin, double scale, int64_t limit) {
    double x = (at - origin) * scale;
    if (!(x > 0)) return 0;
    return x < (double)limit ? (int64_t)x : limit;
}

#endif
