/* The cells of a table that records.c fills: what becomes of one member of one record. */
#ifndef FLAMECHAT_CELLS_H
#define FLAMECHAT_CELLS_H

#include "fields.h"

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

static int make_room(Column *column, int kind, int64_t needed) {
    int64_t value_room = column->room, id_room = column->room;
    if (!column->id_width) column->id_width = kind == TEXT ? 1 : sizeof(int32_t);
    if (kind != TEXT && !grow((void **)&column->values, &value_room, needed, sizeof(int64_t))) return 0;
    if (kind != SCALED && !grow(&column->ids, &id_room, needed, (size_t)column->id_width)) return 0;
    column->room = kind == TEXT ? id_room : value_room;
    return 1;
}

/* Room for a row and those after it: full blocks of rows that have no value get ready to be written. */
static __attribute__((noinline)) int make_ready(Column *column, int kind, int64_t row) {
    int64_t needed = (row / BLOCK + 1) * BLOCK;
    if (needed > column->room && !make_room(column, kind, needed)) return 0;
    fill_up(column, kind, needed);
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

/* A column gets texts or items of a row, behind `count` others; the first change of a row counts. */
static inline void note_change(Scan *scan, int column, int64_t row, int64_t count) {
    if (scan->changed_row[column] == row) return;
    scan->changed_row[column] = row;
    scan->count_before[column] = count;
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
    int64_t known_before = column->names.count;
    int32_t id = intern(&column->names, json->begin, text, (size_t)length);
    if (column->names.count > known_before) note_change(scan, field->column, row, known_before);
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

/* An array of numbers; any other value counts as an empty one. UNUSUAL: there is something else in it. */
static Cursor read_integers(Scan *scan, Cursor at, const Field *field, int64_t row) {
    Json *json = &scan->json;
    Column *column = &scan->records->columns[field->column];
    Cursor start = at;
    note_change(scan, field->column, row, column->item_count);
    int64_t first = column->item_count = scan->count_before[field->column]; /* what the row said before counts no more */
    if (!reach(column, INTEGERS, row)) return fail_as(json, at, NO_MEMORY);
    column->values[row] = first;
    set_id(column, row, 0);
    if (at >= json->end || *at != '[') return skip_value(json, at);
    at = skip_space(at + 1, json->end);
    if (at < json->end && *at == ']') return at + 1;
    for (;;) {
        int64_t value;
        if (at >= json->end) return fail(json, at);
        if (!is_digit(*at) && *at != '-') return skip_value(json, start) ? fail_as(json, at, UNUSUAL) : NULL;
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
