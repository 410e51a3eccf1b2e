/* Rows of boxes become cells and label runs. What a cell is: rendering/scene.py. Reference: rendering/kernels/cells.py. */
#include "pixel_cells.h"

#define AHEAD 24

/* Items point all over a large tree: ask for its rows a little ahead. */
static inline void look_ahead(const int32_t *item, int64_t at, int64_t boxes, const int32_t *item_row,
                              const int32_t *item_kind, int64_t items) {
    if (at + AHEAD >= boxes) return;
    int64_t next = item[at + AHEAD];
    if (next < 0 || next >= items) return;
    __builtin_prefetch(item_row + next);
    __builtin_prefetch(item_kind + next);
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
        Open *open = open_rows(row_count);                                                                                 \
        if (!open) return NO_MEMORY;                                                                                       \
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
        return close_rows(&rows, open, row_count, outcome);                                                                \
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
