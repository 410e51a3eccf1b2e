/* Any bytes as collapsed stacks, with a shallow and a deep bound. */
#define FIRST_LOOK 64
#include "../traces/kernels/lines.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int64_t depth = 2; depth < 10000; depth *= 50) {
        Counter read = 0;
        Lines lines = {.tree = {.max_depth = depth}};
        if (scan_lines(data, (int64_t)size, &read, &lines) == OK) {
            for (int64_t i = 0; i < lines.count; i++)
                if (lines.leaf[i] < -1 || lines.leaf[i] >= lines.tree.count) abort();
            uint8_t *joined = malloc((size_t)lines.name_bytes + 1);
            if (!joined || join_names(data, &lines, joined) != OK || lines.names.offset[lines.names.count] != lines.name_bytes) abort();
            free(joined);
        }
        for (int64_t i = 0; i < lines.tree.count; i++)
            if (lines.tree.parent[i] >= i || lines.tree.depth[i] >= depth) abort();
        forget_lines(&lines);
    }
    return 0;
}
