/* Any bytes as the stacks of a speedscope file. */
#include "../traces/kernels/stacks.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Stacks stacks = {0};
    if (scan_stacks(data, (int64_t)size, &stacks) == OK)
        for (int64_t i = 0; i < stacks.end_count; i++)
            if (stacks.ends[i] > stacks.item_count) abort();
    forget_stacks(&stacks);
    return 0;
}
