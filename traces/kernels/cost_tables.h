/* What callgrind's lines are added up in: a thread's functions, and what callers paid for callees. A part of cost_lines.c. */
#ifndef FLAMECHAT_COST_TABLES_H
#define FLAMECHAT_COST_TABLES_H

#include "bytes.h"

enum { FILES, FUNCTIONS, OBJECTS, KINDS };

/* A row that is found by three numbers; row 0 is a free slot, others are one more than they are. */
typedef struct {
    int32_t key[3], row;
} Slot;

typedef struct {
    Slot *rows;
    int64_t count; /* a power of two, or 0 */
} Slots;

/* What one thread did. Rows are in order of first appearance; a row of `own` has `width` costs, one of `paid` the number of calls
 * behind them.  */
typedef struct {
    int64_t thread_at, thread_length, events_at, events_length, width;
    int32_t *name, *file, *object; /* of functions, as rows of the texts */
    double *own, *times;
    int32_t *caller, *callee;
    double *paid;
    int64_t name_room, file_room, object_room, own_room, times_room, caller_room, callee_room, paid_room;
    int64_t functions, calls;
    Slots by_key, by_ends, by_number; /* functions, calls, compressed names by kind and number */
    Names ids[KINDS];                 /* the digits of compressed names that are written in other ways */
    int32_t *texts;                   /* which text each compressed name stands for, by the order in which they were met */
    int64_t texts_room, texts_count;
    int32_t *of_number[KINDS]; /* one more than the place of a compressed name, by its number; 0: ask by_number */
    int64_t of_number_room[KINDS];
} Part;

static inline uint64_t slot_of(const int32_t key[3]) {
    uint64_t hash = hash_pair((uint32_t)key[0], (uint32_t)key[1]) ^ (uint64_t)(uint32_t)key[2] * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* A row found by its key, which is a new one, with the count gone up, if there was none; -1 when memory is out. */
static int32_t find_row(Slots *slots, int64_t *count, const int32_t key[3], int *is_new) {
    if (*count * 2 >= slots->count) {
        int64_t more = slots->count ? slots->count * 2 : 256;
        Slot *fresh = new_table(more, sizeof *fresh);
        if (!fresh || *count >= INT32_MAX - 1) {
            free(fresh);
            return -1;
        }
        for (int64_t i = 0; i < slots->count; i++) {
            if (!slots->rows[i].row) continue;
            uint64_t at = slot_of(slots->rows[i].key) & (uint64_t)(more - 1);
            while (fresh[at].row) at = (at + 1) & (uint64_t)(more - 1);
            fresh[at] = slots->rows[i];
        }
        free(slots->rows);
        *slots = (Slots){fresh, more};
    }
    uint64_t mask = (uint64_t)slots->count - 1, at = slot_of(key) & mask;
    for (Slot *slot; (slot = &slots->rows[at])->row; at = (at + 1) & mask)
        if (memcmp(slot->key, key, sizeof slot->key) == 0) return slot->row - 1;
    *is_new = 1;
    memcpy(slots->rows[at].key, key, sizeof slots->rows[at].key);
    slots->rows[at].row = (int32_t)++*count;
    return (int32_t)*count - 1;
}

enum { LEAST_NUMBERS = 4096 };

/* The place of the compressed name of a number; -1 when memory is out. Numbers that are not much larger than there are names,
 * as Valgrind gives them, have a column. */
static int32_t numbered(Part *part, int kind, int32_t number, int *is_new) {
    if (number < part->of_number_room[kind] && part->of_number[kind][number]) return part->of_number[kind][number] - 1;
    int32_t id = find_row(&part->by_number, &part->texts_count, (int32_t[]){number, kind, 0}, is_new);
    if (id < 0 || number >= part->texts_count * 2 + LEAST_NUMBERS) return id;
    int64_t room = part->of_number_room[kind];
    if (!grow((void **)&part->of_number[kind], &part->of_number_room[kind], number + 1, sizeof(int32_t))) return -1;
    if (part->of_number_room[kind] > room)
        memset(part->of_number[kind] + room, 0, (size_t)(part->of_number_room[kind] - room) * sizeof(int32_t));
    part->of_number[kind][number] = id + 1;
    return id;
}

/* The thread's number of a function; -1 when memory is out. */
static int32_t function_of(Part *part, int32_t name, int32_t file, int32_t object) {
    int is_new = 0;
    int32_t row = find_row(&part->by_key, &part->functions, (int32_t[]){name, file, object}, &is_new);
    if (row < 0 || !is_new) return row;
    int64_t room = part->functions;
    if (!grow((void **)&part->name, &part->name_room, room, sizeof(int32_t)) || !grow((void **)&part->file, &part->file_room, room, sizeof(int32_t)) ||
        !grow((void **)&part->object, &part->object_room, room, sizeof(int32_t)) || !grow((void **)&part->times, &part->times_room, room, sizeof(double)) ||
        !grow((void **)&part->own, &part->own_room, room * part->width, sizeof(double)))
        return -1;
    part->name[row] = name;
    part->file[row] = file;
    part->object[row] = object;
    part->times[row] = 0;
    memset(part->own + row * part->width, 0, (size_t)part->width * sizeof(double));
    return row;
}

/* Where these will be looked for comes near: the costs stand a line or two behind the callee. */
static inline void come_near_call(const Part *part, int32_t caller, int32_t callee) {
    if (part->by_ends.count > WIDE) __builtin_prefetch(&part->by_ends.rows[slot_of((int32_t[]){caller, callee, 0}) & (uint64_t)(part->by_ends.count - 1)], 1);
}

/* Where a caller's costs of a callee are added; -1 when memory is out. */
static int32_t call_of(Part *part, int32_t caller, int32_t callee) {
    int is_new = 0;
    int32_t row = find_row(&part->by_ends, &part->calls, (int32_t[]){caller, callee, 0}, &is_new);
    if (row < 0 || !is_new) return row;
    int64_t room = part->calls;
    if (!grow((void **)&part->caller, &part->caller_room, room, sizeof(int32_t)) || !grow((void **)&part->callee, &part->callee_room, room, sizeof(int32_t)) ||
        !grow((void **)&part->paid, &part->paid_room, room * (part->width + 1), sizeof(double)))
        return -1;
    part->caller[row] = caller;
    part->callee[row] = callee;
    memset(part->paid + row * (part->width + 1), 0, (size_t)(part->width + 1) * sizeof(double));
    return row;
}

#endif
