/* Any bytes as the text of perf script. */
#include "../traces/kernels/perf.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Blocks blocks = {0};
    if (scan_blocks(data, (int64_t)size, &blocks) == OK)
        for (int64_t i = 0; i < blocks.count; i++)
            if (blocks.ends[i] > blocks.frame_count || blocks.header_offset[i] + blocks.header_length[i] > (int64_t)size) abort();
    forget_blocks(&blocks);
    return 0;
}
