/* Any bytes as the events of a speedscope profile. */
#include "../traces/kernels/calls.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Calls calls = {0};
    if (scan_calls(data, (int64_t)size, 8, &calls) == OK)
        for (int64_t i = 0; i < calls.count; i++)
            if (calls.opened[i] >= calls.events || calls.closed[i] >= calls.events || calls.parent[i] >= i) abort();
    forget_calls(&calls);
    return 0;
}
