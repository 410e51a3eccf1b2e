/* A JSON array of objects becomes columns: trace events, nodes of V8 profiles, events and frames of speedscope files.
 *
 * The array is the document itself, or a member of the document's object. The caller says which members of the records
 * matter and what becomes of them; everything else is checked to be JSON and skipped.
 */
#include "cells.h"

static inline int same_bytes(Cursor left, Cursor right, int64_t length) {
    if (length < 8) return memcmp(left, right, (size_t)length) == 0;
    for (int64_t i = 0; i < length - 8; i += 8)
        if (load_word(left + i, 8) != load_word(right + i, 8)) return 0;
    return load_word(left + length - 8, 8) == load_word(right + length - 8, 8);
}

static inline int follows(const Json *json, Cursor at, const Run *run, int level, int opened, uint32_t seen) {
    return run->length && json->end - at >= run->length && run->level == level && run->opened == opened && !(run->seen & seen) &&
           same_bytes(at, run->text, run->length);
}

static inline int say_again(Records *records, const Run *run, int64_t row) {
    for (int i = 0; i < run->count; i++)
        if (!say_text(&records->columns[run->column[i]], row, run->id[i])) return 0;
    return 1;
}

/* One object, from its bracket to behind it. Objects of kind OBJECT are entered, not skipped. */
static Cursor read_record(Scan *scan, Cursor start) {
    Json *json = &scan->json;
    Cursor at = start + 1;
    int level = 0, opened = 1, late_count = 0, place = 0, learnt_place = 0;
    uint32_t seen = 0;
    struct {
        const Field *field;
        Cursor at;
    } late[MAX_FIELDS]; /* values of weak fields */
    Run learnt = {0};   /* its text is NULL while nothing is learnt */
    int64_t row = scan->records->count++;
    for (;;) { /* before a member or a closing bracket */
        const Field *field;
        const Run *run = &scan->runs[place];
        if (follows(json, at, run, level, opened, seen)) {
            if (!say_again(scan->records, run, row)) return fail_as(json, at, NO_MEMORY);
            at += run->length;
            seen |= run->seen;
            place = run->next_place;
            field = run->field;
            learnt.text = NULL;
            if (run->closes) break;
            at = skip_space(at, json->end);
        } else {
            if (!learnt.text) {
                learnt = (Run){.text = at, .level = level, .opened = opened};
                learnt_place = place;
            }
            at = skip_space(at, json->end);
            int closing = at < json->end && *at == '}';
            if (!closing && !opened) {
                if (at >= json->end || *at != ',') return fail(json, at);
                at = skip_space(at + 1, json->end);
            }
            Cursor key = at + 1, key_end, same = NULL;
            int escaped = 0;
            field = NULL;
            if (closing) {
                at++;
            } else {
                at = skip_key(json, at, &key_end, &escaped);
                if (!at) return NULL;
                if (escaped) return fail_as(json, key, UNUSUAL); /* it may spell a key that is looked for */
                field = field_of(scan, key, (size_t)(key_end - key), level);
                if (place < PLACES) place++;
            }
            if (field) {
                uint32_t bit = (uint32_t)1 << (field - scan->fields);
                if (seen & bit) return fail_as(json, key, UNUSUAL); /* the last one of a name counts */
                seen |= bit;
                learnt.seen |= bit;
                if (field->kind == TEXT && !field->weak && learnt.count < RUN_TEXTS && at < json->end)
                    same = skip_same(json, at, &scan->latest[field->column]);
            }
            if (same) {
                int32_t id = scan->latest[field->column].id;
                if (!say_text(&scan->records->columns[field->column], row, id)) return fail_as(json, at, NO_MEMORY);
                learnt.id[learnt.count] = id;
                learnt.column[learnt.count++] = field->column;
                opened = 0;
                at = same;
                continue;
            }
            if (learnt_place < PLACES && (!closing || level == 0)) {
                learnt.length = at - learnt.text;
                learnt.field = field;
                learnt.closes = closing;
                learnt.next_place = place;
                scan->runs[learnt_place] = learnt;
            }
            learnt.text = NULL;
            if (closing && level-- == 0) break;
            opened = 0;
            if (closing) continue;
        }
        opened = field && field->kind == OBJECT && at < json->end && *at == '{';
        if (opened) {
            level++;
            at++;
            continue;
        }
        if (field && field->weak) {
            late[late_count].field = field;
            late[late_count++].at = at;
            field = NULL;
        }
        at = read_value(scan, at, field, row);
        if (!at) return NULL;
    }
    for (int i = 0; i < late_count; i++) {
        const Field *weak = late[i].field;
        if (is_missing(&scan->records->columns[weak->column], weak->kind, row) && !read_value(scan, late[i].at, weak, row)) return NULL;
    }
    return at;
}

static void know_nothing(Scan *scan) {
    for (int i = 0; i < MAX_FIELDS; i++) scan->latest[i].id = -1;
    for (int i = 0; i < PLACES; i++) scan->runs[i].length = 0;
}

static void start_over(Scan *scan) {
    Records *records = scan->records;
    records->count = records->skipped = 0;
    for (int i = 0; i < scan->column_count; i++) {
        records->columns[i].filled = records->columns[i].item_count = 0;
        forget_names(&records->columns[i].names);
        free(records->columns[i].next);
        records->columns[i].next = NULL;
        records->columns[i].next_room = 0;
    }
    know_nothing(scan);
}

/* The last record is dropped, with the texts that it was the first to say. */
static void drop_last(Scan *scan, Cursor start) {
    Records *records = scan->records;
    records->count--;
    for (int i = 0; i < scan->column_count; i++) {
        Names *names = &records->columns[i].names;
        while (names->count && names->offset[names->count - 1] >= start - scan->json.begin) names->count--;
    }
}

/* Columns that have a value for most records get none for the others; the caller fills up those of few. */
static void finish(Scan *scan) {
    Records *records = scan->records;
    for (int i = 0; i < scan->column_count; i++) {
        Column *column = &records->columns[i];
        if (column->filled > records->count) column->filled = records->count;
        if (column->filled > records->count / 2 && column->room >= records->count) fill_up(column, scan->column_kind[i], records->count);
    }
}

/* The elements of the array at `at`. It may end with the document; if it is the document, also inside a record, which is
 * dropped, or with a comma before the bracket. */
static Cursor read_elements(Scan *scan, Cursor at, int is_document) {
    Json *json = &scan->json;
    Records *records = scan->records;
    at = skip_space(at + 1, json->end);
    if (at < json->end && *at == ']') return at + 1;
    while (at < json->end) {
        Cursor start = at;
        if (*at == '{') {
            at = read_record(scan, at);
            if (!at && is_document && json->fault == TRUNCATED) { /* the recorder died: what came before counts */
                drop_last(scan, start);
                records->unterminated = 1;
                return json->end;
            }
            if (!at) return NULL;
            for (int i = 0; scan->has_record && i < scan->column_count; i++)
                if (scan->column_kind[i] == RECORD && !say_slice(scan, &records->columns[i], records->count - 1, start, at))
                    return NULL;
        } else {
            at = skip_value(json, at);
            if (!at) return NULL;
            records->skipped++;
        }
        at = skip_space(at, json->end);
        if (at >= json->end) break;
        if (*at == ']') return at + 1;
        if (*at != ',') return fail(json, at);
        Cursor comma = at;
        at = skip_space(at + 1, json->end);
        if (is_document && at < json->end && *at == ']') {
            if (skip_space(at + 1, json->end) < json->end) return fail(json, comma);
            records->unterminated = 1;
            return at + 1;
        }
    }
    records->unterminated = 1;
    return at;
}

static Cursor read_array(Scan *scan, Cursor at, int is_document) {
    start_over(scan);
    scan->records->found = 1;
    return read_elements(scan, at, is_document);
}

/* The document's object: the array is the member called `name`, the others are listed. */
static Cursor read_document(Scan *scan, Cursor at, const uint8_t *name, size_t name_length) {
    Json *json = &scan->json;
    Records *records = scan->records;
    at = skip_space(at + 1, json->end);
    if (at < json->end && *at == '}') return at + 1;
    while (at < json->end) {
        Cursor key = at + 1, key_end;
        int escaped = 0;
        at = skip_key(json, at, &key_end, &escaped);
        if (!at) return NULL;
        if (escaped) return fail_as(json, key, UNUSUAL);
        if ((size_t)(key_end - key) == name_length && memcmp(key, name, name_length) == 0) {
            if (at < json->end && *at == '[') {
                at = read_array(scan, at, 0);
            } else {
                start_over(scan);
                records->found = 0;
                at = skip_value(json, at);
            }
            if (!at) return NULL;
        } else {
            if (!grow((void **)&records->members, &records->member_room, records->member_count + 1, sizeof(Member)))
                return fail_as(json, at, NO_MEMORY);
            if (key_end - key > MAX_TOKEN_BYTES) return fail_as(json, key, OUT_OF_RANGE);
            Member *member = &records->members[records->member_count++];
            member->key_offset = key - json->begin;
            member->key_length = (int32_t)(key_end - key);
            member->value_offset = at - json->begin;
            at = skip_value(json, at);
            if (!at) return NULL;
            member->value_length = (at - json->begin) - member->value_offset;
        }
        at = skip_space(at, json->end);
        if (at >= json->end) break;
        if (*at == '}') return at + 1;
        if (*at != ',') return fail(json, at);
        at = skip_space(at + 1, json->end);
    }
    records->unterminated = 1;
    return at;
}

/* Scan a whole document into `records`, which is zeroed; give the result to forget_records, whatever comes back. */
EXPORT int64_t scan_records(Cursor data, int64_t length, const uint8_t *name, int64_t name_length, const Field *fields,
                        int64_t field_count, int64_t column_count, Records *records) {
    Scan scan = {.json = {data, data + length, NULL, OK}, .records = records, .fields = fields,
                 .field_count = (int)field_count, .column_count = (int)column_count};
    if (field_count > MAX_FIELDS || column_count > MAX_FIELDS) return UNUSUAL;
    index_fields(&scan);
    Cursor at = skip_space(data, scan.json.end);
    if (at >= scan.json.end)
        at = fail(&scan.json, at);
    else if (*at == '[')
        at = read_array(&scan, at, 1);
    else if (*at == '{')
        at = read_document(&scan, at, name, (size_t)name_length);
    else
        at = fail(&scan.json, at);
    if (at) {
        at = skip_space(at, scan.json.end);
        if (at == scan.json.end) {
            finish(&scan);
            return OK;
        }
        fail(&scan.json, at);
    }
    records->fault_at = scan.json.fault_at - data;
    return scan.json.fault;
}

/* The same for parts of a document: each slice is one record, or an array of records if `arrays` is set. `ends[i]` becomes
 * the number of records up to the end of slice i. */
EXPORT int64_t scan_slices(Cursor data, int64_t length, const int64_t *offsets, const int64_t *lengths, int64_t count,
                       int64_t arrays, const Field *fields, int64_t field_count, int64_t column_count, int64_t *ends,
                       Records *records) {
    Scan scan = {.json = {data, data + length, NULL, OK}, .records = records, .fields = fields,
                 .field_count = (int)field_count, .column_count = (int)column_count};
    if (field_count > MAX_FIELDS || column_count > MAX_FIELDS) return UNUSUAL;
    index_fields(&scan);
    know_nothing(&scan);
    for (int64_t i = 0; i < count; i++) {
        if (offsets[i] < 0 || lengths[i] < 0 || offsets[i] > length || lengths[i] > length - offsets[i]) return OUT_OF_RANGE;
        Cursor at = data + offsets[i];
        scan.json.end = at + lengths[i];
        at = skip_space(at, scan.json.end);
        if (at < scan.json.end && *at == '[' && arrays) {
            at = read_elements(&scan, at, 0);
        } else if (at < scan.json.end && *at == '{' && !arrays) {
            at = read_record(&scan, at);
        } else {
            at = at < scan.json.end ? skip_value(&scan.json, at) : fail(&scan.json, at);
            if (at && !arrays) records->count++;
        }
        if (at && records->unterminated) at = fail(&scan.json, scan.json.end);
        if (at && skip_space(at, scan.json.end) != scan.json.end) at = fail(&scan.json, skip_space(at, scan.json.end));
        if (!at) {
            records->fault_at = scan.json.fault_at - data;
            return scan.json.fault;
        }
        ends[i] = records->count;
    }
    finish(&scan);
    return OK;
}

EXPORT void forget_records(Records *records) {
    for (int i = 0; i < MAX_FIELDS; i++) {
        free(records->columns[i].values);
        free(records->columns[i].ids);
        free(records->columns[i].items);
        free(records->columns[i].next);
        forget_names(&records->columns[i].names);
    }
    free(records->members);
    memset(records, 0, sizeof *records);
}
