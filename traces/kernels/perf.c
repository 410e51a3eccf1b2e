/* `perf script` text: lines of frames, `address symbol+offset (object)`, and the other lines between them become columns. */
#include "bytes.h"

/* Zeroed by the caller; give it to forget_blocks, without the columns that were taken. */
typedef struct {
    int64_t *header_offset, *ends; /* `ends[i]`: the number of frames up to the header after i */
    int32_t *header_length, *symbol, *object;
    int64_t offset_room, end_room, length_room, symbol_room, object_room;
    int64_t count, frame_count, stray; /* frames before the first header are stray */
    Names symbols, objects;
} Blocks;

static const char DELETED[] = " (deleted))";
enum { MOST_DIGITS = 16 };

static inline int is_hex(uint8_t byte) { return (uint8_t)(byte - '0') < 10 || (uint8_t)(byte - 'a') < 6; }

static inline int is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* The last ` (` of a text, or NULL. */
static inline Cursor last_bracket(Cursor at, Cursor end) {
    for (Cursor back = end; back - at >= 2; back--)
        if (back[-1] == '(' && back[-2] == ' ') return back - 2;
    return NULL;
}

/* Where the symbol ends: without its `+0x1f`. */
static inline Cursor end_of_symbol(Cursor at, Cursor end) {
    Cursor back = end;
    while (back > at && end - back < MOST_DIGITS && is_hex(back[-1])) back--;
    return back < end && back - at >= 3 && back[-1] == 'x' && back[-2] == '0' && back[-3] == '+' ? back - 3 : end;
}

/* The parts of a frame's line, if it is one: `*symbol` to `*symbol_end`, `*object` to the bracket that ends the line. */
static int is_frame(Cursor at, Cursor end, Cursor *symbol, Cursor *symbol_end, Cursor *object) {
    Cursor digits = at;
    while (at < end && at - digits <= MOST_DIGITS && is_hex(*at)) at++;
    if (at == digits || at - digits > MOST_DIGITS || at >= end || *at != ' ' || end[-1] != ')') return 0;
    Cursor cut = last_bracket(digits, end);
    if (cut && (size_t)(end - digits) >= sizeof DELETED - 1 && memcmp(end - (sizeof DELETED - 1), DELETED, sizeof DELETED - 1) == 0)
        cut = last_bracket(digits, cut);
    if (!cut || cut <= at + 1) return 0;
    *symbol = at + 1;
    *symbol_end = end_of_symbol(at + 1, cut);
    *object = cut + 2;
    return 1;
}

static int add_frame(Blocks *blocks, Cursor data, Cursor symbol, Cursor symbol_end, Cursor object, Cursor end) {
    int64_t row = blocks->frame_count;
    if (symbol_end - symbol > MAX_TOKEN_BYTES || end - object > MAX_TOKEN_BYTES) return OUT_OF_RANGE;
    if (!grow((void **)&blocks->symbol, &blocks->symbol_room, row + 1, sizeof *blocks->symbol) ||
        !grow((void **)&blocks->object, &blocks->object_room, row + 1, sizeof *blocks->object))
        return NO_MEMORY;
    blocks->symbol[row] = intern(&blocks->symbols, data, symbol, (size_t)(symbol_end - symbol));
    blocks->object[row] = intern(&blocks->objects, data, object, (size_t)(end - object));
    blocks->frame_count++;
    return blocks->symbol[row] < 0 || blocks->object[row] < 0 ? NO_MEMORY : OK;
}

/* Read all lines. Blank ones and comments (#) say nothing. */
EXPORT int64_t scan_blocks(Cursor data, int64_t length, Blocks *blocks) {
    Cursor end = data + length, symbol, symbol_end, object;
    for (Cursor line = data; line < end;) {
        Cursor next = memchr(line, '\n', (size_t)(end - line)), stop = next ? next : end, at = line;
        line = next ? next + 1 : end;
        while (at < stop && is_space(*at)) at++;
        while (stop > at && is_space(stop[-1])) stop--;
        int outcome = OK;
        int64_t row = blocks->count;
        if (at == stop || *at == '#') continue;
        if (is_frame(at, stop, &symbol, &symbol_end, &object)) {
            outcome = add_frame(blocks, data, symbol, symbol_end, object, stop - 1);
            if (row)
                blocks->ends[row - 1] = blocks->frame_count;
            else
                blocks->stray = blocks->frame_count;
        } else if (stop - at > MAX_TOKEN_BYTES) {
            outcome = OUT_OF_RANGE;
        } else if (!grow((void **)&blocks->header_offset, &blocks->offset_room, row + 1, sizeof *blocks->header_offset) ||
                   !grow((void **)&blocks->header_length, &blocks->length_room, row + 1, sizeof *blocks->header_length) ||
                   !grow((void **)&blocks->ends, &blocks->end_room, row + 1, sizeof *blocks->ends)) {
            outcome = NO_MEMORY;
        } else {
            blocks->header_offset[row] = at - data;
            blocks->header_length[row] = (int32_t)(stop - at);
            blocks->ends[row] = blocks->frame_count;
            blocks->count++;
        }
        if (outcome != OK) return outcome;
    }
    return OK;
}

EXPORT void forget_blocks(Blocks *blocks) {
    free(blocks->header_offset);
    free(blocks->ends);
    free(blocks->header_length);
    free(blocks->symbol);
    free(blocks->object);
    forget_names(&blocks->symbols);
    forget_names(&blocks->objects);
    memset(blocks, 0, sizeof *blocks);
}
