/* Columns looked up, counted and searched by another column's narrow indices, without widening those first. */
#include "bytes.h"

/* out[i] = table[index[i]]; -1 is the last of the table. */
#define PICK(NAME, INDEX, VALUE)                                                                                    \
    static int64_t NAME(const VALUE *table, int64_t size, const INDEX *index, int64_t count, VALUE *out) {          \
        for (int64_t i = 0; i < count; i++) {                                                                       \
            int64_t at = index[i] < 0 ? size + index[i] : index[i];                                                 \
            if (at < 0 || at >= size) return OUT_OF_RANGE;                                                          \
            out[i] = table[at];                                                                                     \
        }                                                                                                           \
        return OK;                                                                                                  \
    }

/* The first row of each of `size` indices, -1 for those of none; -1 is the last index. */
#define FIRST(NAME, INDEX)                                                                                          \
    static int64_t NAME(const INDEX *index, int64_t count, int64_t size, int64_t *first) {                          \
        for (int64_t i = 0; i < size; i++) first[i] = -1;                                                           \
        for (int64_t i = 0; i < count; i++) {                                                                       \
            int64_t at = index[i] < 0 ? size + index[i] : index[i];                                                 \
            if (at < 0 || at >= size) return OUT_OF_RANGE;                                                          \
            if (first[at] < 0) first[at] = i;                                                                       \
        }                                                                                                           \
        return OK;                                                                                                  \
    }

#define FOR_INDEX(BITS)                            \
    PICK(pick_1_##BITS, int##BITS##_t, uint8_t)    \
    PICK(pick_4_##BITS, int##BITS##_t, uint32_t)   \
    FIRST(first_##BITS, int##BITS##_t)

FOR_INDEX(8)
FOR_INDEX(16)
FOR_INDEX(32)

/* Indices of 1, 2 or 4 bytes, values of 1 or 4. */
EXPORT int64_t pick(const void *table, int64_t size, int64_t value_width, const void *index, int64_t index_width, int64_t count,
                    void *out) {
    int wide = value_width == 4;
    switch (index_width) {
        case 1: return wide ? pick_4_8(table, size, index, count, out) : pick_1_8(table, size, index, count, out);
        case 2: return wide ? pick_4_16(table, size, index, count, out) : pick_1_16(table, size, index, count, out);
        default: return wide ? pick_4_32(table, size, index, count, out) : pick_1_32(table, size, index, count, out);
    }
}

EXPORT int64_t find_first(const void *index, int64_t index_width, int64_t count, int64_t size, int64_t *first) {
    switch (index_width) {
        case 1: return first_8(index, count, size, first);
        case 2: return first_16(index, count, size, first);
        default: return first_32(index, count, size, first);
    }
}

/* How often each index stands there; negative ones do not count. */
EXPORT int64_t count_indices(const int32_t *index, int64_t count, int64_t size, int64_t *counts) {
    for (int64_t i = 0; i < count; i++) {
        if (index[i] >= size) return OUT_OF_RANGE;
        if (index[i] >= 0) counts[index[i]]++;
    }
    return OK;
}

/* Texts one behind another: text i is `length[i]` bytes at `offset[i]` of the source. */
EXPORT int64_t join_texts(Cursor source, int64_t size, const int64_t *offset, const int32_t *length, int64_t count, uint8_t *out) {
    for (int64_t i = 0; i < count; i++) {
        if (offset[i] < 0 || length[i] < 0 || offset[i] > size - length[i]) return OUT_OF_RANGE;
        memcpy(out, source + offset[i], (size_t)length[i]);
        out += length[i];
    }
    return OK;
}
