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
    int64_t slot_count;
} Tree;

static inline uint64_t tree_slot(int32_t parent, int32_t frame) { return hash_pair((uint32_t)(parent + 1), (uint32_t)frame); }

static inline int more_tree_slots(Tree *tree) {
    int64_t slot_count = tree->slot_count ? tree->slot_count * 4 : 1024;
    uint64_t mask = (uint64_t)slot_count - 1;
    int32_t *slots = calloc((size_t)slot_count, sizeof *slots);
    if (!slots) return 0;
    for (int64_t i = 0; i < tree->count; i++) {
        uint64_t at = tree_slot(tree->parent[i], tree->frame[i]) & mask;
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = (int32_t)i + 1;
    }
    free(tree->slots);
    tree->slots = slots;
    tree->slot_count = slot_count;
    return 1;
}

static inline int is_child(const Tree *tree, int64_t node, int32_t parent, int32_t frame) {
    return tree->frame[node] == frame && tree->parent[node] == parent;
}

/* The node of `frame` called from `parent` (below 0: a root, one for each such number), or `parent` where it is too deep; -2
 * when memory is out. */
static inline int32_t child(Tree *tree, int32_t parent, int32_t frame) {
    /* The first that was called stands next to its caller. */
    if (parent >= -1 && parent + 1 < tree->count && is_child(tree, parent + 1, parent, frame)) return parent + 1;
    if (tree->count * 2 >= tree->slot_count && !more_tree_slots(tree)) return -2;
    uint64_t mask = (uint64_t)tree->slot_count - 1, at = tree_slot(parent, frame) & mask;
    for (; tree->slots[at]; at = (at + 1) & mask)
        if (is_child(tree, tree->slots[at] - 1, parent, frame)) return tree->slots[at] - 1;
    int32_t depth = parent >= 0 ? tree->depth[parent] + 1 : 0;
    if (depth >= tree->max_depth) return parent;
    int64_t node = tree->count;
    if (node >= INT32_MAX - 1 || !grow((void **)&tree->frame, &tree->frame_room, node + 1, sizeof(int32_t)) ||
        !grow((void **)&tree->parent, &tree->parent_room, node + 1, sizeof(int32_t)) ||
        !grow((void **)&tree->depth, &tree->depth_room, node + 1, sizeof(int32_t)))
        return -2;
    tree->frame[node] = frame;
    tree->parent[node] = parent;
    tree->depth[node] = depth;
    tree->slots[at] = (int32_t)++tree->count;
    return (int32_t)node;
}

static inline void free_tree(Tree *tree) {
    free(tree->frame);
    free(tree->parent);
    free(tree->depth);
    free(tree->slots);
    memset(tree, 0, sizeof *tree);
}

#endif
