/* Any bytes as indices of each width into tables that may be too short for them. */
#include "../traces/kernels/columns.c"

enum { MOST = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    int64_t rows = 1 + data[0] % 40, count = (int64_t)size - 1 < MOST ? (int64_t)size - 1 : MOST;
    for (int64_t width = 1; width <= 4; width *= 2) {
        int64_t indices = count / width;
        void *index = malloc((size_t)(indices * width) + 1), *table = calloc((size_t)rows, 4);
        uint32_t *out = malloc((size_t)indices * 4 + 4);
        int64_t *first = malloc((size_t)rows * sizeof *first), *counts = calloc((size_t)rows, sizeof *counts);
        if (!index || !table || !out || !first || !counts) abort();
        memcpy(index, data + 1, (size_t)(indices * width));
        for (int64_t value_width = 1; value_width <= 4; value_width *= 4)
            pick(table, rows, value_width, index, width, indices, out);
        if (find_first(index, width, indices, rows, first) == OK)
            for (int64_t i = 0; i < rows; i++)
                if (first[i] < -1 || first[i] >= indices) abort();
        int64_t total = 0;
        if (width == 4 && count_indices(index, indices, rows, counts) == OK)
            for (int64_t i = 0; i < rows; i++) total += counts[i];
        if (total > indices) abort();
        free(index);
        free(table);
        free(out);
        free(first);
        free(counts);
    }
    return 0;
}
