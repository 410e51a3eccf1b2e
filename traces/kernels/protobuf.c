/* Protobuf messages become columns of fields, and packed numbers become columns (protobuf.dev: Encoding). */
#include "bytes.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };

/* Zeroed by the caller; give it to forget_fields, without the columns that were taken. */
typedef struct {
    int32_t *number;
    uint8_t *wire;
    int64_t *first; /* a varint's value, or where the field's bytes begin */
    int64_t *last;  /* where they end; 0 for a varint */
    int64_t number_room, wire_room, first_room, last_room;
    int64_t count, fault_at;
} Fields;

/* Behind the varint at `at`; NULL when it breaks off (`*fault` TRUNCATED) or is longer than 10 bytes (MALFORMED). */
static inline Cursor read_varint(Cursor at, Cursor end, uint64_t *value, int *fault) {
    uint64_t number = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (at >= end) {
            *fault = TRUNCATED;
            return NULL;
        }
        uint8_t byte = *at++;
        number |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128) {
            *value = number;
            return at;
        }
    }
    *fault = MALFORMED;
    return NULL;
}

static int scan_message(Cursor data, Cursor at, Cursor end, Fields *fields) {
    while (at < end) {
        uint64_t tag, value;
        int fault = OK;
        Cursor start = at;
        fields->fault_at = start - data;
        at = read_varint(at, end, &tag, &fault);
        if (!at) return fault;
        if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return MALFORMED;
        int64_t row = fields->count;
        if (!grow((void **)&fields->number, &fields->number_room, row + 1, sizeof *fields->number) ||
            !grow((void **)&fields->wire, &fields->wire_room, row + 1, sizeof *fields->wire) ||
            !grow((void **)&fields->first, &fields->first_room, row + 1, sizeof *fields->first) ||
            !grow((void **)&fields->last, &fields->last_room, row + 1, sizeof *fields->last))
            return NO_MEMORY;
        int wire = (int)(tag & 7);
        int64_t size = wire == FIXED64 ? 8 : wire == FIXED32 ? 4 : 0;
        if (wire == VARINT || wire == LENGTH) {
            at = read_varint(at, end, &value, &fault);
            if (!at) return fault;
            if (wire == LENGTH && value > (uint64_t)(end - at)) return TRUNCATED;
            size = (int64_t)value;
        } else if (!size) {
            return MALFORMED;
        } else if (size > end - at) {
            return TRUNCATED;
        }
        fields->number[row] = (int32_t)(tag >> 3);
        fields->wire[row] = (uint8_t)wire;
        fields->first[row] = wire == VARINT ? size : at - data;
        fields->last[row] = wire == VARINT ? 0 : at - data + size;
        if (wire != VARINT) at += size;
        fields->count++;
    }
    return OK;
}

/* The fields of each message `data[firsts[i] .. lasts[i])`; `ends[i]` becomes the number of fields up to its end. */
EXPORT int64_t scan_fields(Cursor data, int64_t length, const int64_t *firsts, const int64_t *lasts, int64_t count, int64_t *ends,
                       Fields *fields) {
    for (int64_t i = 0; i < count; i++) {
        if (firsts[i] < 0 || firsts[i] > lasts[i] || lasts[i] > length) return OUT_OF_RANGE;
        int outcome = scan_message(data, data + firsts[i], data + lasts[i], fields);
        if (outcome != OK) return outcome;
        ends[i] = fields->count;
    }
    return OK;
}

EXPORT void forget_fields(Fields *fields) {
    free(fields->number);
    free(fields->wire);
    free(fields->first);
    free(fields->last);
    memset(fields, 0, sizeof *fields);
}

/* Zeroed by the caller; give it to forget_varints, without the columns that were taken. */
typedef struct {
    int64_t *items;
    int64_t room, count, fault_at;
} Varints;

/* The numbers of a repeated field: `wire`, `firsts`, `lasts` as scan_fields gave them; packed or one by one. `ends[i]` becomes
 * the number of items up to the end of row i. */
EXPORT int64_t scan_varints(Cursor data, int64_t length, const uint8_t *wire, const int64_t *firsts, const int64_t *lasts,
                        int64_t count, int64_t *ends, Varints *varints) {
    for (int64_t i = 0; i < count; i++) {
        int packed = wire[i] == LENGTH;
        if (packed && (firsts[i] < 0 || firsts[i] > lasts[i] || lasts[i] > length)) return OUT_OF_RANGE;
        varints->fault_at = firsts[i];
        if (!packed && wire[i] != VARINT) return MALFORMED;
        int64_t most = packed ? lasts[i] - firsts[i] : 1;
        if (!grow((void **)&varints->items, &varints->room, varints->count + most, sizeof *varints->items)) return NO_MEMORY;
        if (!packed) {
            varints->items[varints->count++] = firsts[i];
        } else {
            for (Cursor at = data + firsts[i], end = data + lasts[i]; at < end;) {
                uint64_t value;
                int fault = OK;
                varints->fault_at = at - data;
                if (!(at = read_varint(at, end, &value, &fault))) return fault;
                varints->items[varints->count++] = (int64_t)value;
            }
        }
        ends[i] = varints->count;
    }
    return OK;
}

EXPORT void forget_varints(Varints *varints) {
    free(varints->items);
    memset(varints, 0, sizeof *varints);
}
