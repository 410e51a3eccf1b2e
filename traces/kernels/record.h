/* One record: a JSON object whose requested members become the cells of a row. */
#ifndef FLAMECHAT_RECORD_H
#define FLAMECHAT_RECORD_H

#include "cells.h"

/* Where the reading of a record has come to: before a member or a closing bracket, or before the value of `field`. */
typedef struct {
    int64_t row;
    const Field *field;
    uint32_t seen;
    int level, opened, closed, place, late_count;
    int repeated; /* a name stands twice */
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
            field = escaped ? field_of_escaped(scan, key, key_end, walk->level)
                            : field_of(scan, key, (size_t)(key_end - key), json->end - key, walk->level);
            if (walk->place < PLACES) walk->place++;
            uint32_t bit = field ? (uint32_t)1 << (field - scan->fields) : 0;
            if (walk->seen & bit) {
                walk->repeated = 1;
                return NULL;
            }
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

static void know_nothing(Scan *scan) {
    for (int i = 0; i < MAX_FIELDS; i++) scan->latest[i].id = scan->changed_row[i] = -1;
    for (int i = 0; i < PLACES; i++) scan->runs[i].length = 0;
}

/* A row says nothing again, with the texts and items that it was the first to bring. */
static void clear_row(Scan *scan, int64_t row) {
    int gone = 0;
    for (int i = 0; i < scan->column_count; i++) {
        Column *column = &scan->records->columns[i];
        int kind = scan->column_kind[i];
        if (row < column->filled) {
            if (kind != TEXT) column->values[row] = kind == SCALED ? MISSING : 0;
            if (kind != SCALED) set_id(column, row, kind == TEXT ? -1 : 0);
        }
        if (scan->changed_row[i] != row) continue;
        if (kind == TEXT) {
            while (column->names.count > scan->count_before[i]) forget_last_name(&column->names);
            for (int k = 0; column->known && k < 1 << KNOWN_BITS; k++)
                if (column->known[k].id >= column->names.count) column->known[k].text = NULL;
            gone = 1;
        } else {
            column->item_count = scan->count_before[i];
        }
    }
    if (gone) know_nothing(scan);
}

/* A record in which a name stands twice: the last one counts, and of an object only what that one holds. */
static __attribute__((noinline)) Cursor read_repeating(Scan *scan, Cursor start, int64_t row) {
    Json *json = &scan->json;
    Cursor at = start + 1, value[MAX_FIELDS] = {NULL};
    int level = 0, opened = 1;
    clear_row(scan, row);
    for (;;) {
        Cursor key_end;
        int escaped = 0;
        at = skip_space(at, json->end);
        if (at < json->end && *at == '}') {
            at++;
            opened = 0;
            if (level-- == 0) break;
            continue;
        }
        if (!opened) {
            if (at >= json->end || *at != ',') return fail(json, at);
            at = skip_space(at + 1, json->end);
        }
        opened = 0;
        Cursor key = at + 1;
        at = skip_key(json, at, &key_end, &escaped);
        if (!at) return NULL;
        const Field *field = field_of_escaped(scan, key, key_end, level);
        if (field && field->kind == OBJECT) {
            for (int i = 0; i < scan->field_count; i++)
                if (scan->fields[i].level > level) value[i] = NULL;
            if (at < json->end && *at == '{') {
                level++;
                opened = 1;
                at++;
                continue;
            }
        } else if (field) {
            value[field - scan->fields] = at;
        }
        /* Lists are checked where they stand, as in other records. */
        at = field && field->kind == INTEGERS ? read_integers(scan, at, field, row) : skip_value(json, at);
        if (!at) return NULL;
    }
    clear_row(scan, row);
    for (int weak = 0; weak < 2; weak++)
        for (int i = 0; i < scan->field_count; i++) {
            const Field *field = &scan->fields[i];
            if (!value[i] || field->weak != weak || (weak && !is_missing(&scan->records->columns[field->column], field->kind, row))) continue;
            if (!read_any_value(scan, value[i], field, row)) return NULL;
        }
    return at;
}

/* One object, from its bracket to behind it. Objects of kind OBJECT are entered, not skipped. */
static Cursor read_record(Scan *scan, Cursor start) {
    Json *json = &scan->json;
    Cursor at = start + 1;
    Walk walk; /* but for the late values, which would take time */
    walk.row = scan->records->count++;
    walk.seen = 0;
    walk.level = walk.closed = walk.place = walk.late_count = walk.repeated = 0;
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
            if (!at) return walk.repeated ? read_repeating(scan, start, walk.row) : NULL;
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


#endif
