/* Any bytes as a message, its fields as messages, and all that can be as packed numbers. */
#include "../traces/kernels/protobuf.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int64_t first = 0, last = (int64_t)size, end;
    Fields fields = {0}, inner = {0};
    scan_fields(data, (int64_t)size, &first, &last, 1, &end, &fields);
    int64_t *ends = malloc((size_t)(fields.count + 1) * sizeof *ends);
    if (!ends) return 0;
    for (int64_t i = 0; i < fields.count; i++) {
        if (fields.wire[i] != VARINT && (fields.first[i] < 0 || fields.last[i] > (int64_t)size)) abort();
        scan_fields(data, (int64_t)size, &fields.first[i], &fields.last[i], 1, ends, &inner);
    }
    Varints varints = {0};
    scan_varints(data, (int64_t)size, fields.wire, fields.first, fields.last, fields.count, ends, &varints);
    forget_varints(&varints);
    forget_fields(&inner);
    forget_fields(&fields);
    free(ends);
    return 0;
}
