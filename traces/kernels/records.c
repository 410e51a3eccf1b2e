/* A JSON array of objects becomes columns: trace events, nodes of V8 profiles, events and frames of speedscope files.
 *
 * The array is the document itself, or a member of the document's object. The caller says which members of the records
 * matter and what becomes of them; everything else is checked to be JSON and skipped.
 */
#include "cells.h"

/* Where the reading of a record has come to: before a member or a closing bracket, or before the value of `field`. */
typedef struct {
    int64_t row;
    const Field *field;
    uint32_t seen;
    int level, opened, closed, place, late_count;
    struct {
        const Field *field;
        Cursor at;
    } late[MAX_FIELDS]; /* values of weak fields */
} Walk;

static inline int follows(const Json *json, Cursor at, const Run *run, const Walk *walk) {
    if (!run->length || json->end - at < (run->length < 8 ? 8 : run->length)) return 0;
    if (((load_word(at, 8) ^ run->word) & run->mask) || run->level != walk->level || run->opened != walk->opened) return 0;
    return !(run->seen & walk->seen) && (run->length <= 8 || same_bytes(at + 8, run->text + 8, run->length - 8));
}

static inline int say_again(const Run *run, int64_t row) {
    for (int i = 0; i < run->count; i++)
        if (!say_text(run->column[i], row, run->id[i])) return 0;
    return 1;
}

/* Read on member by member up to a value that is not the same as in the record before, or behind the record's bracket; this
 * is what is expected here in the next record. */
static __attribute__((noinline)) Cursor learn(Scan *scan, Walk *walk, Cursor at) {
    Json *json = &scan->json;
    Run learnt = {.text = at, .level = walk->level, .opened = walk->opened};
    int learnt_place = walk->place;
    for (;;) {
        Cursor key_end;
        int escaped = 0;
        at = skip_space(at, json->end);
        int closing = at < json->end && *at == '}';
        if (!closing && !walk->opened) {
            if (at >= json->end || *at != ',') return fail(json, at);
            at = skip_space(at + 1, json->end);
        }
        const Field *field = NULL;
        if (closing) {
            at++;
        } else {
            Cursor key = at + 1;
            at = skip_key(json, at, &key_end, &escaped);
            if (!at) return NULL;
            if (escaped) return fail_as(json, key, UNUSUAL); /* it may spell a key that is looked for */
            field = field_of(scan, key, (size_t)(key_end - key), walk->level);
            if (walk->place < PLACES) walk->place++;
            uint32_t bit = field ? (uint32_t)1 << (field - scan->fields) : 0;
            if (walk->seen & bit) return fail_as(json, key, UNUSUAL); /* the last one of a name counts */
            walk->seen |= bit;
            learnt.seen |= bit;
        }
        if (field && field->kind == TEXT && !field->weak && learnt.count < RUN_TEXTS && at < json->end) {
            const Latest *latest = &scan->latest[field->column];
            Column *column = &scan->records->columns[field->column];
            Cursor behind = skip_same(json, at, latest);
            if (behind) {
                if (!say_text(column, walk->row, latest->id)) return fail_as(json, at, NO_MEMORY);
                learnt.id[learnt.count] = latest->id;
                learnt.column[learnt.count++] = column;
                walk->opened = 0;
                at = behind;
                continue;
            }
        }
        walk->field = field;
        walk->closed = closing && walk->level == 0;
        if (learnt_place < PLACES && (!closing || walk->closed)) {
            learnt.length = at - learnt.text;
            learnt.mask = low_bytes(learnt.length);
            learnt.word = load_word(learnt.text, json->end - learnt.text < 8 ? (size_t)(json->end - learnt.text) : 8) & learnt.mask;
            learnt.field = field;
            learnt.closes = closing;
            learnt.next_place = walk->place;
            scan->runs[learnt_place] = learnt;
        }
        if (!closing || walk->closed) return at;
        walk->level--; /* no run goes beyond the end of an inner object */
        walk->opened = 0;
        learnt = (Run){.text = at, .level = walk->level};
        learnt_place = walk->place;
    }
}

/* One object, from its bracket to behind it. Objects of kind OBJECT are entered, not skipped. */
static Cursor read_record(Scan *scan, Cursor start) {
    Json *json = &scan->json;
    Cursor at = start + 1;
    Walk walk; /* but for the late values, which would take time */
    walk.row = scan->records->count++;
    walk.seen = 0;
    walk.level = walk.closed = walk.place = walk.late_count = 0;
    walk.opened = 1;
    for (;;) {
        Run *run = &scan->runs[walk.place];
        if (follows(json, at, run, &walk)) {
            if (!say_again(run, walk.row)) return fail_as(json, at, NO_MEMORY);
            at += run->length;
            if (run->closes) break;
            walk.seen |= run->seen;
            walk.place = run->next_place;
            walk.field = run->field;
            at = skip_space(at, json->end);
        } else {
            at = learn(scan, &walk, at);
            if (!at) return NULL;
            if (walk.closed) break;
        }
        const Field *field = walk.field;
        walk.opened = field && field->kind == OBJECT && at < json->end && *at == '{';
        if (walk.opened) {
            walk.level++;
            at++;
            continue;
        }
        if (field && field->weak) {
            walk.late[walk.late_count].field = field;
            walk.late[walk.late_count++].at = at;
            field = NULL;
        }
        at = read_value(scan, at, field, walk.row);
        if (!at) return NULL;
        if (field && field->kind == TEXT && scan->latest[field->column].repeats == STEADY) run->length = 0; /* learn it with the text */
    }
    for (int i = 0; i < walk.late_count; i++) {
        const Field *weak = walk.late[i].field;
        if (is_missing(&scan->records->columns[weak->column], weak->kind, walk.row) && !read_any_value(scan, walk.late[i].at, weak, walk.row))
            return NULL;
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
        free(records->columns[i].known);
        records->columns[i].known = NULL;
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
        free(records->columns[i].known);
        forget_names(&records->columns[i].names);
    }
    free(records->members);
    memset(records, 0, sizeof *records);
}
