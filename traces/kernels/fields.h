/* What records.c looks for and what it fills: the requested members of records by their keys, the columns of the table, and
 * what the records before have shown.
 *
 * This header, cells.h and record.h are parts of one translation unit, records.c: what is done for each byte or member must
 * be inlined, and the kernels are compiled without optimisation across units.
 */
#ifndef FLAMECHAT_FIELDS_H
#define FLAMECHAT_FIELDS_H

#include "json.h"

enum { TEXT = 0, SCALED = 1, SLICE = 2, INTEGERS = 3, RECORD = 4, OBJECT = 5 };

#define MAX_FIELDS 24
#define MAX_KEY_BYTES 24
#define SLOTS 64
#define PLACES 32
#define RUN_TEXTS 8
#define KNOWN_BITS 12
#define FIRST_BYTES 32
#define STEADY 64
#define BLOCK 512

/* What becomes of one member. `level` counts the objects around it that are members of kind OBJECT. A weak field writes to
 * another field's column where that has no value. Mirrored in records.py. */
typedef struct {
    uint8_t key[MAX_KEY_BYTES];
    int32_t key_length, kind, level, scale, column, weak;
} Field;

/* Rows from `filled` on have no value: what no record says costs nothing, and what is said again after a pause is caught up.
 * TEXT: `ids` into `names`, of 1, 2 or 4 bytes as their number asks for. SCALED: `values`. SLICE, RECORD: `values` is the offset in
 * the source, `ids` the length (4 bytes). INTEGERS: `items[values .. values + ids]`. */
typedef struct {
    int64_t *values;
    void *ids;
    int64_t *items;
    int64_t filled, room, id_width, item_count, item_room;
    struct Known *known; /* KNOWN texts; NULL while there are none */
    Names names;
} Column;

/* A text that was said before, where the first bytes of such a text lead. */
typedef struct Known {
    Cursor text; /* NULL: none */
    int32_t length, id;
} Known;

typedef struct {
    int64_t key_offset, value_offset;
    int32_t key_length;
    int64_t value_length;
} Member;

typedef struct {
    int64_t count, skipped; /* records; array elements that are no objects */
    int64_t fault_at;
    int32_t found, unterminated; /* the array is there; the document ends without its closing brackets */
    Member *members;             /* of the document's object, without the array */
    int64_t member_count, member_room;
    Column columns[MAX_FIELDS];
} Records;

/* The text that a column said last; most often the next is the same. */
typedef struct {
    Cursor text;
    int64_t length;
    uint64_t word;
    int32_t id; /* -1: none */
    int32_t quoted;
    int64_t repeats; /* how often it came one after the other */
} Latest;

/* What stood in one place of the records before: members whose texts do not change, up to the next value that does or to the
 * record's bracket. Where the same bytes stand again, they say the same. */
typedef struct {
    Cursor text;
    int64_t length;      /* 0: nothing is known */
    uint64_t word, mask; /* its first eight bytes */
    const Field *field;  /* of the value behind it */
    uint32_t seen;       /* its members that are looked for, a bit for each field */
    int level, opened, closes, next_place;
    int count; /* the texts in it: */
    int32_t id[RUN_TEXTS];
    Column *column[RUN_TEXTS];
} Run;

typedef struct {
    Json json;
    Counter *read; /* may be NULL */
    Records *records;
    const Field *fields;
    int field_count, column_count;
    int8_t slot_of_key[SLOTS]; /* field + 1 */
    uint64_t first_word[MAX_FIELDS];
    int column_kind[MAX_FIELDS];
    int has_record; /* a column of kind RECORD */
    Latest latest[MAX_FIELDS];
    int64_t changed_row[MAX_FIELDS], count_before[MAX_FIELDS]; /* of each column: the last row that brought a new text or a
                                                                  list, and how many texts or items there were before it */
    Run runs[PLACES + 1]; /* by the number of members before; nothing is known of the last */
} Scan;

static inline unsigned slot_of(uint64_t word, size_t length, int level) {
    return (unsigned)(((word ^ (length << 3) ^ (uint64_t)level) * 0x9e3779b97f4a7c15u) >> 58);
}

static void index_fields(Scan *scan) {
    memset(scan->slot_of_key, 0, sizeof scan->slot_of_key);
    for (int i = 0; i < scan->field_count; i++) {
        const Field *field = &scan->fields[i];
        size_t length = (size_t)field->key_length;
        if (!field->weak && field->kind != OBJECT) scan->column_kind[field->column] = field->kind;
        scan->has_record |= field->kind == RECORD;
        if (field->kind == RECORD) continue;
        scan->first_word[i] = load_word(field->key, length < 8 ? length : 8);
        unsigned slot = slot_of(scan->first_word[i], length, field->level);
        while (scan->slot_of_key[slot]) slot = (slot + 1) % SLOTS;
        scan->slot_of_key[slot] = (int8_t)(i + 1);
    }
}

/* The field of a key, or NULL; so many bytes can be read from it. */
static inline const Field *field_of(const Scan *scan, Cursor key, size_t length, int64_t readable, int level) {
    if (length > MAX_KEY_BYTES) return NULL;
    uint64_t word = load_word(key, readable >= 8 ? 8 : length);
    word &= low_bytes((int64_t)length);
    for (unsigned slot = slot_of(word, length, level); scan->slot_of_key[slot]; slot = (slot + 1) % SLOTS) {
        int i = scan->slot_of_key[slot] - 1;
        const Field *field = &scan->fields[i];
        if (scan->first_word[i] == word && (size_t)field->key_length == length && field->level == level &&
            (length <= 8 || memcmp(field->key + 8, key + 8, length - 8) == 0))
            return field;
    }
    return NULL;
}

/* What a valid key with escapes spells, with zeros behind it. Longer than any that is looked for: it is none of those, as one
 * that is not ASCII. */
static size_t unescape_key(Cursor at, Cursor stop, uint8_t key[MAX_KEY_BYTES + 8]) {
    size_t length = 0;
    memset(key, 0, MAX_KEY_BYTES + 8);
    while (at < stop && length <= MAX_KEY_BYTES) {
        int code = *at++;
        if (code == '\\') {
            code = *at++;
            switch (code) {
                case 'b': code = '\b'; break;
                case 'f': code = '\f'; break;
                case 'n': code = '\n'; break;
                case 'r': code = '\r'; break;
                case 't': code = '\t'; break;
                case 'u':
                    code = unicode_escape(at, stop);
                    if (code > 0x7f) return MAX_KEY_BYTES + 1;
                    at += 4;
            }
        }
        key[length++] = (uint8_t)code;
    }
    return length;
}

/* The same of a key as it is written. */
static __attribute__((noinline)) const Field *field_of_escaped(const Scan *scan, Cursor at, Cursor stop, int level) {
    uint8_t key[MAX_KEY_BYTES + 8];
    return field_of(scan, key, unescape_key(at, stop, key), MAX_KEY_BYTES + 8, level);
}

#endif
