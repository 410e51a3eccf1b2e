/* The cells of a table that records.c fills: what becomes of one member of one record. */
#ifndef FLAMECHAT_CELLS_H
#define FLAMECHAT_CELLS_H

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
    Records *records;
    const Field *fields;
    int field_count, column_count;
    int8_t slot_of_key[SLOTS]; /* field + 1 */
    uint64_t first_word[MAX_FIELDS];
    int column_kind[MAX_FIELDS];
    int has_record; /* a column of kind RECORD */
    Latest latest[MAX_FIELDS];
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

static inline const Field *field_of(const Scan *scan, Cursor key, size_t length, int level) {
    if (length > MAX_KEY_BYTES) return NULL;
    uint64_t word = load_word(key, (size_t)(scan->json.end - key) >= 8 ? 8 : length);
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

static inline int64_t id_at(const Column *column, int64_t row) {
    switch (column->id_width) {
        case 1: return ((const int8_t *)column->ids)[row];
        case 2: return ((const int16_t *)column->ids)[row];
        default: return ((const int32_t *)column->ids)[row];
    }
}

static inline void set_id(Column *column, int64_t row, int32_t id) {
    switch (column->id_width) {
        case 1: ((int8_t *)column->ids)[row] = (int8_t)id; break;
        case 2: ((int16_t *)column->ids)[row] = (int16_t)id; break;
        default: ((int32_t *)column->ids)[row] = id;
    }
}

/* Rows up to `count` have no value yet. */
static void fill_up(Column *column, int kind, int64_t count) {
    if (kind != TEXT)
        for (int64_t row = column->filled; row < count; row++) column->values[row] = kind == SCALED ? MISSING : 0;
    if (kind != SCALED && column->filled < count)
        memset((uint8_t *)column->ids + column->filled * column->id_width, kind == TEXT ? 0xff : 0,
               (size_t)((count - column->filled) * column->id_width));
    if (column->filled < count) column->filled = count;
}

static int make_room(Column *column, int kind, int64_t wanted) {
    int64_t value_room = column->room, id_room = column->room;
    if (!column->id_width) column->id_width = kind == TEXT ? 1 : sizeof(int32_t);
    if (kind != TEXT && !grow((void **)&column->values, &value_room, wanted, sizeof(int64_t))) return 0;
    if (kind != SCALED && !grow(&column->ids, &id_room, wanted, (size_t)column->id_width)) return 0;
    column->room = kind == TEXT ? id_room : value_room;
    return 1;
}

/* Room for a row and those after it: whole blocks of rows that have no value get ready to be written. */
static __attribute__((noinline)) int make_ready(Column *column, int kind, int64_t row) {
    int64_t wanted = (row / BLOCK + 1) * BLOCK;
    if (wanted > column->room && !make_room(column, kind, wanted)) return 0;
    fill_up(column, kind, wanted);
    return 1;
}

/* The row can be written; 0 when memory is out. */
static inline int reach(Column *column, int kind, int64_t row) { return row < column->filled || make_ready(column, kind, row); }

/* Twice the bytes for each id. */
static int widen(Column *column) {
    int64_t width = 2 * column->id_width;
    void *wider = realloc(column->ids, (size_t)(column->room * width));
    if (!wider) return 0;
    column->ids = wider;
    for (int64_t row = column->filled; row-- > 0;)
        if (width == 2)
            ((int16_t *)wider)[row] = ((int8_t *)wider)[row];
        else
            ((int32_t *)wider)[row] = ((int16_t *)wider)[row];
    column->id_width = width;
    return 1;
}

static __attribute__((noinline)) int say_wider_text(Column *column, int64_t row, int32_t id) {
    while (column->id_width < (int64_t)sizeof id && id >> (8 * column->id_width - 1))
        if (!widen(column)) return 0;
    set_id(column, row, id);
    return 1;
}

static inline int say_text(Column *column, int64_t row, int32_t id) {
    if (!reach(column, TEXT, row)) return 0;
    if (column->id_width == 1 && id <= INT8_MAX)
        ((int8_t *)column->ids)[row] = (int8_t)id;
    else if (column->id_width == 2 && id <= INT16_MAX)
        ((int16_t *)column->ids)[row] = (int16_t)id;
    else
        return say_wider_text(column, row, id);
    return 1;
}

/* Behind the value at `at` if it is written as the one before was, or NULL. */
static inline Cursor skip_same(const Json *json, Cursor at, const Latest *latest) {
    int quoted = *at == '"';
    Cursor text = at + quoted;
    int64_t length = latest->length;
    if (latest->id < 0 || quoted != latest->quoted || json->end - text < 8 || json->end - text <= length) return NULL;
    if ((load_word(text, 8) ^ latest->word) & low_bytes(length)) return NULL;
    if (length > 8 && memcmp(text + 8, latest->text + 8, (size_t)length - 8) != 0) return NULL;
    uint8_t next = text[length];
    if (quoted) return next == '"' ? text + length + 1 : NULL;
    return next == ',' || next == '}' ? text + length : NULL;
}

/* Where the text behind a quote at `at` may be known: its first bytes say so. NULL where the document ends soon. */
static inline Known *known_at(const Json *json, Cursor at, Known *known) {
    Cursor text = at + 1;
    if (json->end - text < FIRST_BYTES) return NULL;
    int64_t length = find_quote(text, FIRST_BYTES);
    uint64_t word[4];
    memcpy(word, text, sizeof word);
    for (int i = 0; i < 4; i++) word[i] &= low_bytes(length - 8 * i);
    return &known[(mix(word[0] ^ 0x9e3779b97f4a7c15u, word[1] ^ 0xa0761d6478bd642fu) ^
                   mix(word[2] ^ 0xe7037ed1a0b428dbu, word[3] ^ 0x8ebc6af09c88c6e3u)) >> (64 - KNOWN_BITS)];
}

/* Behind the string at `at` if it says that text, or NULL. */
static inline Cursor skip_known(const Json *json, Cursor at, const Known *known) {
    Cursor text = at + 1;
    if (!known->text || json->end - text <= known->length || text[known->length] != '"') return NULL;
    return same_bytes(text, known->text, known->length) ? text + known->length + 1 : NULL;
}

/* A text that was not said before, as far as is known at once. */
static __attribute__((noinline)) Cursor read_new_text(Scan *scan, Cursor at, const Field *field, int64_t row, Known *known) {
    Json *json = &scan->json;
    Column *column = &scan->records->columns[field->column];
    Latest *latest = &scan->latest[field->column];
    int quoted = *at == '"', escaped = 0;
    Cursor text = at + quoted, behind = quoted ? skip_string(json, at, &escaped) : skip_value(json, at);
    if (!behind || (!quoted && *text == 'n')) return behind;
    int64_t length = behind - quoted - text, available = json->end - text;
    if (length > MAX_TOKEN_BYTES) return fail_as(json, text, OUT_OF_RANGE);
    int32_t id = intern(&column->names, json->begin, text, (size_t)length);
    if (id < 0 || !say_text(column, row, id)) return fail_as(json, text, NO_MEMORY);
    *latest = (Latest){text, length, load_word(text, available < 8 ? (size_t)available : 8), id, quoted, 0};
    if (quoted && !column->known && !(column->known = calloc((size_t)1 << KNOWN_BITS, sizeof *column->known)))
        return fail_as(json, text, NO_MEMORY);
    if (known) *known = (Known){json->begin + column->names.offset[id], (int32_t)length, id};
    return behind;
}

/* Any value as text: a string's inside, otherwise its bytes; null is missing. */
static inline __attribute__((always_inline)) Cursor read_text(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Json *json = &scan->json;
    Column *column = &scan->records->columns[field->column];
    Latest *latest = &scan->latest[field->column];
    if (at >= json->end) return fail(json, at);
    Known *known = *at == '"' && column->known ? known_at(json, at, column->known) : NULL;
    Cursor behind = known ? skip_known(json, at, known) : skip_same(json, at, latest);
    if (!behind) return read_new_text(scan, at, field, row, known);
    int32_t id = known ? known->id : latest->id;
    if (!say_text(column, row, id)) return fail_as(json, at, NO_MEMORY);
    if (!known || (id == latest->id && latest->quoted))
        latest->repeats++;
    else
        *latest = (Latest){at + 1, known->length, load_word(at + 1, 8), id, 1, 0};
    return behind;
}

/* A value that is no number: a string that holds just one counts, anything else is missing. */
static __attribute__((noinline)) Cursor read_no_number(Json *json, Cursor at, int scale, int64_t *value) {
    if (at >= json->end || *at != '"') return skip_value(json, at);
    Cursor text = at + 1;
    int escaped = 0;
    at = skip_string(json, at, &escaped);
    if (at) {
        Json inside = {json->begin, json->end, NULL, 0};
        if (read_scaled_slowly(&inside, text, scale, value) != at - 1) *value = MISSING;
    }
    return at;
}

static inline __attribute__((always_inline)) Cursor read_number(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Json *json = &scan->json;
    int64_t value = MISSING;
    if (at < json->end && (is_digit(*at) || *at == '-'))
        at = read_scaled(json, at, field->scale, &value);
    else
        at = read_no_number(json, at, field->scale, &value);
    if (!at) return NULL;
    Column *column = &scan->records->columns[field->column];
    if (!reach(column, SCALED, row)) return fail_as(json, at, NO_MEMORY);
    column->values[row] = value;
    return at;
}

/* Where something lies that goes from `start` to `stop`; 0 with the fault. */
static int say_slice(Scan *scan, Column *column, int64_t row, Cursor start, Cursor stop) {
    if (stop - start > MAX_TOKEN_BYTES) fail_as(&scan->json, start, OUT_OF_RANGE);
    else if (!reach(column, SLICE, row)) fail_as(&scan->json, start, NO_MEMORY);
    else {
        column->values[row] = start - scan->json.begin;
        set_id(column, row, (int32_t)(stop - start));
        return 1;
    }
    return 0;
}

static Cursor read_slice(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Column *column = &scan->records->columns[field->column];
    Cursor start = at;
    at = skip_value(&scan->json, at);
    if (!at) return NULL;
    return say_slice(scan, column, row, start, at) ? at : NULL;
}

/* An array of whole numbers; any other value counts as an empty one. */
static Cursor read_integers(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Json *json = &scan->json;
    Column *column = &scan->records->columns[field->column];
    int64_t first = column->item_count;
    if (!reach(column, INTEGERS, row)) return fail_as(json, at, NO_MEMORY);
    column->values[row] = first;
    set_id(column, row, 0);
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
    set_id(column, row, (int32_t)(column->item_count - first));
    return at + 1;
}

static inline int is_missing(const Column *column, int kind, int64_t row) {
    if (row >= column->filled) return 1;
    return kind == TEXT ? id_at(column, row) < 0 : kind == SCALED ? column->values[row] == MISSING : id_at(column, row) == 0;
}

static __attribute__((noinline)) Cursor read_any_value(Scan *scan, Cursor at, const Field *field, int64_t row) {
    switch (field ? field->kind : -1) {
        case TEXT: return read_text(scan, at, field, row);
        case SCALED: return read_number(scan, at, field, row);
        case SLICE: return read_slice(scan, at, field, row);
        case INTEGERS: return read_integers(scan, at, field, row);
        default: return skip_value(&scan->json, at);
    }
}

/* The same; most are numbers and texts, which are read without ado. */
static inline __attribute__((always_inline)) Cursor read_value(Scan *scan, Cursor at, const Field *field, int64_t row) {
    int kind = field ? field->kind : OBJECT;
    if (kind == SCALED) return read_number(scan, at, field, row);
    if (kind == TEXT) return read_text(scan, at, field, row);
    return read_any_value(scan, at, field, row);
}

#endif
