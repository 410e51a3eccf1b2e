/* A tree's nodes side by side, heaviest first. Reference: rendering/kernels/layout.py. */
#include "../../traces/kernels/bytes.h"

typedef struct {
    double weight;
    int64_t rank;
    int32_t node;
} Child;

static inline int before(const Child *a, const Child *b) {
    if (a->weight != b->weight) return a->weight > b->weight;
    if (a->rank != b->rank) return a->rank < b->rank;
    return a->node < b->node;
}

/* Short pieces by insertion, then merged pairwise: no worst case worse than n log n. */
static void sort_children(Child *child, int64_t count, Child *spare) {
    for (int64_t low = 0; low < count; low += 16) {
        int64_t high = low + 16 < count ? low + 16 : count;
        for (int64_t i = low + 1; i < high; i++) {
            Child moving = child[i];
            int64_t at = i;
            for (; at > low && before(&moving, &child[at - 1]); at--) child[at] = child[at - 1];
            child[at] = moving;
        }
    }
    for (int64_t width = 16; width < count; width *= 2) {
        for (int64_t low = 0; low + width < count; low += 2 * width) {
            int64_t middle = low + width, high = middle + width < count ? middle + width : count;
            int64_t left = low, right = middle, out = 0;
            while (left < middle && right < high)
                spare[out++] = before(&child[right], &child[left]) ? child[right++] : child[left++];
            while (left < middle) spare[out++] = child[left++];
            memcpy(child + low, spare, (size_t)out * sizeof *child);
        }
    }
}

/* Nodes with weight, parents first, row by row: `order` their numbers, `start` where each begins, `row_end` (with room for
 * `count` rows) where each row ends. Returns the number of rows, or -outcome. */
EXPORT int64_t side_by_side(const int32_t *parent, const double *weight, const int64_t *rank, int64_t count, int64_t *order,
                            double *start, int64_t *row_end) {
    int32_t *first = calloc((size_t)count + 2, sizeof *first); /* where a parent's children begin; number 0 is "none" */
    Child *children = malloc(((size_t)count + 1) * sizeof *children), *spare = malloc(((size_t)count + 1) * sizeof *spare);
    int64_t outcome = first && children && spare ? OK : NO_MEMORY;
    for (int64_t i = 0; i < count && outcome == OK; i++) {
        if (parent[i] >= i)
            outcome = MALFORMED;
        else if (weight[i] > 0)
            first[parent[i] + 2]++;
    }
    if (outcome == OK) {
        for (int64_t i = 1; i <= count + 1; i++) first[i] += first[i - 1];
        for (int64_t i = 0; i < count; i++) /* afterwards first[p + 1] is where the children of p end */
            if (weight[i] > 0) children[first[parent[i] + 1]++] = (Child){weight[i], rank[i], (int32_t)i};
        int64_t done = 0, rows = 0, emitted = 0;
        for (int64_t at = -1; at < done; at++) { /* -1: the roots; then every node in the order of the rows */
            int64_t node = at < 0 ? -1 : order[at];
            int64_t low = at < 0 ? 0 : first[node], high = first[node + 1];
            double x = node < 0 ? 0 : start[at];
            sort_children(children + low, high - low, spare);
            for (int64_t i = low; i < high; i++) {
                order[emitted] = children[i].node;
                start[emitted++] = x;
                x += children[i].weight;
            }
            if (at + 1 == done) { /* the row is complete */
                if (emitted == done) break;
                row_end[rows++] = emitted;
                done = emitted;
            }
        }
        outcome = -rows;
    }
    free(first);
    free(children);
    free(spare);
    return -outcome;
}
