/* Any bytes as indices of each width into tables that may be too short for them, and as places of texts in a source. */
#include "../traces/kernels/columns.c"

enum { MOST = 512 };

static void join_places(const uint8_t *data, int64_t size) {
    int64_t offset[MOST], count = size / 2 < MOST ? size / 2 : MOST, room = 0;
    int32_t length[MOST];
    for (int64_t i = 0; i < count; i++) {
        offset[i] = (int64_t)data[2 * i] - 2;
        length[i] = (int32_t)data[2 * i + 1] - 2;
        room += length[i] > 0 ? length[i] : 0;
    }
    uint8_t *out = malloc((size_t)room + 1);
    if (!out) abort();
    join_texts(data, size, offset, length, count, out);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    join_places(data, (int64_t)size);
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
