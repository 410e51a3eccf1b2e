/* A tree's nodes side by side, heaviest first. Reference: rendering/kernels/layout.py. */
#include "../../traces/kernels/bytes.h"

typedef struct {
    double weight;
    int32_t rank, node;
} Child;

typedef struct { /* siblings that are being placed: the next of them, the last, and where the next one begins */
    int64_t at, end;
    double x;
} Siblings;

typedef struct { /* by node: how many callers it has (-1: it is not shown), its first child, its next sibling */
    int32_t *level, *child, *next;
} Links;

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

/* Links of the nodes that have weight, as all above them have; `row_end` becomes how many each row has. Returns an outcome. */
static int link_nodes(const int32_t *parent, const double *weight, const int32_t *kind, int64_t kinds, int64_t count, Links of,
                      int32_t *root, int64_t *row_end, int64_t *rows) {
    *root = -1;
    *rows = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t above = parent[i];
        if (above >= i) return MALFORMED;
        if (kind[i] < 0 || kind[i] >= kinds) return OUT_OF_RANGE;
        int is_shown = weight[i] > 0 && (above < 0 || of.level[above] >= 0);
        of.level[i] = is_shown ? above < 0 ? 0 : of.level[above] + 1 : -1;
        of.child[i] = -1;
        if (!is_shown) continue;
        if (of.level[i] == *rows) row_end[(*rows)++] = 0;
        row_end[of.level[i]]++;
    }
    for (int64_t i = count - 1; i >= 0; i--) {
        if (of.level[i] < 0) continue;
        int32_t *first = parent[i] < 0 ? root : &of.child[parent[i]];
        of.next[i] = *first;
        *first = (int32_t)i;
    }
    return OK;
}

/* Nodes, parents first, that have weight, row by row: their number, where each begins and ends, its kind; `row_end` (with
 * room for `count` rows) is where each row ends. `rank` is that of a kind. Walked down first, a subtree at a time, because
 * that is how trees lie in memory. Returns the number of rows, or -outcome. */
EXPORT int64_t side_by_side(const int32_t *parent, const double *weight, const int32_t *kind, const int64_t *rank,
                            int64_t kinds, int64_t count, int32_t *node, double *start, double *end, int32_t *kind_out,
                            int64_t *row_end) {
    size_t room = (size_t)count + 1;
    Links of = {malloc(room * sizeof(int32_t)), malloc(room * sizeof(int32_t)), malloc(room * sizeof(int32_t))};
    Child *children = malloc(2 * room * sizeof *children); /* those on the way down, then room to sort */
    Siblings *open = NULL;
    int32_t root;
    int64_t rows = 0, outcome = of.level && of.child && of.next && children ? OK : NO_MEMORY;
    if (outcome == OK) outcome = link_nodes(parent, weight, kind, kinds, count, of, &root, row_end, &rows);
    if (outcome == OK && rows) {
        open = malloc((size_t)rows * sizeof *open);
        if (!open) outcome = NO_MEMORY;
    }
    if (outcome == OK && rows) {
        for (int64_t row = 0, begin = 0; row < rows; row++) { /* until a row is full: where its next box goes */
            int64_t boxes = row_end[row];
            row_end[row] = begin;
            begin += boxes;
        }
        int64_t row = -1, top = 0;
        int32_t first = root;
        double x = 0;
        for (;;) {
            if (first >= 0) {
                int64_t low = top;
                for (int32_t i = first; i >= 0; i = of.next[i]) children[top++] = (Child){weight[i], (int32_t)rank[kind[i]], i};
                sort_children(children + low, top - low, children + top);
                open[++row] = (Siblings){low, top, x};
            }
            while (row >= 0 && open[row].at == open[row].end) {
                row--;
                top = row >= 0 ? open[row].end : 0;
            }
            if (row < 0) break;
            Child child = children[open[row].at++];
            int64_t at = row_end[row]++;
            x = open[row].x;
            node[at] = child.node;
            start[at] = x;
            end[at] = open[row].x = x + child.weight;
            kind_out[at] = kind[child.node];
            first = of.child[child.node];
        }
        outcome = -rows;
    }
    free(of.level);
    free(of.child);
    free(of.next);
    free(children);
    free(open);
    return -outcome;
}
