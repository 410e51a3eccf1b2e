/* The events of a speedscope profile, `{"type":"O","frame":3,"at":1.5}`, become calls: whatever opens has to be innermost when it
 * closes. Any order of the three members is read, with spaces or without; what is written in another way is left to the caller.
 */
#include "doubles.h"

/* Zeroed by the caller; give it to forget_calls, without the columns that were taken. */
typedef struct {
    double *at; /* of each event */
    int32_t *opened, *closed, *frame, *parent; /* of each call: its events (-1: it is open at the end), and its caller (-1: none) */
    int64_t events, count;
} Calls;

enum { LEAST_EVENT_BYTES = 29 };
enum { HAS_TYPE = 1, HAS_FRAME = 2, HAS_AT = 4, HAS_ALL = 7 };

typedef struct {
    double at;
    int32_t frame;
    uint8_t type;
} Event;

/* Behind a key and its colon, or NULL where another one stands at `at`. */
static inline Cursor behind_key(Cursor at, Cursor end, const char *key, int64_t length) {
    if (end - at <= length || memcmp(at, key, (size_t)length) != 0) return NULL;
    at += length;
    if (*at != ':') {
        at = skip_space(at, end);
        if (at >= end || *at != ':') return NULL;
    }
    return skip_space(at + 1, end);
}

/* Behind the event at `at`; NULL where it is written in another way. */
static inline Cursor read_event(Cursor at, Cursor end, Event *event) {
    int seen = 0;
    for (int members = 0;; members++) {
        at = skip_space(at + 1, end); /* behind the bracket or a comma */
        if (end - at < 4) return NULL;
        Cursor value;
        if (at[1] == 't' && (value = behind_key(at, end, "\"type\"", 6))) {
            if (end - value < 3 || value[0] != '"' || value[2] != '"') return NULL;
            event->type = value[1];
            seen |= HAS_TYPE;
            at = value + 3;
        } else if (at[1] == 'f' && (value = behind_key(at, end, "\"frame\"", 7))) {
            at = read_integer(value, end, &event->frame);
            seen |= HAS_FRAME;
        } else if (at[1] == 'a' && (value = behind_key(at, end, "\"at\"", 4))) {
            at = read_double(value, end, &event->at);
            seen |= HAS_AT;
        } else {
            return NULL;
        }
        if (!at) return NULL;
        at = skip_space(at, end);
        if (at >= end) return NULL;
        if (*at != ',') break;
        if (members == 2) return NULL; /* a name stands twice */
    }
    return *at == '}' && seen == HAS_ALL ? at + 1 : NULL;
}

/* The array of events that `data` is. UNUSUAL: it is written in another way, an event closes what is not innermost, or calls are
 * deeper than allowed. */
EXPORT int64_t scan_calls(Cursor data, int64_t length, int64_t max_depth, Calls *calls) {
    Cursor end = data + length, at = skip_space(data, end);
    int64_t most = length / LEAST_EVENT_BYTES + 1, open = 0; /* what is not written to takes no memory */
    if (at >= end || *at != '[' || most > INT32_MAX) return UNUSUAL;
    at = skip_space(at + 1, end);
    int32_t *stack = malloc((size_t)(max_depth < most ? max_depth : most) * sizeof *stack + 1), *columns[4];
    for (int i = 0; i < 4; i++) columns[i] = in_huge_pages(malloc((size_t)most * sizeof(int32_t)), (size_t)most * sizeof(int32_t));
    calls->at = in_huge_pages(malloc((size_t)most * sizeof(double)), (size_t)most * sizeof(double));
    calls->opened = columns[0];
    calls->closed = columns[1];
    calls->frame = columns[2];
    calls->parent = columns[3];
    int outcome = stack && calls->at && columns[0] && columns[1] && columns[2] && columns[3] ? OK : NO_MEMORY;
    int32_t number = 0, count = 0;
    while (outcome == OK) {
        Event event = {0};
        if (at >= end || *at != '{' || !(at = read_event(at, end, &event))) {
            outcome = number == 0 && at && at < end && *at == ']' ? OK : UNUSUAL;
            break;
        }
        calls->at[number] = event.at;
        if (event.type == 'O' && open < max_depth) {
            calls->opened[count] = number;
            calls->closed[count] = -1;
            calls->frame[count] = event.frame;
            calls->parent[count] = open ? stack[open - 1] : -1;
            stack[open++] = count++;
        } else if (event.type == 'C' && open && calls->frame[stack[open - 1]] == event.frame) {
            calls->closed[stack[--open]] = number;
        } else {
            outcome = UNUSUAL;
        }
        number++;
        at = skip_space(at, end);
        if (at >= end || *at != ',') break;
        at = skip_space(at + 1, end);
    }
    free(stack);
    calls->events = number;
    calls->count = count;
    if (outcome != OK) return outcome;
    return at < end && *at == ']' && skip_space(at + 1, end) == end ? OK : UNUSUAL;
}

EXPORT void forget_calls(Calls *calls) {
    free(calls->at);
    free(calls->opened);
    free(calls->closed);
    free(calls->frame);
    free(calls->parent);
    memset(calls, 0, sizeof *calls);
}
