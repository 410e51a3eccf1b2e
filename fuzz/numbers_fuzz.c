/* Any bytes as arrays of numbers, plain and nested, at every scale. */
#include "../traces/kernels/numbers.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int64_t way = 0; way < 8; way++) {
        int64_t offsets[2] = {0, size ? data[size - 1] - 4 : 0}, lengths[2] = {(int64_t)size, (int64_t)size};
        Numbers numbers = {0};
        if (scan_numbers(data, (int64_t)size, offsets, lengths, 1, way & 1 ? 9 : 0, way >> 1 & 1, way >> 2, &numbers) == OK)
            for (int64_t i = 0; i < numbers.end_count; i++)
                if (numbers.ends[i] > numbers.item_count) abort();
        scan_numbers(data, (int64_t)size, offsets + 1, lengths + 1, 1, 3, 0, way >> 2, &numbers);
        forget_numbers(&numbers);
    }
    return 0;
}
