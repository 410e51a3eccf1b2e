/* Any bytes as the text of perf script. */
#include "../traces/kernels/perf_script.c"

static int is_inside(const Pairs *pairs, int64_t row, int64_t size) {
    if (row < 0 || row >= pairs->count) return 0;
    const Pair *pair = pairs->rows + row;
    for (int part = 0; part < 2; part++)
        if (pair->offset[part] < 0 || pair->length[part] < 0 || pair->offset[part] + pair->length[part] > size) return 0;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Blocks blocks = {0};
    Counter read = 0;
    if (scan_blocks(data, (int64_t)size, &read, &blocks) == OK) {
        for (int64_t i = 0; i < blocks.count; i++)
            if (blocks.ends[i] < (i ? blocks.ends[i - 1] : 0) || !is_inside(&blocks.threads, blocks.thread[i], (int64_t)size)) abort();
        if (blocks.frame_count != (blocks.count ? blocks.ends[blocks.count - 1] : 0)) abort();
        for (int64_t i = 0; i < blocks.frame_count; i++)
            if (!is_inside(&blocks.frames, blocks.frame[i], (int64_t)size)) abort();
    }
    forget_blocks(&blocks);
    return 0;
}
