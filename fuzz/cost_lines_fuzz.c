/* Any bytes as callgrind's lines, with few and many threads allowed. */
#include "../traces/kernels/cost_lines.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int64_t most = 2; most < 100000; most *= 100) {
        Counter read = 0;
        Costs costs = {.most_parts = most, .gives_back = most > 2};
        int64_t outcome = scan_costs(data, (int64_t)size, &read, &costs);
        if ((outcome == MALFORMED) != (costs.fault != 0)) abort();
        for (int64_t i = 0; i < costs.count; i++) {
            Part *part = &costs.parts[i];
            for (int64_t row = 0; row < part->functions; row++)
                if (part->name[row] < 0 || part->name[row] >= costs.names.count || part->file[row] >= costs.names.count ||
                    part->object[row] >= costs.names.count || !(part->own[row * part->width] >= 0))
                    abort();
            for (int64_t row = 0; row < part->calls; row++)
                if (part->caller[row] < 0 || part->caller[row] >= part->functions || part->callee[row] < 0 ||
                    part->callee[row] >= part->functions || !(part->paid[row * (part->width + 1)] >= 0))
                    abort();
        }
        forget_costs(&costs);
    }
    return 0;
}
