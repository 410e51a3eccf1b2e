/* Rows of boxes become cells and label runs. What a cell is: rendering/scene.py. Reference: rendering/kernels/cells.py. */
#include "../../traces/kernels/bytes.h"

#define FIXED_BITS 32 /* positions are integer multiples of 2**-32 pixels */
#define FIRST_BITS 5
#define AHEAD 24

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

/* Items point all over a large tree: ask for its rows a little ahead. */
static inline void look_ahead(const int32_t *item, int64_t at, int64_t boxes, const int32_t *item_row,
                              const int32_t *item_kind, int64_t items) {
    if (at + AHEAD >= boxes) return;
    int64_t next = item[at + AHEAD];
    if (next < 0 || next >= items) return;
    __builtin_prefetch(item_row + next);
    __builtin_prefetch(item_kind + next);
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

static inline int64_t place(double at, double origin, double scale, int64_t limit) {
    double x = (at - origin) * scale;
    if (!(x > 0)) return 0;
    return x < (double)limit ? (int64_t)x : limit;
}

/* `item` leads to row (item_row, -1: not shown) and kind (item_kind); without item_row all boxes lie in row 0 and items are
 * kinds. Boxes of a row come in order and are disjoint. */
#define MERGE(NAME, NUMBER)                                                                                                \
    EXPORT int64_t NAME(const NUMBER *start, const NUMBER *end, const int32_t *item, int64_t boxes, const int32_t *item_row,   \
                    const int32_t *item_kind, int64_t items, double origin, double scale, double low, double high,         \
                    int64_t width, int64_t least, int64_t row_count, const uint8_t *palette, int64_t kinds, int64_t room,  \
                    int64_t *left, int64_t *right, int64_t *weight, int64_t *own, int64_t *count, int64_t *colour,         \
                    int32_t *kind_out, int64_t *used, int64_t *hidden) {                                                   \
        Rows rows = {left, right, weight, own, count, colour, used, hidden, kind_out, palette, room};                      \
        Open *open = calloc((size_t)row_count + 1, sizeof *open);                                                          \
        if (!open) return NO_MEMORY;                                                                                       \
        for (int64_t r = 0; r < row_count; r++) open[r].pixel = -1, open[r].turn = 1;                                                    \
        int outcome = OK;                                                                                                  \
        int64_t limit = width << FIXED_BITS;                                                                               \
        for (int64_t i = 0; i < boxes && outcome == OK; i++) {                                                             \
            if (item_row) look_ahead(item, i, boxes, item_row, item_kind, items);                                          \
            if (!(end[i] > start[i]) || !((double)end[i] > low) || !((double)start[i] < high)) continue;                   \
            int64_t row = 0, kind = item[i];                                                                               \
            if (kind < 0 || kind >= items) {                                                                               \
                outcome = OUT_OF_RANGE;                                                                                    \
                break;                                                                                                     \
            }                                                                                                              \
            if (item_row) {                                                                                                \
                row = item_row[kind];                                                                                      \
                if (row < 0 || row >= row_count) continue;                                                                 \
                kind = item_kind[kind];                                                                                    \
                if (kind < 0 || kind >= kinds) {                                                                           \
                    outcome = OUT_OF_RANGE;                                                                                \
                    break;                                                                                                 \
                }                                                                                                          \
            }                                                                                                              \
            int64_t from = place((double)start[i], origin, scale, limit), to = place((double)end[i], origin, scale, limit); \
            if (to - from < least) {                                                                                       \
                hidden[row]++;                                                                                             \
                continue;                                                                                                  \
            }                                                                                                              \
            outcome = add_box(&rows, &open[row], row, from, to, (int32_t)kind, width - 1);                                 \
        }                                                                                                                  \
        for (int64_t r = 0; r < row_count; r++) {                                                                          \
            if (outcome == OK) outcome = close_cell(&rows, &open[r], r);                                                   \
            free(open[r].share);                                                                                           \
            free(open[r].used);                                                                                            \
        }                                                                                                                  \
        free(open);                                                                                                        \
        return outcome;                                                                                                    \
    }

MERGE(merge_boxes_int64, int64_t)
MERGE(merge_boxes_double, double)

/* Label runs of one row: cells of one kind, at most `gap` apart, not both at least `separate` wide; at least `least` wide,
 * with `tenths` tenths of the weight among them; of runs that overlap the wider stays, at a tie the first. `slots` has
 * `slot_count` zeros, a power of two above twice the cells; `last` and `weigh` room for the cells. Writes the first and the
 * last cell of each run; returns how many. */
EXPORT int64_t find_runs(const int64_t *left, const int64_t *right, const int64_t *weight, const int64_t *own,
                         const int32_t *kind, int64_t cells, int64_t gap, int64_t separate, int64_t least, int64_t tenths,
                         int32_t *slots, int64_t slot_count, int64_t *first, int64_t *last, int64_t *weigh, int64_t *sums) {
    int64_t runs = 0, kept = 0;
    uint64_t mask = (uint64_t)slot_count - 1;
    sums[0] = 0;
    for (int64_t i = 0; i < cells; i++) {
        sums[i + 1] = sums[i] + weight[i];
        uint64_t at = hash_pair(0, (uint32_t)kind[i]) & mask;
        while (slots[at] && kind[first[slots[at] - 1]] != kind[i]) at = (at + 1) & mask;
        if (slots[at]) {
            int64_t run = slots[at] - 1, before = last[run];
            int both_wide = right[before] - left[before] >= separate && right[i] - left[i] >= separate;
            if (left[i] - right[before] <= gap && !both_wide) {
                last[run] = i;
                weigh[run] += own[i];
                continue;
            }
        }
        first[runs] = last[runs] = i;
        weigh[runs] = own[i];
        slots[at] = (int32_t)++runs;
    }
    for (int64_t run = 0; run < runs; run++) {
        int64_t from = left[first[run]], to = right[last[run]];
        if (to - from < least || 10 * weigh[run] < tenths * (sums[last[run] + 1] - sums[first[run]])) continue;
        if (kept && from < right[last[kept - 1]]) {
            if (to - from <= right[last[kept - 1]] - left[first[kept - 1]]) continue;
            kept--;
        }
        first[kept] = first[run];
        last[kept++] = last[run];
    }
    return kept;
}
