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
    uint64_t *keys; /* (parent + 1) << 32 | frame, next to the node in `nodes`; node + 1, 0 is free */
    int32_t *nodes;
    int64_t slot_count;
} Tree;

static inline uint64_t tree_slot(uint64_t key) { return hash_pair((uint32_t)(key >> 32), (uint32_t)key); }

static inline int more_slots(Tree *tree) {
    int64_t slot_count = tree->slot_count ? tree->slot_count * 4 : 1024;
    uint64_t mask = (uint64_t)slot_count - 1;
    uint64_t *keys = malloc((size_t)slot_count * sizeof *keys);
    int32_t *nodes = calloc((size_t)slot_count, sizeof *nodes);
    if (!keys || !nodes) {
        free(keys);
        free(nodes);
        return 0;
    }
    for (int64_t i = 0; i < tree->slot_count; i++)
        if (tree->nodes[i]) {
            uint64_t at = tree_slot(tree->keys[i]) & mask;
            while (nodes[at]) at = (at + 1) & mask;
            keys[at] = tree->keys[i];
            nodes[at] = tree->nodes[i];
        }
    free(tree->keys);
    free(tree->nodes);
    tree->keys = keys;
    tree->nodes = nodes;
    tree->slot_count = slot_count;
    return 1;
}

/* The node of `frame` called from `parent` (-1: a root), or `parent` where it is too deep; -2 when memory is out. */
static inline int32_t child(Tree *tree, int32_t parent, int32_t frame) {
    if (tree->count * 2 >= tree->slot_count && !more_slots(tree)) return -2;
    uint64_t key = (uint64_t)(uint32_t)(parent + 1) << 32 | (uint32_t)frame;
    uint64_t mask = (uint64_t)tree->slot_count - 1, at = tree_slot(key) & mask;
    for (; tree->nodes[at]; at = (at + 1) & mask)
        if (tree->keys[at] == key) return tree->nodes[at] - 1;
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
    tree->keys[at] = key;
    tree->nodes[at] = (int32_t)++tree->count;
    return (int32_t)node;
}

static inline void free_tree(Tree *tree) {
    free(tree->frame);
    free(tree->parent);
    free(tree->depth);
    free(tree->keys);
    free(tree->nodes);
    memset(tree, 0, sizeof *tree);
}

#endif
