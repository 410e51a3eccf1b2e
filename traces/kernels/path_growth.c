/* The heaviest call paths of a call graph, grown from the functions that nobody called; the rules are those of the reference in
 * path_growth.py, whose sums are made in the same order. */
#include "bytes.h"

typedef struct {
    double weight;
    int32_t node;
} Entry;

/* The functions of a graph: callees of f are `callee[first[f] .. first[f + 1])`, each with the share of its cost that f pays in
 * `width` events, and how often f called it. `weight` is that of each function's cost. */
typedef struct {
    const int64_t *first;
    const int32_t *callee;
    const double *share, *times, *weight;
    int64_t width;
} Graph;

typedef struct {
    const Graph *graph;
    double smallest;
    int32_t *function, *parent; /* of each node */
    double *part, *times;
    double *waiting;              /* to be added and handed on */
    int32_t *first_child, *sibling, *last_child;
    int64_t count, max_paths;
    Entry *heap;
    int64_t heap_count, heap_room;
} Growth;

static double heaviest(const Graph *graph, int32_t function, const double *part) {
    const double *weight = graph->weight + function * graph->width;
    double most = part[0] * weight[0];
    for (int64_t k = 1; k < graph->width; k++)
        if (part[k] * weight[k] > most) most = part[k] * weight[k];
    return most;
}

/* Heavier ones first, of equals the node that was made first. */
static int goes_before(Entry one, Entry other) {
    return one.weight > other.weight || (one.weight == other.weight && one.node < other.node);
}

static int push(Growth *growth, Entry entry) {
    if (!grow((void **)&growth->heap, &growth->heap_room, growth->heap_count + 1, sizeof *growth->heap)) return 0;
    int64_t at = growth->heap_count++;
    for (; at > 0 && goes_before(entry, growth->heap[(at - 1) / 2]); at = (at - 1) / 2) growth->heap[at] = growth->heap[(at - 1) / 2];
    growth->heap[at] = entry;
    return 1;
}

static int32_t pop(Growth *growth) {
    int32_t top = growth->heap[0].node;
    Entry last = growth->heap[--growth->heap_count];
    int64_t at = 0;
    for (int64_t below = 1; below < growth->heap_count; below = 2 * at + 1) {
        if (below + 1 < growth->heap_count && goes_before(growth->heap[below + 1], growth->heap[below])) below++;
        if (!goes_before(growth->heap[below], last)) break;
        growth->heap[at] = growth->heap[below];
        at = below;
    }
    growth->heap[at] = last;
    return top;
}

static int32_t new_node(Growth *growth, int32_t function, int32_t parent) {
    int32_t node = (int32_t)growth->count++;
    growth->function[node] = function;
    growth->parent[node] = parent;
    growth->first_child[node] = growth->last_child[node] = growth->sibling[node] = -1;
    if (parent >= 0) {
        if (growth->last_child[parent] >= 0)
            growth->sibling[growth->last_child[parent]] = node;
        else
            growth->first_child[parent] = node;
        growth->last_child[parent] = node;
    }
    return node;
}

static int add_part(Growth *growth, int32_t to, const double *part) {
    double *waiting = growth->waiting + to * growth->graph->width;
    for (int64_t k = 0; k < growth->graph->width; k++) waiting[k] += part[k];
    double weight = heaviest(growth->graph, growth->function[to], waiting);
    return weight < growth->smallest || push(growth, (Entry){weight, to});
}

/* Give what waits at a node to its callees; `above` and `child` are -1 for each function, before and after. Returns the steps,
 * or -NO_MEMORY. `part` and `costs` have room for a row. */
static int64_t hand_on(Growth *growth, int32_t here, int64_t few, int32_t *above, int32_t *child, double *part, double *costs) {
    const Graph *graph = growth->graph;
    int64_t width = graph->width;
    int32_t function = growth->function[here];
    int has_some = 0;
    for (int64_t k = 0; k < width; k++) {
        part[k] = growth->waiting[here * width + k];
        has_some |= part[k] != 0;
    }
    if (!has_some) return 0;
    for (int64_t k = 0; k < width; k++) {
        growth->waiting[here * width + k] = 0;
        growth->part[here * width + k] += part[k];
    }
    int64_t low = graph->first[function], high = graph->first[function + 1], steps = high - low, before = growth->count;
    for (int32_t at = here; at >= 0; at = growth->parent[at], steps++) above[growth->function[at]] = at;
    for (int32_t at = growth->first_child[here]; at >= 0; at = growth->sibling[at]) child[growth->function[at]] = at;
    for (int64_t i = low; i < high && steps >= 0; i++) {
        int32_t callee = graph->callee[i];
        if (callee == function) continue;
        for (int64_t k = 0; k < width; k++) costs[k] = part[k] * graph->share[i * width + k];
        int32_t to = above[callee] >= 0 ? above[callee] : child[callee];
        int is_heavy = heaviest(graph, callee, costs) >= growth->smallest;
        if (high - low > few && !is_heavy && (to < 0 || to >= before)) continue;
        if (to < 0 && growth->count < growth->max_paths && is_heavy) to = child[callee] = new_node(growth, callee, here);
        if (to < 0) continue;
        growth->times[to] += graph->times[i] * part[0];
        if (!add_part(growth, to, costs)) steps = -NO_MEMORY;
    }
    for (int32_t at = here; at >= 0; at = growth->parent[at]) above[growth->function[at]] = -1;
    for (int32_t at = growth->first_child[here]; at >= 0; at = growth->sibling[at]) child[growth->function[at]] = -1;
    return steps;
}

/* Nodes in the order in which a walk enters them, callers first, and in which it leaves them. */
static void walk(const Growth *growth, int32_t *entered, int32_t *left) {
    int64_t in = 0, out = 0;
    for (int32_t root = 0; root < growth->count; root++) {
        if (growth->parent[root] >= 0) continue;
        for (int32_t at = root; at >= 0;) {
            entered[in++] = at;
            if (growth->first_child[at] >= 0) {
                at = growth->first_child[at];
                continue;
            }
            while (at >= 0) {
                left[out++] = at;
                if (growth->sibling[at] >= 0) break;
                at = growth->parent[at];
            }
            if (at >= 0) at = growth->sibling[at];
        }
    }
}

/* Grows paths from `roots` functions and their parts. The columns of nodes have room for `max_paths` and the roots, zeros in
 * `part` and `times`. Functions with more than `few` callees leave out those that are too light. Returns the number of nodes, or
 * -NO_MEMORY, or -OUT_OF_RANGE for a callee or a root that is no function. */
EXPORT int64_t grow_paths(const int64_t *first, const int32_t *callee, const double *share, const double *called,
                          const double *weight, int64_t functions, int64_t width, const int32_t *root, const double *root_part,
                          int64_t roots, int64_t max_paths, int64_t max_steps, int64_t few, double smallest, int32_t *function,
                          int32_t *parent, double *part, double *times, int32_t *entered, int32_t *left) {
    for (int64_t i = 0; i < first[functions]; i++)
        if (callee[i] < 0 || callee[i] >= functions) return -OUT_OF_RANGE;
    for (int64_t i = 0; i < roots; i++)
        if (root[i] < 0 || root[i] >= functions) return -OUT_OF_RANGE;
    size_t room = (size_t)(max_paths + roots + 1);
    Graph graph = {first, callee, share, called, weight, width};
    Growth growth = {.graph = &graph, .smallest = smallest, .function = function, .parent = parent, .part = part, .times = times,
                     .max_paths = max_paths};
    growth.waiting = calloc(room * (size_t)width, sizeof(double));
    growth.first_child = malloc(3 * room * sizeof(int32_t));
    int32_t *marks = malloc(2 * ((size_t)functions + 1) * sizeof(int32_t));
    double *row = malloc(2 * (size_t)(width + 1) * sizeof(double));
    int64_t outcome = growth.waiting && growth.first_child && marks && row ? 0 : -NO_MEMORY;
    if (outcome == 0) {
        growth.sibling = growth.first_child + room;
        growth.last_child = growth.sibling + room;
        memset(marks, 0xff, 2 * ((size_t)functions + 1) * sizeof(int32_t));
    }
    for (int64_t i = 0; outcome == 0 && i < roots; i++)
        if (heaviest(&graph, root[i], root_part + i * width) >= smallest &&
            !add_part(&growth, new_node(&growth, root[i], -1), root_part + i * width))
            outcome = -NO_MEMORY;
    for (int64_t steps = 0; outcome == 0 && growth.heap_count && steps < max_steps;) {
        int64_t taken = hand_on(&growth, pop(&growth), few, marks, marks + functions + 1, row, row + width + 1);
        if (taken < 0) outcome = taken;
        steps += taken;
    }
    if (outcome == 0) {
        walk(&growth, entered, left);
        outcome = growth.count;
    }
    free(growth.waiting);
    free(growth.first_child);
    free(growth.heap);
    free(marks);
    free(row);
    return outcome;
}
