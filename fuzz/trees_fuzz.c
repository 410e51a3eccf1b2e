/* Any bytes as columns of slices, events, spans, nodes and stacks: also columns that contradict themselves. */
#include "../traces/kernels/spans.c"
#include "../traces/kernels/tree.c"

enum { MOST = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int64_t start[MOST], end[MOST], order[MOST], source[MOST], until[MOST], own[MOST], calls[MOST], ends[MOST];
    static int32_t frame[MOST], parent[MOST], node[MOST], above[MOST], from[MOST];
    static uint8_t flags[MOST], outermost[MOST], unfinished[MOST];
    int64_t count = (int64_t)size < MOST ? (int64_t)size : MOST, repaired[4];
    for (int64_t i = 0; i < count; i++) {
        uint8_t byte = data[i], next = data[(i + 1) % count];
        start[i] = i ? start[i - 1] + byte % 3 : byte;
        end[i] = start[i] + next % 11;
        order[i] = i;
        frame[i] = byte % 7 - (next == 255);
        above[i] = (int32_t)(next % 5 == 0 ? -1 : next == 250 ? -2 : (int32_t)(i - byte % 9));
        flags[i] = next & 1;
        ends[i] = i ? ends[i - 1] + next % 4 : 0;
        if (ends[i] > count) ends[i] = count;
        own[i] = calls[i] = unfinished[i] = 0;
    }
    int64_t kept = nest_slices(start, end, count, 1 + (count ? data[0] % 9 : 0), count ? data[0] % 5 : 0, order, until, parent, repaired);
    for (int64_t i = 0; i < kept; i++)
        if (parent[i] >= i || (parent[i] >= 0 && until[i] > until[parent[i]])) abort();
    match_begin_end(start, frame, flags, count, 7, 5, 3, source, until, parent, unfinished, repaired);
    self_durations(start, end, above, count, own);
    for (int pass = 0; pass < 3; pass++) {
        Tree tree = {.max_depth = 6};
        if (pass == 0) nodes_of_spans(frame, above, count, node, &tree);
        if (pass == 1) leaves_of_stacks(frame, ends, count, flags[0], node, &tree);
        if (pass == 2) leaves_of_nodes(above, frame, flags, count, 6, above, count, node, &tree);
        for (int64_t i = 0; i < tree.count; i++)
            if (tree.parent[i] >= i || tree.depth[i] >= 6) abort();
        find_outermost(tree.frame, tree.parent, tree.count < MOST ? tree.count : MOST, 7, outermost);
        forget_tree(&tree);
    }
    find_outermost(frame, above, count, 6, outermost);
    sum_upwards_int64(above, count, own);
    sum_spans(start, end, above, frame, count, count / 2, own, calls);
    sum_by_node_int64(above, start, count, count / 2, own);
    int64_t open = 0, closed = 0, now = 0;
    for (int64_t i = 0; i < count; i++) { /* a recorder that writes each call when it returns */
        now += data[i] >> 1 & 3;
        if (data[i] & 1) {
            own[open++] = now;
        } else if (open) {
            start[closed] = own[--open];
            end[closed++] = now + (data[i] == 254);
        }
    }
    if (nest_ended(start, end, frame, closed, 1 + count % 40, from, parent) == 1)
        for (int64_t i = 0; i < closed; i++) {
            if (from[i] < 0 || from[i] >= closed || parent[i] >= i) abort();
            if (i && start[i] < start[i - 1]) abort();
        }
    return 0;
}
