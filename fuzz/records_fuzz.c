/* Any bytes as a document of records, and any parts of them as slices. */
#include "../traces/kernels/records.c"

#define FIELD(NAME, KIND, LEVEL, SCALE, COLUMN, WEAK) \
    {.key = NAME, .key_length = sizeof NAME - 1, .kind = KIND, .level = LEVEL, .scale = SCALE, .column = COLUMN, .weak = WEAK}

static const Field FIELDS[] = {
    FIELD("name", TEXT, 0, 0, 0, 0),     FIELD("ts", SCALED, 0, 3, 1, 0),       FIELD("dur", SCALED, 0, 9, 2, 0),
    FIELD("tdur", SCALED, 0, 9, 2, 1),   FIELD("id", TEXT, 0, 0, 3, 0),         FIELD("id2", TEXT, 0, 0, 3, 1),
    FIELD("args", SLICE, 0, 0, 4, 0),    FIELD("children", INTEGERS, 0, 0, 5, 0), FIELD("callFrame", OBJECT, 0, 0, 0, 0),
    FIELD("name", TEXT, 1, 0, 6, 0),     FIELD("functionName", TEXT, 1, 0, 7, 0), FIELD("", RECORD, 0, 0, 8, 0),
};
enum { COUNT = sizeof FIELDS / sizeof *FIELDS, COLUMNS = 9 };

/* Everything that came back lies inside the data. */
static void inspect(const Records *records, int64_t size) {
    for (int64_t i = 0; i < records->count; i++) {
        const Column *args = &records->columns[4], *items = &records->columns[5], *names = &records->columns[0];
        if (i < args->filled && (args->values[i] < 0 || args->values[i] + id_at(args, i) > size)) abort();
        if (i < items->filled && (items->values[i] < 0 || items->values[i] + id_at(items, i) > items->item_count)) abort();
        if (i < names->filled && (id_at(names, i) < -1 || id_at(names, i) >= names->names.count)) abort();
    }
    for (int column = 0; column < COLUMNS; column++)
        for (int64_t i = 0; i < records->columns[column].names.count; i++)
            if (records->columns[column].names.offset[i] + records->columns[column].names.length[i] > size) abort();
    for (int64_t i = 0; i < records->member_count; i++)
        if (records->members[i].value_offset + records->members[i].value_length > size) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Records records = {0};
    Counter read = 0;
    if (scan_records(data, (int64_t)size, (const uint8_t *)"traceEvents", 11, FIELDS, COUNT, COLUMNS, &read, &records) == OK)
        inspect(&records, (int64_t)size);
    forget_records(&records);
    for (int64_t arrays = 0; arrays < 2; arrays++) {
        int64_t offsets[3] = {0, size ? data[0] % size : 0, size ? data[size / 2] - 8 : 0};
        int64_t lengths[3] = {(int64_t)size, (int64_t)size - offsets[1], 32}, ends[3];
        Records parts = {0};
        for (int first = 0; first < 3; first++) {
            if (scan_slices(data, (int64_t)size, offsets + first, lengths + first, 1, arrays, FIELDS, COUNT, COLUMNS, ends, &parts) == OK)
                inspect(&parts, (int64_t)size);
            forget_records(&parts);
        }
    }
    return 0;
}
