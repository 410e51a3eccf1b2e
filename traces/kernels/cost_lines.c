/* Callgrind's lines: functions, what each cost itself, and what each caller paid for each callee, by thread.
 *
 * Format: https://valgrind.org/docs/manual/cl-format.html. Costs are added in the order of their lines.
 */
#include "cost_tables.h"

enum { MOST_DIGITS = 18, MOST_DECIMALS = 9, MAX_EVENTS = 256 };

/* Why there are no columns; traces/kernels/cost_lines.py names the same numbers. */
enum { NO_EVENTS = 1, TOO_MANY_EVENTS = 2, OTHER_EVENTS = 3, TOO_MANY_THREADS = 4 };

/* Part of the source. */
typedef struct {
    Cursor at, end;
} Text;

/* Zeroed by the caller; give it to forget_costs, without the columns that were taken. */
typedef struct {
    Part *parts;
    int64_t parts_room, count, unread, fault;
    int64_t most_parts; /* beyond which it is MALFORMED */
    int64_t gives_back; /* a cost with a minus is 0, and counts in `given_back` */
    int64_t given_back;
    Names names, threads;
} Costs;

/* Where the next cost line belongs; texts are rows of the names, -1: none. */
typedef struct {
    int32_t object, file, inlined, function, callee_object, callee_file, callee;
    int64_t times; /* -1, or the next cost line is what so many calls cost */
} Position;

/* All that lines change. `part` is -1 until a line needs one. */
typedef struct {
    Cursor data;
    Costs *costs;
    int64_t part, positions;
    Text events, thread;
    Position at;
    double before[MAX_EVENTS]; /* of the cost line before, of which there were `before_count` */
    int64_t before_count;
} Reading;

static inline int is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

static inline int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

static inline Text stripped(Text text) {
    while (text.at < text.end && is_space(*text.at)) text.at++;
    while (text.end > text.at && is_space(text.end[-1])) text.end--;
    return text;
}

/* The next word of a text, which then begins behind it; empty at its end. */
static inline Text next_word(Text *text) {
    Cursor at = text->at;
    while (at < text->end && is_space(*at)) at++;
    Text word = {at, at};
    while (word.end < text->end && !is_space(*word.end)) word.end++;
    text->at = word.end;
    return word;
}

static inline int is_word(Text text, const char *word) {
    size_t length = strlen(word);
    return (size_t)(text.end - text.at) == length && memcmp(text.at, word, length) == 0;
}

static int64_t count_words(Text text) {
    int64_t count = 0;
    for (Text word = next_word(&text); word.at < word.end; word = next_word(&text)) count++;
    return count;
}

static int same_words(Text left, Text right) {
    for (;;) {
        Text one = next_word(&left), other = next_word(&right);
        if (one.end - one.at != other.end - other.at || memcmp(one.at, other.at, (size_t)(one.end - one.at))) return 0;
        if (one.at == one.end) return 1;
    }
}

/* The row of a text; -1 when memory is out. */
static inline int32_t text_row(Reading *reading, Text text) {
    if (text.end - text.at > MAX_TOKEN_BYTES) return -1;
    return intern(&reading->costs->names, reading->data, text.at, (size_t)(text.end - text.at));
}

/* The place among a thread's compressed names of those digits; -1 when memory is out. Numbers need no look at the source. */
static int32_t id_of(Reading *reading, Part *part, int kind, Text digits, int *is_new) {
    int32_t number = 0;
    if (digits.end - digits.at <= 9 && (*digits.at != '0' || digits.end - digits.at == 1)) {
        for (Cursor at = digits.at; at < digits.end; at++) number = number * 10 + (*at - '0');
        return numbered(part, kind, number, is_new);
    }
    if (digits.end - digits.at > MAX_TOKEN_BYTES) return -1;
    int32_t id = intern(&part->ids[kind], reading->data, digits.at, (size_t)(digits.end - digits.at));
    return id < 0 ? -1 : find_row(&part->by_number, &part->texts_count, (int32_t[]){id, kind, 1}, is_new);
}

/* The row of a name that may be compressed: `(12) name` says what `(12)` is from then on. -1 when memory is out. */
static int32_t name_row(Reading *reading, Text text, int kind) {
    Part *part = &reading->costs->parts[reading->part];
    Cursor digits = text.at + 1, end = digits;
    if (text.at == text.end || *text.at != '(') return text_row(reading, text);
    while (end < text.end && is_digit(*end)) end++;
    if (end == digits || end == text.end || *end != ')' || (end + 1 < text.end && end[1] != ' ')) return text_row(reading, text);
    Text name = {end + 2 < text.end ? end + 2 : text.end, text.end};
    int is_new = 0;
    int32_t id = id_of(reading, part, kind, (Text){digits, end}, &is_new);
    if (id < 0 || !grow((void **)&part->texts, &part->texts_room, id + 1, sizeof(int32_t))) return -1;
    if (name.at < name.end || is_new) { /* one that nobody has named is called by its number */
        int32_t row = text_row(reading, name.at < name.end ? name : (Text){text.at, end + 1});
        if (row < 0) return -1;
        part->texts[id] = row;
    }
    return part->texts[id];
}

/* The thread that lines from here on are of; an outcome. */
static int need_part(Reading *reading) {
    Costs *costs = reading->costs;
    int64_t width = count_words(reading->events);
    if (width == 0 || width > MAX_EVENTS) {
        costs->fault = width ? TOO_MANY_EVENTS : NO_EVENTS;
        return MALFORMED;
    }
    int64_t length = reading->thread.end - reading->thread.at;
    int32_t found = length > MAX_TOKEN_BYTES ? -1 : intern(&costs->threads, reading->data, reading->thread.at, (size_t)length);
    if (found < 0) return NO_MEMORY;
    if (found >= costs->most_parts) {
        costs->fault = TOO_MANY_THREADS;
        return MALFORMED;
    }
    if (found == costs->count) {
        if (!grow((void **)&costs->parts, &costs->parts_room, found + 1, sizeof(Part))) return NO_MEMORY;
        costs->parts[costs->count++] = (Part){.thread_at = reading->thread.at - reading->data, .thread_length = length,
            .events_at = reading->events.at - reading->data, .events_length = reading->events.end - reading->events.at, .width = width};
    }
    Cursor events = reading->data + costs->parts[found].events_at;
    if (!same_words((Text){events, events + costs->parts[found].events_length}, reading->events)) {
        costs->fault = OTHER_EVENTS;
        return MALFORMED;
    }
    int32_t nothing = text_row(reading, (Text){reading->data, reading->data});
    if (nothing < 0) return NO_MEMORY;
    reading->part = found;
    reading->at = (Position){.object = nothing, .file = nothing, .inlined = nothing, .function = -1, .callee_object = -1,
        .callee_file = -1, .callee = -1, .times = -1};
    return OK;
}

/* A line `key: value`: whether lines behind it may be another thread's. */
static int read_header(Reading *reading, Text line) {
    Cursor colon = memchr(line.at, ':', (size_t)(line.end - line.at));
    Text key = {line.at, colon}, value = {colon + 1, line.end};
    if (is_word(key, "events"))
        reading->events = value;
    else if (is_word(key, "positions"))
        reading->positions = count_words(value) > 1 ? count_words(value) : 1;
    else if (is_word(key, "thread"))
        reading->thread = stripped(value);
    else
        return is_word(key, "part") || is_word(key, "version");
    return 1;
}

static int read_calls(Reading *reading, Text value) {
    Text word = next_word(&value);
    int64_t times = 0;
    Cursor at = word.at;
    while (at < word.end && is_digit(*at) && at - word.at < MOST_DIGITS) times = times * 10 + (*at++ - '0');
    if (reading->at.callee < 0 || at == word.at || at < word.end)
        reading->costs->unread++;
    else
        reading->at.times = times;
    return OK;
}

/* A key of at most five letters as a number; 0 for another one. */
static inline uint64_t key_of(Text key) {
    uint64_t number = 0;
    if (key.end - key.at > 5) return 0;
    for (Cursor at = key.end; at > key.at;) {
        if (*--at == 0) return 0;
        number = number << 8 | *at;
    }
    return number;
}

#define KEY(a, b, c, d) ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)

/* A line `key=value`; an outcome, or -1 for a key that is none of the format's. */
static int read_specification(Reading *reading, Text key, Text value) {
    uint64_t word = key_of(key);
    int kind = KINDS;
    switch (word) {
    case KEY('f', 'n', 0, 0): case KEY('c', 'f', 'n', 0): case KEY('j', 'f', 'n', 0): kind = FUNCTIONS; break;
    case KEY('f', 'l', 0, 0): case KEY('f', 'i', 0, 0): case KEY('f', 'e', 0, 0): case KEY('c', 'f', 'i', 0): case KEY('c', 'f', 'l', 0):
    case KEY('j', 'f', 'i', 0): kind = FILES; break;
    case KEY('o', 'b', 0, 0): case KEY('c', 'o', 'b', 0): kind = OBJECTS; break;
    case KEY('j', 'u', 'm', 'p'): case KEY('j', 'c', 'n', 'd'): case KEY('c', 'a', 'l', 'l') | (uint64_t)'s' << 32: break;
    default: return -1;
    }
    int outcome = reading->part < 0 ? need_part(reading) : OK;
    if (outcome != OK) return outcome;
    if (kind == KINDS) return *key.at == 'c' ? read_calls(reading, value) : OK;
    Position *at = &reading->at;
    int32_t name = name_row(reading, value, kind); /* a jump may be the first to give a name */
    if (name < 0) return NO_MEMORY;
    Part *part = &reading->costs->parts[reading->part];
    switch (word) {
    case KEY('f', 'n', 0, 0):
        at->function = function_of(part, name, at->file, at->object);
        at->times = -1;
        return at->function < 0 ? NO_MEMORY : OK;
    case KEY('c', 'f', 'n', 0): {
        int32_t file = at->callee_file < 0 ? at->inlined : at->callee_file, object = at->callee_object < 0 ? at->object : at->callee_object;
        at->callee = function_of(part, name, file, object);
        at->callee_file = at->callee_object = -1;
        if (at->callee >= 0) come_near_call(part, at->function, at->callee);
        return at->callee < 0 ? NO_MEMORY : OK;
    }
    case KEY('f', 'l', 0, 0): at->file = at->inlined = name; return OK;
    case KEY('f', 'i', 0, 0): case KEY('f', 'e', 0, 0): at->inlined = name; return OK;
    case KEY('o', 'b', 0, 0): at->object = name; return OK;
    case KEY('c', 'o', 'b', 0): at->callee_object = name; return OK;
    case KEY('c', 'f', 'i', 0): case KEY('c', 'f', 'l', 0): at->callee_file = name; return OK;
    default: return OK;
    }
}

/* A number of at most 18 digits and 9 decimals; 0 when the text is none. */
static int read_number(Text text, double *number) {
    uint64_t digits = 0, scale = 1;
    Cursor at = text.at;
    while (at < text.end && is_digit(*at)) digits = digits * 10 + (*at++ - '0');
    if (at == text.at || at - text.at > MOST_DIGITS) return 0;
    if (at == text.end) {
        *number = (double)digits;
        return 1;
    }
    Cursor point = at++;
    if (*point != '.' || at == text.end || text.end - at > MOST_DECIMALS) return 0;
    for (; at < text.end && is_digit(*at); at++) {
        digits = digits * 10 + (*at - '0'); /* beyond 2^64 it is not looked at */
        scale *= 10;
    }
    if (at < text.end) return 0;
    if (text.end - text.at <= 16 && digits < (uint64_t)1 << 53) { /* both are exact, so that the quotient is the nearest */
        *number = (double)digits / (double)scale;
        return 1;
    }
    char copy[MOST_DIGITS + MOST_DECIMALS + 2] = {0};
    memcpy(copy, text.at, (size_t)(text.end - text.at));
    *number = strtod(copy, NULL);
    return 1;
}

/* One cost, which may count from that of the line before; 0 when it is none. With `given_back` one with a minus is 0, and counted. */
static int read_cost(Text word, double before, double *cost, int64_t *given_back) {
    *cost = before;
    if (word.end - word.at == 1 && *word.at == '*') return 1;
    if (*word.at != '+' && *word.at != '-') return read_number(word, cost);
    double by = 0;
    if (!read_number((Text){word.at + 1, word.end}, &by)) return 0;
    if (given_back && *word.at == '-') {
        ++*given_back;
        *cost = 0;
        return 1;
    }
    *cost = *word.at == '+' ? before + by : before - by;
    return *cost >= 0;
}

/* The costs of a line of plain numbers, how many; -1 for any other line, and for more costs than there may be. */
static int64_t plain_costs(const Reading *reading, Text line, int64_t width, double *costs) {
    Cursor at = line.at, end = line.end;
    for (int64_t i = 0; i < reading->positions; i++) {
        while (at < end && !is_space(*at)) at++;
        while (at < end && is_space(*at)) at++;
    }
    int64_t count = 0;
    while (at < end) {
        uint64_t digits = 0;
        Cursor first = at;
        while (at < end && is_digit(*at)) digits = digits * 10 + (*at++ - '0');
        if (at == first || at - first > MOST_DIGITS || (at < end && !is_space(*at)) || count == width) return -1;
        costs[count++] = (double)digits;
        while (at < end && is_space(*at)) at++;
    }
    return count;
}

static int read_costs(Reading *reading, Text line) {
    Part *part = &reading->costs->parts[reading->part];
    Position *at = &reading->at;
    double costs[MAX_EVENTS];
    int64_t count = plain_costs(reading, line, part->width, costs), given_back = 0;
    int is_read = 1;
    if (count < 0) {
        count = 0;
        for (int64_t i = 0; i < reading->positions; i++) next_word(&line);
        for (Text word = next_word(&line); is_read && word.at < word.end; word = next_word(&line), count++)
            is_read = count < part->width && read_cost(word, count < reading->before_count ? reading->before[count] : 0, &costs[count],
                                                     reading->costs->gives_back ? &given_back : NULL);
    }
    if (!is_read) {
        reading->costs->unread++;
        at->times = -1;
        return OK;
    }
    reading->costs->given_back += given_back;
    memcpy(reading->before, costs, (size_t)count * sizeof *costs);
    reading->before_count = count;
    if (at->times < 0) {
        for (int64_t k = 0; k < count; k++) part->own[at->function * part->width + k] += costs[k];
        return OK;
    }
    int32_t call = call_of(part, at->function, at->callee);
    if (call < 0) return NO_MEMORY;
    double *paid = part->paid + call * (part->width + 1);
    for (int64_t k = 0; k < count; k++) paid[k] += costs[k];
    paid[part->width] += (double)at->times;
    part->times[at->callee] += (double)at->times;
    at->times = -1;
    at->callee = -1;
    return OK;
}

static int read_line(Reading *reading, Text line) {
    if (line.at < line.end && (is_digit(*line.at) || *line.at == '+' || *line.at == '-' || *line.at == '*')) {
        if (reading->part >= 0 && reading->at.function >= 0) return read_costs(reading, line);
        reading->costs->unread++;
        return OK;
    }
    line = stripped(line);
    if (line.at == line.end) return OK;
    Cursor equals = memchr(line.at, '=', (size_t)(line.end - line.at)), key_end = equals ? equals : line.end;
    if (equals) {
        int outcome = read_specification(reading, (Text){line.at, equals}, (Text){equals + 1, line.end});
        if (outcome >= 0) return outcome;
    }
    if (memchr(line.at, ':', (size_t)(key_end - line.at))) {
        if (read_header(reading, line)) reading->part = -1;
    } else if (key_end > line.at && *line.at != '#')
        reading->costs->unread++;
    return OK;
}

/* Read all lines. MALFORMED: `fault` says why. */
EXPORT int64_t scan_costs(Cursor data, int64_t length, Counter *read, Costs *costs) {
    Cursor end = data + length;
    Reading reading = {.data = data, .costs = costs, .part = -1, .positions = 1, .events = {data, data}, .thread = {data, data}};
    int outcome = OK;
    for (Cursor line = data; outcome == OK && line < end;) {
        Cursor next = memchr(line, '\n', (size_t)(end - line)), stop = next ? next : end;
        outcome = read_line(&reading, (Text){line, stop});
        line = next ? next + 1 : end;
        advance(read, line - data);
    }
    return outcome;
}

EXPORT void forget_costs(Costs *costs) {
    for (int64_t i = 0; i < costs->count; i++) {
        Part *part = &costs->parts[i];
        void *columns[] = {part->name, part->file, part->object, part->own, part->times, part->caller, part->callee, part->paid,
            part->by_key.rows, part->by_ends.rows, part->by_number.rows, part->texts};
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) free(columns[k]);
        for (int kind = 0; kind < KINDS; kind++) {
            forget_names(&part->ids[kind]);
            free(part->of_number[kind]);
        }
    }
    free(costs->parts);
    forget_names(&costs->names);
    forget_names(&costs->threads);
    memset(costs, 0, sizeof *costs);
}
