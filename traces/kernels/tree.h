/* Call paths as nodes: the trie that tree.c and lines.c grow. */
#ifndef FLAMECHAT_TREE_H
#define FLAMECHAT_TREE_H

#include "bytes.h"

/* Zeroed by the caller; give it to forget_tree, without the columns that were taken. */
typedef struct {
    int32_t *frame, *parent, *depth;
    int64_t frame_room, parent_room, depth_room;
    int64_t count, truncated; /* rows whose path was cut at the deepest node allowed */
    int64_t max_depth;
    int32_t *slots; /* node + 1; 0 is free; `slot_count` is a power of two */
    int64_t slot_count, placed; /* nodes that have a slot, which are the first ones */
} Tree;

static inline uint64_t tree_slot(int32_t parent, int32_t frame) { return hash_pair((uint32_t)(parent + 1), (uint32_t)frame); }

/* Give every node its slot, with room for one more; 0 when memory is out. */
static inline int place_nodes(Tree *tree) {
    int64_t slot_count = tree->slot_count;
    while (slot_count <= tree->count * 2) slot_count = larger_table(slot_count, 1024);
    if (slot_count != tree->slot_count) {
        int32_t *slots = new_table(slot_count, sizeof *slots);
        if (!slots) return 0;
        free(tree->slots);
        tree->slots = slots;
        tree->slot_count = slot_count;
        tree->placed = 0;
    }
    int64_t near = tree->placed; /* before it slots are near */
    for (uint64_t mask = (uint64_t)slot_count - 1; tree->placed < tree->count; tree->placed++) {
        uint64_t at = tree_slot(tree->parent[tree->placed], tree->frame[tree->placed]) & mask;
        for (; slot_count > WIDE && near < tree->count && near < tree->placed + SLOTS_AHEAD; near++)
            __builtin_prefetch(&tree->slots[tree_slot(tree->parent[near], tree->frame[near]) & mask], 1);
        while (tree->slots[at]) at = (at + 1) & mask;
        tree->slots[at] = (int32_t)tree->placed + 1;
    }
    return 1;
}

/* The node of `frame` called from `parent` (below 0: a root, one for each such number), where there is none yet, or `parent`
 * where it is too deep; -2 when memory is out. It gets its slot when the next node is looked for: in a file of names that
 * stand once, that is never. */
static inline int32_t new_child(Tree *tree, int32_t parent, int32_t frame) {
    int32_t depth = parent >= 0 ? tree->depth[parent] + 1 : 0;
    int64_t node = tree->count;
    if (depth >= tree->max_depth) return parent;
    if (node >= INT32_MAX - 1 || !grow((void **)&tree->frame, &tree->frame_room, node + 1, sizeof(int32_t)) ||
        !grow((void **)&tree->parent, &tree->parent_room, node + 1, sizeof(int32_t)) ||
        !grow((void **)&tree->depth, &tree->depth_room, node + 1, sizeof(int32_t)))
        return -2;
    tree->frame[node] = frame;
    tree->parent[node] = parent;
    tree->depth[node] = depth;
    tree->count++;
    return (int32_t)node;
}

static inline int is_child(const Tree *tree, int64_t node, int32_t parent, int32_t frame) {
    return tree->frame[node] == frame && tree->parent[node] == parent;
}

/* The same, whether it is there or not. */
static inline int32_t child(Tree *tree, int32_t parent, int32_t frame) {
    /* The first that was called stands next to its caller; the newest node has called none. */
    if (parent >= -1 && parent + 1 < tree->count && is_child(tree, parent + 1, parent, frame)) return parent + 1;
    if (parent >= -1 && parent + 1 == tree->count) return new_child(tree, parent, frame);
    if (tree->slot_count > WIDE) __builtin_prefetch(&tree->slots[tree_slot(parent, frame) & (uint64_t)(tree->slot_count - 1)], 1);
    if ((tree->placed < tree->count || tree->slot_count <= tree->count * 2) && !place_nodes(tree)) return -2;
    uint64_t mask = (uint64_t)tree->slot_count - 1, at = tree_slot(parent, frame) & mask;
    for (; tree->slots[at]; at = (at + 1) & mask)
        if (is_child(tree, tree->slots[at] - 1, parent, frame)) return tree->slots[at] - 1;
    int32_t node = new_child(tree, parent, frame);
    if (node == tree->placed) tree->slots[at] = (int32_t)++tree->placed;
    return node;
}

static inline void free_tree(Tree *tree) {
    free(tree->frame);
    free(tree->parent);
    free(tree->depth);
    free(tree->slots);
    memset(tree, 0, sizeof *tree);
}

#endif
