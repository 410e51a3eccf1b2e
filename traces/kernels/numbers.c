/* JSON arrays of numbers become columns: samples and time deltas of V8 profiles, stacks and weights of speedscope files. */
#include "json.h"

/* Zeroed by the caller; give it to forget_numbers, without the columns that were taken. */
typedef struct {
    int64_t *items, *ends; /* `ends[i]`: the number of items up to the end of array i */
    int64_t item_count, end_count, item_room, end_room;
    int64_t fault_at;
} Numbers;

/* The array at `at`: its numbers times 10**scale. UNUSUAL: something else is in it, or a fraction that `exact` forbids. */
static Cursor read_numbers(Json *json, Cursor at, int scale, int exact, Numbers *numbers) {
    Cursor end = json->end;
    at = skip_space(at + 1, end);
    if (at < end && *at == ']') return at + 1;
    for (;;) {
        if (at >= end) return fail(json, at);
        if (!is_digit(*at) && *at != '-') return fail_as(json, at, UNUSUAL);
        Cursor start = at;
        int64_t value;
        at = read_scaled(json, at, scale, &value);
        if (!at) return NULL;
        if (exact)
            for (Cursor byte = start; byte < at; byte++)
                if (*byte == '.' || (*byte | 0x20) == 'e') return fail_as(json, start, UNUSUAL);
        if (numbers->item_count >= numbers->item_room &&
            !grow((void **)&numbers->items, &numbers->item_room, numbers->item_count + 1, sizeof(int64_t)))
            return fail_as(json, at, NO_MEMORY);
        numbers->items[numbers->item_count++] = value;
        if (at < end && *at == ',' && end - at > 1 && is_digit(at[1])) {
            at++;
            continue;
        }
        at = skip_space(at, end);
        if (at >= end) return fail(json, at);
        if (*at == ']') return at + 1;
        if (*at != ',') return fail(json, at);
        at = skip_space(at + 1, end);
    }
}

static int end_array(Numbers *numbers) {
    if (!grow((void **)&numbers->ends, &numbers->end_room, numbers->end_count + 1, sizeof(int64_t))) return 0;
    numbers->ends[numbers->end_count++] = numbers->item_count;
    return 1;
}

/* The value at `at`: an array of numbers, or of such arrays. */
static Cursor read_arrays(Json *json, Cursor at, int scale, int exact, int nested, Numbers *numbers) {
    if (at >= json->end) return fail(json, at);
    if (*at != '[') return fail_as(json, at, UNUSUAL);
    if (!nested) {
        at = read_numbers(json, at, scale, exact, numbers);
        return at && !end_array(numbers) ? fail_as(json, at, NO_MEMORY) : at;
    }
    at = skip_space(at + 1, json->end);
    if (at < json->end && *at == ']') return at + 1;
    for (;;) {
        if (at >= json->end) return fail(json, at);
        if (*at != '[') return fail_as(json, at, UNUSUAL);
        at = read_numbers(json, at, scale, exact, numbers);
        if (!at) return NULL;
        if (!end_array(numbers)) return fail_as(json, at, NO_MEMORY);
        at = skip_space(at, json->end);
        if (at >= json->end) return fail(json, at);
        if (*at == ']') return at + 1;
        if (*at != ',') return fail(json, at);
        at = skip_space(at + 1, json->end);
    }
}

/* The arrays at these slices of the document, one after another. */
EXPORT int64_t scan_numbers(Cursor data, int64_t length, const int64_t *offsets, const int64_t *lengths, int64_t count,
                        int64_t scale, int64_t exact, int64_t nested, Numbers *numbers) {
    for (int64_t i = 0; i < count; i++) {
        if (offsets[i] < 0 || lengths[i] < 0 || offsets[i] > length || lengths[i] > length - offsets[i]) return OUT_OF_RANGE;
        Json json = {data, data + offsets[i] + lengths[i], NULL, OK};
        Cursor at = skip_space(data + offsets[i], json.end);
        at = read_arrays(&json, at, (int)scale, (int)exact, (int)nested, numbers);
        if (at && (at = skip_space(at, json.end)) != json.end) at = fail(&json, at);
        if (!at) {
            numbers->fault_at = json.fault_at - data;
            return json.fault;
        }
    }
    return OK;
}

EXPORT void forget_numbers(Numbers *numbers) {
    free(numbers->items);
    free(numbers->ends);
    memset(numbers, 0, sizeof *numbers);
}
