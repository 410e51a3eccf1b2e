/* The events of a speedscope profile, `{"type":"O","frame":3,"at":1.5}`, become calls: whatever opens has to be innermost when it
 * closes. Any order of the three members is read, with spaces or without; what is written in another way is left to the caller.
 */
#include "json.h"

/* Zeroed by the caller; give it to forget_calls, without the columns that were taken. */
typedef struct {
    double *at; /* of each event */
    int32_t *opened, *closed, *frame, *parent; /* of each call: its events (-1: it is open at the end), and its caller (-1: none) */
    int64_t events, count;
} Calls;

enum { LEAST_EVENT_BYTES = 29, MOST_FRAME_DIGITS = 9, EXACT_DIGITS = 15, MOST_DIGITS = 19 };
enum { HAS_TYPE = 1, HAS_FRAME = 2, HAS_AT = 4, HAS_ALL = 7 };

typedef struct {
    double at;
    int32_t frame;
    uint8_t type;
} Event;

static const double TENS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* Digits up to the first byte that is none, MOST_DIGITS + 1 at most; their number grows. */
static inline Cursor read_digits(Cursor at, Cursor end, uint64_t *number, int *digits) {
    if (end - at >= 8) {
        uint64_t word = load_word(at, 8);
        int some = leading_digits(word);
        if (some < 8) {
            *number = *number * POWERS[some] + first_digits(word, some);
            *digits += some;
            return at + some;
        }
    }
    for (; at < end && is_digit(*at) && *digits <= MOST_DIGITS; at++, ++*digits) *number = *number * 10 + (*at - '0');
    return at;
}

/* `number` / 10**`places` as the nearest double, by division of more bits than a double has; `places` is 1 to MOST_DIGITS. */
static __attribute__((noinline)) double nearest_double(uint64_t number, int places) {
    uint64_t divisor = 1;
    for (int i = 0; i < places; i++) divisor *= 10;
    if (!number) return 0;
    int shift = 64 + __builtin_clzll(number);
    __uint128_t shifted = (__uint128_t)number << shift, quotient = shifted / divisor;
    int rest = shifted % divisor != 0, high = quotient >> 64 ? 128 - __builtin_clzll((uint64_t)(quotient >> 64)) : 64 - __builtin_clzll((uint64_t)quotient);
    int dropped = high - 53; /* 11 at least */
    uint64_t kept = (uint64_t)(quotient >> dropped);
    __uint128_t below = quotient & (((__uint128_t)1 << dropped) - 1), half = (__uint128_t)1 << (dropped - 1);
    kept += below > half || (below == half && (rest || kept & 1));
    uint64_t power = (uint64_t)(1023 + dropped - shift) << 52;
    double scale;
    memcpy(&scale, &power, sizeof scale);
    return (double)kept * scale;
}

/* The number at `at` as the nearest double; NULL where it has an exponent, or more digits than are exact. */
static inline Cursor read_double(Cursor at, Cursor end, double *value) {
    int negative = at < end && *at == '-', digits = 0, places = 0;
    uint64_t number = 0;
    at += negative;
    Cursor first = at;
    at = read_digits(at, end, &number, &digits);
    if (!digits || (*first == '0' && digits > 1)) return NULL;
    if (at < end && *at == '.') {
        int before = digits;
        at = read_digits(at + 1, end, &number, &digits);
        places = digits - before;
        if (!places) return NULL;
    }
    if (digits > (places ? MOST_DIGITS : EXACT_DIGITS) || at >= end || is_digit(*at) || (*at | 0x20) == 'e') return NULL;
    *value = digits <= EXACT_DIGITS ? (double)number / TENS[places] : nearest_double(number, places);
    if (negative && (number || places)) *value = -*value;
    return at;
}

static inline Cursor read_frame(Cursor at, Cursor end, int32_t *frame) {
    Cursor first = at;
    uint64_t number = 0;
    int digits = 0;
    at = read_digits(at, end, &number, &digits);
    if (!digits || digits > MOST_FRAME_DIGITS || (*first == '0' && digits > 1)) return NULL;
    if (at >= end || *at == '.' || (*at | 0x20) == 'e') return NULL;
    *frame = (int32_t)number;
    return at;
}

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
            at = read_frame(value, end, &event->frame);
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
