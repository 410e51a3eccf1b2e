/* Call paths become the nodes of a call tree, in order of first appearance, parents first; values are summed over it. */
#include "tree.h"

/* The node of each span, which may be written over its frame; MALFORMED: parents do not come first. */
EXPORT int64_t nodes_of_spans(const int32_t *frame, const int32_t *parent, int64_t count, int32_t *node, Tree *tree) {
    for (int64_t i = 0; i < count; i++) {
        if (parent[i] >= i || frame[i] < 0) return MALFORMED;
        int32_t above = parent[i] >= 0 ? node[parent[i]] : -1;
        node[i] = child(tree, above, frame[i]);
        if (node[i] == -2) return NO_MEMORY;
        tree->truncated += node[i] == above;
    }
    return OK;
}

/* The same for spans of several threads, those of thread t in rows bounds[t] .. bounds[t + 1): each has nodes of its own, which lie
 * one thread after the other from `starts[t]` on. Parents and nodes count through all. */
EXPORT int64_t nodes_of_threads(const int32_t *frame, const int32_t *parent, const int64_t *bounds, int64_t threads, int32_t *node,
                                Tree *tree, int64_t *starts) {
    for (int64_t t = 0; t < threads; t++) {
        starts[t] = tree->count;
        for (int64_t i = bounds[t]; i < bounds[t + 1]; i++) {
            if (parent[i] >= i || frame[i] < 0 || (parent[i] >= 0 && parent[i] < bounds[t])) return MALFORMED;
            int32_t above = parent[i] >= 0 ? node[parent[i]] : -2 - (int32_t)t; /* no two threads share a root */
            node[i] = child(tree, above, frame[i]);
            if (node[i] == -2) return NO_MEMORY;
            tree->truncated += node[i] == above;
        }
    }
    starts[threads] = tree->count;
    for (int64_t i = 0; i < tree->count; i++)
        if (tree->parent[i] < 0) tree->parent[i] = -1;
    return OK;
}

/* The leaf of each stack: stack i is `frames[ends[i - 1] .. ends[i])`, outermost first, or last if `inner_first`. */
EXPORT int64_t leaves_of_stacks(const int32_t *frames, const int64_t *ends, int64_t count, int64_t inner_first, int32_t *leaf,
                            Tree *tree) {
    int32_t *path = NULL; /* the node at each place of the stack before */
    int64_t room = 0, before = 0, before_length = 0, first = 0;
    int64_t step = inner_first ? -1 : 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t length = ends[i] - first, outer = inner_first ? ends[i] - 1 : first;
        int64_t shared = 0, both = length < before_length ? length : before_length;
        while (shared < both && frames[outer + shared * step] == frames[before + shared * step]) shared++;
        if (!grow((void **)&path, &room, length, sizeof *path)) goto no_memory;
        int32_t node = shared ? path[shared - 1] : -1;
        for (int64_t at = shared; at < length; at++) {
            node = child(tree, node, frames[outer + at * step]);
            if (node == -2) goto no_memory;
            path[at] = node;
        }
        leaf[i] = node;
        tree->truncated += length > tree->max_depth;
        before = outer;
        before_length = length;
        first = ends[i];
    }
    free(path);
    return OK;
no_memory:
    free(path);
    return NO_MEMORY;
}

/* The leaf of each sample of a profiler that keeps its own tree. `above` is each of its nodes' parent (-1: none, -2: one that
 * is not there), `frame` (below `frame_count`) is -1 where a node is no part of a path: the root, idle. Nodes `on_top` happen
 * while the code before them is on the stack: that is where they are put, once in a row. UNUSUAL: a parent is missing;
 * MALFORMED: a cycle. */
EXPORT int64_t leaves_of_nodes(const int32_t *above, const int32_t *frame, const uint8_t *on_top, int64_t node_count,
                           int64_t frame_count, const int32_t *samples, int64_t count, int32_t *leaf, Tree *tree) {
    enum { UNKNOWN = -3 };
    int32_t *known = malloc((size_t)(node_count + 1) * sizeof *known); /* our node of each of its nodes */
    int32_t *pending = malloc((size_t)(node_count + 1) * sizeof *pending);
    uint8_t *covers = calloc((size_t)frame_count + 1, 1); /* frames that were put on top */
    int outcome = known && pending && covers ? OK : NO_MEMORY;
    for (int64_t i = 0; outcome == OK && i < node_count; i++) {
        known[i] = UNKNOWN;
        if (above[i] >= node_count || frame[i] >= frame_count) outcome = OUT_OF_RANGE;
    }
    for (int64_t i = 0; outcome == OK && i < count; i++)
        if (samples[i] < 0 || samples[i] >= node_count) outcome = OUT_OF_RANGE;
    int32_t previous = -1;
    for (int64_t i = 0; outcome == OK && i < count; i++) {
        int32_t at = samples[i];
        if (on_top[at] && frame[at] >= 0) {
            int32_t under = previous;
            covers[frame[at]] = 1;
            while (under >= 0 && covers[tree->frame[under]] && tree->frame[under] != frame[at]) under = tree->parent[under];
            if (under < 0 || tree->frame[under] != frame[at]) {
                under = child(tree, previous, frame[at]);
                tree->truncated += under == previous;
            }
            previous = under;
        } else {
            int64_t waiting = 0;
            for (; at >= 0 && known[at] == UNKNOWN && frame[at] >= 0 && waiting < node_count; at = above[at]) pending[waiting++] = at;
            if (at == -2 || (at >= 0 && known[at] == UNKNOWN && frame[at] >= 0)) {
                outcome = at == -2 ? UNUSUAL : MALFORMED;
                break;
            }
            previous = at < 0 || known[at] == UNKNOWN ? -1 : known[at];
            while (waiting && previous != -2) {
                at = pending[--waiting];
                known[at] = child(tree, previous, frame[at]);
                tree->truncated += known[at] == previous;
                previous = known[at];
            }
        }
        if (previous == -2) outcome = NO_MEMORY;
        leaf[i] = previous;
    }
    free(known);
    free(pending);
    free(covers);
    return outcome;
}

EXPORT void forget_tree(Tree *tree) { free_tree(tree); }

/* `total` holds each node's own value and becomes the sum with all below. Children add from the last to the first. */
#define SUM_UPWARDS(NAME, TYPE)                                                       \
    EXPORT int64_t NAME(const int32_t *parent, int64_t count, TYPE *total) {              \
        for (int64_t i = count - 1; i >= 0; i--) {                                    \
            if (parent[i] >= i) return MALFORMED;                                     \
            if (parent[i] >= 0) total[parent[i]] += total[i];                         \
        }                                                                             \
        return OK;                                                                    \
    }

SUM_UPWARDS(sum_upwards_int64, int64_t)
SUM_UPWARDS(sum_upwards_float64, double)

/* `own[node]` gains each row's value, in row order; rows with node -1 are idle. */
#define SUM_BY_NODE(NAME, TYPE)                                                                             \
    EXPORT int64_t NAME(const int32_t *node, const TYPE *value, int64_t count, int64_t nodes, TYPE *own) {      \
        for (int64_t i = 0; i < count; i++) {                                                               \
            if (node[i] >= nodes) return MALFORMED;                                                         \
            if (node[i] >= 0) own[node[i]] += value[i];                                                     \
        }                                                                                                   \
        return OK;                                                                                          \
    }

SUM_BY_NODE(sum_by_node_int64, int64_t)
SUM_BY_NODE(sum_by_node_float64, double)

enum { IS_OUTERMOST = 1, IS_ON_PATH = 2, FREE_STEPS = 64 };

/* Nodes as they were met, with the path to each: most lie next to the one before. Gives up, UNUSUAL, where it has to go down to
 * nodes again more often than there are nodes so far. `path` has room for a node each; no call is open afterwards. */
static int walk_as_met(const int32_t *frame, const int32_t *parent, int64_t count, int32_t *path, int32_t *open_calls,
                       uint8_t *outermost) {
    int outcome = OK;
    int64_t depth = 0, again = 0;
    for (int64_t i = 0; outcome == OK && i < count; i++) {
        int32_t above = parent[i];
        int64_t first = count; /* the nodes to go down to stand at the path's end, the innermost last */
        for (; above >= 0 && !(outermost[above] & IS_ON_PATH); above = parent[above]) path[--first] = above;
        for (; depth && (above < 0 || path[depth - 1] != above); depth--) {
            outermost[path[depth - 1]] &= IS_OUTERMOST;
            open_calls[frame[path[depth - 1]]]--;
        }
        for (again += count - first; first < count; first++) {
            path[depth++] = path[first];
            outermost[path[first]] |= IS_ON_PATH;
            open_calls[frame[path[first]]]++;
        }
        outermost[i] = IS_ON_PATH | (open_calls[frame[i]]++ == 0 ? IS_OUTERMOST : 0);
        path[depth++] = (int32_t)i;
        if (again > i + FREE_STEPS) outcome = UNUSUAL;
    }
    while (depth) {
        outermost[path[--depth]] &= IS_OUTERMOST;
        open_calls[frame[path[depth]]]--;
    }
    return outcome;
}

/* Any tree: from each root down and up again. */
static int walk_down(const int32_t *frame, const int32_t *parent, int64_t count, int32_t *first_child, int32_t *sibling,
                     int32_t *open_calls, uint8_t *outermost) {
    int32_t root = -1;
    for (int64_t i = 0; i < count; i++) first_child[i] = -1;
    for (int64_t i = count - 1; i >= 0; i--) {
        int32_t *head = parent[i] >= 0 ? &first_child[parent[i]] : &root;
        sibling[i] = *head;
        *head = (int32_t)i;
    }
    for (int32_t at = root; at >= 0;) {
        outermost[at] = open_calls[frame[at]]++ == 0;
        if (first_child[at] >= 0) {
            at = first_child[at];
            continue;
        }
        while (at >= 0) {
            open_calls[frame[at]]--;
            if (sibling[at] >= 0) break;
            at = parent[at];
        }
        if (at >= 0) at = sibling[at];
    }
    return OK;
}

/* 1 for each node without an ancestor of its frame: a walk over the tree with the open calls of each frame. */
EXPORT int64_t find_outermost(const int32_t *frame, const int32_t *parent, int64_t count, int64_t frame_count, uint8_t *outermost) {
    for (int64_t i = 0; i < count; i++)
        if (parent[i] >= i || frame[i] < 0 || frame[i] >= frame_count) return MALFORMED;
    int32_t *first_child = malloc((size_t)(count + 1) * sizeof *first_child), *sibling = NULL;
    int32_t *open_calls = new_table(frame_count + 1, sizeof *open_calls);
    int outcome = first_child && open_calls ? walk_as_met(frame, parent, count, first_child, open_calls, outermost) : NO_MEMORY;
    if (outcome == UNUSUAL) {
        sibling = malloc((size_t)(count + 1) * sizeof *sibling);
        outcome = sibling ? walk_down(frame, parent, count, first_child, sibling, open_calls, outermost) : NO_MEMORY;
    }
    free(first_child);
    free(sibling);
    free(open_calls);
    return outcome;
}
