/* A JSON array of objects becomes columns: trace events, nodes of V8 profiles, events and frames of speedscope files.
 *
 * The array is the document itself, or a member of the document's object. The caller says which members of the records
 * matter and what becomes of them; everything else is checked to be JSON and skipped.
 */
#include "record.h"

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
                clear_row(scan, --records->count);
                records->unterminated = 1;
                return json->end;
            }
            if (!at) return NULL;
            if (scan->read) advance(scan->read, at - json->begin);
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

static int is_name(Cursor key, Cursor key_end, int escaped, const uint8_t *name, size_t name_length) {
    uint8_t spelled[MAX_KEY_BYTES + 8];
    size_t length = (size_t)(key_end - key);
    if (escaped) {
        length = unescape_key(key, key_end, spelled);
        key = spelled;
    }
    return length == name_length && memcmp(key, name, name_length) == 0;
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
        if (is_name(key, key_end, escaped, name, name_length)) {
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

/* Scan a document into `records`, which is zeroed; give the result to forget_records, whatever comes back. */
EXPORT int64_t scan_records(Cursor data, int64_t length, const uint8_t *name, int64_t name_length, const Field *fields,
                        int64_t field_count, int64_t column_count, Counter *read, Records *records) {
    Scan scan = {.json = {data, data + length, NULL, OK}, .read = read, .records = records, .fields = fields,
                 .field_count = (int)field_count, .column_count = (int)column_count};
    if (field_count > MAX_FIELDS || column_count > MAX_FIELDS) return OUT_OF_RANGE;
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
    if (field_count > MAX_FIELDS || column_count > MAX_FIELDS) return OUT_OF_RANGE;
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
