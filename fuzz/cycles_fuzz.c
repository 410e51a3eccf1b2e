/* Bytes as calls: the first says how many functions there are, then each call is its callee; 255 begins the next caller's. */
#include "../traces/kernels/cycles.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int64_t nodes = size ? data[0] : 0, edges = 0, caller = 0;
    int64_t *first = calloc((size_t)nodes + 1, sizeof *first);
    int32_t *callee = calloc(size + 1, sizeof *callee), *group = calloc((size_t)nodes + 1, sizeof *group);
    for (size_t i = 1; i < size && caller < nodes; i++) {
        if (data[i] == 255)
            first[++caller] = edges;
        else
            callee[edges++] = data[i];
    }
    while (caller < nodes) first[++caller] = edges;
    if (find_cycles(first, callee, nodes, group) == OK)
        for (int64_t i = 0; i < nodes; i++)
            for (int64_t edge = first[i]; edge < first[i + 1]; edge++)
                if (group[i] < 0 || group[callee[edge]] > group[i]) abort(); /* callees come first */
    free(first);
    free(callee);
    free(group);
    return 0;
}
