/* A tree's nodes side by side, heaviest first. Reference: rendering/kernels/layout.py. */
#include "pixel_cells.h"

typedef struct {
    double weight;
    int32_t rank, node;
} Child;

typedef struct { /* siblings that are being placed: the next of them, the last, and where the next one begins */
    int64_t at, end;
    double x;
} Siblings;

typedef struct { /* by node: its first child, its next sibling, of those that are shown; and the first root */
    int32_t *child, *next, root;
} Links;

typedef struct { /* one of them is given */
    const int64_t *integers;
    const double *floats;
} Weights;

typedef struct { /* a walk from the first root on: children before siblings, the heaviest of these first */
    Weights weight;
    const int32_t *kind;
    const int64_t *rank;
    Links links;
    Child *children; /* those on the way down, then room to sort */
    Siblings *open;
    int64_t row, rows, top;
    int32_t below; /* the first child of the box before */
    double x;
} Walk;

typedef struct {
    int64_t row;
    double start, end;
    int32_t node;
} Box;

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

static inline double weight_of(Weights weight, int64_t node) {
    return weight.integers ? (double)weight.integers[node] : weight.floats[node];
}

/* How many nodes lie above each one in `level`, -1 where it is not shown: a node without weight, or below one without.
 * Returns how many rows they have, or -outcome. */
EXPORT int64_t find_rows(const int32_t *parent, const int64_t *integers, const double *floats, const int32_t *kind,
                         int64_t kinds, int64_t count, int32_t *level) {
    Weights weight = {integers, floats};
    int64_t rows = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t above = parent[i];
        if (above >= i) return -MALFORMED;
        if (kind[i] < 0 || kind[i] >= kinds) return -OUT_OF_RANGE;
        int64_t row = above < 0 ? 0 : level[above] < 0 ? -1 : level[above] + 1;
        if (!(weight_of(weight, i) > 0)) row = -1;
        level[i] = (int32_t)row;
        if (row >= rows) rows = row + 1;
    }
    return rows;
}

/* Marks the kinds of the nodes whose row is from `first` to before `end`. Returns an outcome. */
EXPORT int64_t find_kinds(const int32_t *row, const int32_t *kind, int64_t count, int64_t first, int64_t end, int64_t kinds,
                          uint8_t *used) {
    for (int64_t i = 0; i < count; i++) {
        if (row[i] < first || row[i] >= end) continue;
        if (kind[i] < 0 || kind[i] >= kinds) return OUT_OF_RANGE;
        used[kind[i]] = 1;
    }
    return OK;
}

/* Links of the nodes that have a level. Returns an outcome. */
static int link_nodes(const int32_t *parent, const int32_t *level, int64_t count, Links *links) {
    links->root = -1;
    links->child = malloc((size_t)(count + 1) * sizeof(int32_t));
    links->next = malloc((size_t)(count + 1) * sizeof(int32_t));
    if (!links->child || !links->next) return NO_MEMORY;
    for (int64_t i = count - 1; i >= 0; i--) links->child[i] = -1;
    for (int64_t i = count - 1; i >= 0; i--) {
        if (level[i] < 0) continue;
        int32_t *first = parent[i] < 0 ? &links->root : &links->child[parent[i]];
        links->next[i] = *first;
        *first = (int32_t)i;
    }
    return OK;
}

/* A walk over the first `rows` rows of a tree. Returns an outcome. */
static int begin_walk(Walk *walk, const int32_t *parent, const int32_t *level, Weights weight, const int32_t *kind,
                      const int64_t *rank, int64_t count, int64_t rows) {
    *walk = (Walk){.weight = weight, .kind = kind, .rank = rank, .row = -1, .rows = rows};
    walk->children = malloc(2 * (size_t)(count + 1) * sizeof *walk->children);
    walk->open = malloc((size_t)(rows + 1) * sizeof *walk->open);
    if (!walk->children || !walk->open) return NO_MEMORY;
    int outcome = link_nodes(parent, level, count, &walk->links);
    walk->below = walk->links.root;
    return outcome;
}

static void end_walk(Walk *walk) {
    free(walk->links.child);
    free(walk->links.next);
    free(walk->children);
    free(walk->open);
}

/* The next box; 0 when there is none. Downwards first, a subtree at a time, because that is how trees lie in memory. */
static inline int next_box(Walk *walk, Box *box) {
    Child *children = walk->children;
    if (walk->below >= 0 && walk->row + 1 < walk->rows) {
        int64_t low = walk->top;
        for (int32_t i = walk->below; i >= 0; i = walk->links.next[i])
            children[walk->top++] = (Child){weight_of(walk->weight, i), (int32_t)walk->rank[walk->kind[i]], i};
        sort_children(children + low, walk->top - low, children + walk->top);
        walk->open[++walk->row] = (Siblings){low, walk->top, walk->x};
    }
    while (walk->row >= 0 && walk->open[walk->row].at == walk->open[walk->row].end) {
        walk->row--;
        walk->top = walk->row >= 0 ? walk->open[walk->row].end : 0;
    }
    if (walk->row < 0) return 0;
    Siblings *among = &walk->open[walk->row];
    Child child = children[among->at++];
    walk->x = among->x;
    walk->below = walk->links.child[child.node];
    *box = (Box){walk->row, walk->x, walk->x + child.weight, child.node};
    among->x = box->end;
    return 1;
}

/* The nodes of a tree, parents first, row by row: where each begins and ends, its kind. `level` is the row of each (-1: it
 * is not shown), one of `rows`; `rank` that of a kind; `row_end`, zeros before, is where each row ends. Returns an
 * outcome. */
EXPORT int64_t side_by_side(const int32_t *parent, const int32_t *level, const int64_t *integers, const double *floats,
                            const int32_t *kind, const int64_t *rank, int64_t count, int64_t rows, int32_t *node,
                            double *start, double *end, int32_t *kind_out, int64_t *row_end) {
    Walk walk;
    int outcome = begin_walk(&walk, parent, level, (Weights){integers, floats}, kind, rank, count, rows);
    if (outcome == OK) {
        for (int64_t i = 0; i < count; i++)
            if (level[i] >= 0) row_end[level[i]]++;
        for (int64_t row = 0, begin = 0; row < rows; row++) { /* until a row is full: where its next box goes */
            int64_t boxes = row_end[row];
            row_end[row] = begin;
            begin += boxes;
        }
        for (Box box; next_box(&walk, &box);) {
            int64_t at = row_end[box.row]++;
            node[at] = box.node;
            start[at] = box.start;
            end[at] = box.end;
            kind_out[at] = kind[box.node];
        }
    }
    end_walk(&walk);
    return outcome;
}

typedef struct { /* where boxes become cells: rows from `first` on */
    Rows rows;
    Open *open;
    const int32_t *kind;
    double origin, scale, low, high;
    int64_t first, limit, least, kinds;
    int outcome;
} Cells;

/* A box becomes part of a cell; returns whether it lies in one pixel. */
static inline int add_node(Cells *cells, Box box) {
    int64_t from = place(box.start, cells->origin, cells->scale, cells->limit), row = box.row - cells->first;
    int64_t to = place(box.end, cells->origin, cells->scale, cells->limit);
    int64_t last = (cells->limit >> FIXED_BITS) - 1, pixel = from >> FIXED_BITS > last ? last : from >> FIXED_BITS;
    int is_narrow = to <= (pixel + 1) << FIXED_BITS;
    if (row < 0 || !(box.end > box.start) || !(box.end > cells->low) || !(box.start < cells->high)) return is_narrow;
    if (cells->kind[box.node] >= cells->kinds)
        cells->outcome = OUT_OF_RANGE;
    else if (to - from < cells->least)
        cells->rows.hidden[row]++;
    else
        cells->outcome = add_box(&cells->rows, &cells->open[row], row, from, to, cells->kind[box.node], last);
    return is_narrow;
}

/* All boxes below one that lies in one pixel: nobody sees their order, which is that of their numbers. */
static void add_below(Cells *cells, Walk *walk, Box top, const int32_t *parent) {
    const int32_t *child = walk->links.child, *next = walk->links.next;
    Siblings *open = walk->open;
    int64_t row = top.row + 1;
    int32_t i = child[top.node];
    walk->below = -1;
    if (i < 0 || row >= walk->rows) return;
    open[row].x = top.start;
    while (cells->outcome == OK) {
        Box box = {row, open[row].x, open[row].x + weight_of(walk->weight, i), i};
        open[row].x = box.end;
        add_node(cells, box);
        if (child[i] >= 0 && row + 1 < walk->rows) {
            open[++row].x = box.start;
            i = child[i];
            continue;
        }
        for (; next[i] < 0; i = parent[i])
            if (--row == top.row) return;
        i = next[i];
    }
}

/* The same boxes as cells of `row_count` rows from `first` on, without a column of any of them; `scale` and what is written
 * as for merge_boxes. Below a box in one pixel siblings lie in their order. Returns an outcome. */
EXPORT int64_t merge_tree(const int32_t *parent, const int32_t *level, const int64_t *integers, const double *floats,
                          const int32_t *kind, const int64_t *rank, int64_t count, int64_t first, int64_t row_count,
                          double origin, double scale, double low, double high, int64_t width, int64_t least,
                          const uint8_t *palette, int64_t kinds, int64_t room, int64_t *left, int64_t *right, int64_t *weight,
                          int64_t *own, int64_t *boxes, int64_t *colour, int32_t *kind_out, int64_t *used, int64_t *hidden) {
    Rows rows = {left, right, weight, own, boxes, colour, used, hidden, kind_out, palette, room};
    Cells cells = {rows, open_rows(row_count), kind, origin, scale, low, high, first, width << FIXED_BITS, least, kinds, OK};
    Walk walk;
    cells.outcome = begin_walk(&walk, parent, level, (Weights){integers, floats}, kind, rank, count, first + row_count);
    if (!cells.open) cells.outcome = NO_MEMORY;
    for (Box box; cells.outcome == OK && next_box(&walk, &box);)
        if (add_node(&cells, box)) add_below(&cells, &walk, box, parent);
    end_walk(&walk);
    return close_rows(&cells.rows, cells.open, row_count, cells.outcome);
}
