/* The cells of a table that records.c fills: what becomes of one member of one record. */
#ifndef FLAMECHAT_CELLS_H
#define FLAMECHAT_CELLS_H

#include "json.h"

enum { TEXT = 0, SCALED = 1, SLICE = 2, INTEGERS = 3, RECORD = 4, OBJECT = 5 };

#define MAX_FIELDS 24
#define MAX_KEY_BYTES 24
#define SLOTS 64

/* What becomes of one member. `level` counts the objects around it that are members of kind OBJECT. A weak field writes to
 * another field's column where that has no value. Mirrored in records.py. */
typedef struct {
    uint8_t key[MAX_KEY_BYTES];
    int32_t key_length, kind, level, scale, column, weak;
} Field;

/* TEXT: `ids` into `names`, none where there are no names. SCALED: `values`. SLICE, RECORD: `values` is the offset in the source, `ids` the length.
 * INTEGERS: `items[values .. values + ids]`. */
typedef struct {
    int64_t *values;
    int32_t *ids;
    int64_t *items;
    int64_t item_count, value_room, id_room, item_room;
    Names names;
} Column;

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

typedef struct {
    Json json;
    Records *records;
    const Field *fields;
    int field_count, column_count;
    int8_t slot_of_key[SLOTS]; /* field + 1 */
    uint64_t first_word[MAX_FIELDS];
    int column_kind[MAX_FIELDS];
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
        if (field->kind == RECORD) continue;
        scan->first_word[i] = load_word(field->key, length < 8 ? length : 8);
        unsigned slot = slot_of(scan->first_word[i], length, field->level);
        while (scan->slot_of_key[slot]) slot = (slot + 1) % SLOTS;
        scan->slot_of_key[slot] = (int8_t)(i + 1);
    }
}

static inline const Field *field_of(const Scan *scan, Cursor key, size_t length, int level) {
    if (length > MAX_KEY_BYTES) return NULL;
    uint64_t word = load_word(key, (size_t)(scan->json.end - key) >= 8 ? 8 : length);
    if (length < 8) word &= ((uint64_t)1 << (8 * length)) - 1;
    for (unsigned slot = slot_of(word, length, level); scan->slot_of_key[slot]; slot = (slot + 1) % SLOTS) {
        int i = scan->slot_of_key[slot] - 1;
        const Field *field = &scan->fields[i];
        if (scan->first_word[i] == word && (size_t)field->key_length == length && field->level == level &&
            (length <= 8 || memcmp(field->key + 8, key + 8, length - 8) == 0))
            return field;
    }
    return NULL;
}

/* A column of texts begins with its first text: what no record says costs nothing. */
static inline int has_begun(const Column *column) { return column->names.count > 0; }

static int begin_texts(Column *column, int64_t row) {
    if (!grow((void **)&column->ids, &column->id_room, row + 1, sizeof(int32_t))) return 0;
    for (int64_t i = 0; i <= row; i++) column->ids[i] = -1;
    return 1;
}

/* One more row, all its values missing; 0 when memory is out. */
static int add_row(Scan *scan) {
    Records *records = scan->records;
    int64_t row = records->count;
    for (int i = 0; i < scan->column_count; i++) {
        Column *column = &records->columns[i];
        int kind = scan->column_kind[i];
        if (kind == TEXT && !has_begun(column)) continue;
        if (kind != TEXT) {
            if (!grow((void **)&column->values, &column->value_room, row + 1, sizeof(int64_t))) return 0;
            column->values[row] = kind == SCALED ? MISSING : 0;
        }
        if (kind != SCALED) {
            if (!grow((void **)&column->ids, &column->id_room, row + 1, sizeof(int32_t))) return 0;
            column->ids[row] = kind == TEXT ? -1 : 0;
        }
    }
    records->count++;
    return 1;
}

/* Any value as text: a string's inside, otherwise its bytes; null is missing. */
static inline Cursor read_text(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Json *json = &scan->json;
    Column *column = &scan->records->columns[field->column];
    Cursor text = at;
    size_t length;
    if (at < json->end && *at == '"') {
        int escaped = 0;
        at = skip_string(json, at, &escaped);
        if (!at) return NULL;
        text++;
        length = (size_t)(at - 1 - text);
    } else {
        at = skip_value(json, at);
        if (!at) return NULL;
        length = (size_t)(at - text);
        if (*text == 'n') return at;
    }
    if (length > MAX_TOKEN_BYTES) return fail_as(json, text, OUT_OF_RANGE);
    Names *names = &column->names;
    if (!has_begun(column)) {
        if (!begin_texts(column, row)) return fail_as(json, text, NO_MEMORY);
    } else if (row > 0) { /* most often the same as in the record before */
        int32_t before = column->ids[row - 1];
        if (before >= 0 && (size_t)names->length[before] == length && length <= 16 &&
            memcmp(json->begin + names->offset[before], text, length) == 0) {
            column->ids[row] = before;
            return at;
        }
    }
    int32_t id = intern(names, json->begin, text, length);
    if (id < 0) return fail_as(json, text, NO_MEMORY);
    column->ids[row] = id;
    return at;
}

/* A number, or a string that holds just one; anything else is missing. */
static inline Cursor read_number(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Json *json = &scan->json;
    int64_t value = MISSING;
    if (at < json->end && (is_digit(*at) || *at == '-')) {
        at = read_scaled(json, at, field->scale, &value);
    } else if (at < json->end && *at == '"') {
        Cursor text = at + 1;
        int escaped = 0;
        at = skip_string(json, at, &escaped);
        if (at) {
            Json inside = {json->begin, at - 1, NULL, 0};
            if (read_scaled(&inside, text, field->scale, &value) != inside.end) value = MISSING;
        }
    } else {
        at = skip_value(json, at);
    }
    if (!at) return NULL;
    scan->records->columns[field->column].values[row] = value;
    return at;
}

static Cursor read_slice(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Column *column = &scan->records->columns[field->column];
    Cursor start = at;
    at = skip_value(&scan->json, at);
    if (!at) return NULL;
    if (at - start > MAX_TOKEN_BYTES) return fail_as(&scan->json, start, OUT_OF_RANGE);
    column->values[row] = start - scan->json.begin;
    column->ids[row] = (int32_t)(at - start);
    return at;
}

/* An array of whole numbers; any other value counts as an empty one. */
static Cursor read_integers(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Json *json = &scan->json;
    Column *column = &scan->records->columns[field->column];
    int64_t first = column->item_count;
    column->values[row] = first;
    column->ids[row] = 0;
    if (at >= json->end || *at != '[') return skip_value(json, at);
    at = skip_space(at + 1, json->end);
    if (at < json->end && *at == ']') return at + 1;
    for (;;) {
        int64_t value;
        if (at >= json->end) return fail(json, at);
        if (!is_digit(*at) && *at != '-') return fail_as(json, at, UNUSUAL);
        at = read_scaled(json, at, field->scale, &value);
        if (!at) return NULL;
        if (!grow((void **)&column->items, &column->item_room, column->item_count + 1, sizeof(int64_t)))
            return fail_as(json, at, NO_MEMORY);
        column->items[column->item_count++] = value;
        at = skip_space(at, json->end);
        if (at < json->end && *at == ',')
            at = skip_space(at + 1, json->end);
        else if (at < json->end && *at == ']')
            break;
        else
            return fail(json, at);
    }
    if (column->item_count - first > MAX_TOKEN_BYTES) return fail_as(json, at, OUT_OF_RANGE);
    column->ids[row] = (int32_t)(column->item_count - first);
    return at + 1;
}

static inline int is_missing(const Column *column, int kind, int64_t row) {
    return kind == TEXT ? !has_begun(column) || column->ids[row] < 0 : kind == SCALED ? column->values[row] == MISSING : column->ids[row] == 0;
}

static inline Cursor read_value(Scan *scan, Cursor at, const Field *field, int64_t row) {
    switch (field ? field->kind : -1) {
        case TEXT: return read_text(scan, at, field, row);
        case SCALED: return read_number(scan, at, field, row);
        case SLICE: return read_slice(scan, at, field, row);
        case INTEGERS: return read_integers(scan, at, field, row);
        default: return skip_value(&scan->json, at);
    }
}

#endif
