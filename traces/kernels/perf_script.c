/* `perf script` text: lines of samples and, below each, of its frames, `address symbol+offset (object)`, become columns. */
#include "bytes.h"

/* A text of two parts, which need not be neighbours; `offset[i]` is where part i begins in the source. */
typedef struct {
    int64_t offset[2];
    int32_t length[2];
    uint32_t hash, unused;
} Pair;

/* A line that stood below a frame's, with its end, and its frame: mostly the next one below is the same. */
typedef struct {
    Cursor line;
    int64_t length;
    int32_t frame;
} Below;

/* Distinct pairs in order of first appearance. */
typedef struct {
    Pair *rows;
    int32_t *slots; /* row + 1; 0 is free; `slot_count` is a power of two */
    int64_t count, room, slot_count;
} Pairs;

/* Zeroed by the caller; give it to forget_blocks, without the columns that were taken. */
typedef struct {
    int64_t *time, *period, *ends; /* of samples: nanoseconds, MISSING where not printed, the number of frames up to its last */
    int32_t *thread, *frame;       /* a sample's row of `threads`, and each frame's of `frames` */
    int64_t time_room, period_room, end_room, thread_room, frame_room;
    int64_t count, frame_count, unread; /* lines that are neither */
    Pairs threads, frames; /* command with ids, and event; symbol and object */
    Below *below;          /* of each of `frames` */
    int64_t below_room, below_count;
} Blocks;

/* The parts of a sample's line. */
typedef struct {
    Cursor ids_end, event, event_end, rest, end;
    int64_t time, period;
} Header;

/* The parts of a frame's line; the symbol is without the offset into it. */
typedef struct {
    Cursor symbol, symbol_end, object, object_end;
} Frame;

static const char DELETED[] = " (deleted))";
enum { MOST_DIGITS = 16, MAX_HEADER_BYTES = 1000 };

static inline int is_hex(uint8_t byte) { return (uint8_t)(byte - '0') < 10 || (uint8_t)(byte - 'a') < 6; }

static inline int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

static inline int is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

static inline int is_space(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* The last ` (` of a text, or NULL. */
static inline Cursor last_bracket(Cursor at, Cursor end) {
    for (Cursor back = end; back - at >= 2; back--)
        if (back[-1] == '(' && back[-2] == ' ') return back - 2;
    return NULL;
}

/* Where the symbol ends: without its `+0x1f`. */
static inline Cursor end_of_symbol(Cursor at, Cursor end) {
    Cursor back = end;
    while (back > at && end - back < MOST_DIGITS && is_hex(back[-1])) back--;
    return back < end && back - at >= 3 && back[-1] == 'x' && back[-2] == '0' && back[-3] == '+' ? back - 3 : end;
}

static int is_frame(Cursor at, Cursor end, Frame *frame) {
    Cursor digits = at;
    while (at < end && at - digits <= MOST_DIGITS && is_hex(*at)) at++;
    if (at == digits || at - digits > MOST_DIGITS || at >= end || *at != ' ' || end[-1] != ')') return 0;
    Cursor cut = last_bracket(digits, end);
    if (cut && (size_t)(end - digits) >= sizeof DELETED - 1 && memcmp(end - (sizeof DELETED - 1), DELETED, sizeof DELETED - 1) == 0)
        cut = last_bracket(digits, cut);
    if (!cut || cut <= at + 1) return 0;
    *frame = (Frame){at + 1, end_of_symbol(at + 1, cut), cut + 2, end - 1};
    return 1;
}

static inline Cursor next_word(Cursor at, Cursor end) {
    while (at < end && is_blank(*at)) at++;
    return at;
}

static inline Cursor end_of_word(Cursor at, Cursor end) {
    while (at < end && !is_blank(*at)) at++;
    return at;
}

/* Where a number of at most `most` digits ends; NULL: there is none. */
static inline Cursor read_digits(Cursor at, Cursor end, int64_t most, int64_t *value) {
    Cursor first = at;
    for (*value = 0; at < end && is_digit(*at) && at - first < most; at++) *value = *value * 10 + (*at - '0');
    return at > first ? at : NULL;
}

static inline Cursor read_id(Cursor at, Cursor end) {
    int64_t ignored;
    return read_digits(at < end && *at == '-' ? at + 1 : at, end, 9, &ignored);
}

/* The seconds of a time as nanoseconds; where the word ends, NULL if it is none. */
static Cursor read_time(Cursor at, Cursor end, int64_t *time) {
    int64_t fraction;
    Cursor point = read_digits(at, end, 9, time);
    if (!point || point == end || *point != '.') return NULL;
    Cursor stop = read_digits(point + 1, end, 9, &fraction);
    if (!stop || end - stop < 2 || *stop != ':' || !is_blank(stop[1])) return NULL;
    for (int64_t digits = stop - point - 1; digits < 9; digits++) fraction *= 10;
    *time = *time * 1000000000 + fraction;
    return stop + 1;
}

/* What stands behind the command: `pid/tid [cpu] flags time: period event: rest`, of which cpu, flags and period may be missing. */
static int read_header(Cursor at, Cursor end, Header *header) {
    Cursor stop = read_id(at, end);
    if (stop && stop < end && *stop == '/') stop = read_id(stop + 1, end);
    if (!stop || stop == end || !is_blank(*stop)) return 0;
    header->ids_end = stop;
    at = next_word(stop, end);
    if (*at == '[') {
        for (stop = at + 1; stop < end && is_digit(*stop);) stop++;
        if (stop == at + 1 || end - stop < 2 || *stop != ']' || !is_blank(stop[1])) return 0;
        at = next_word(stop + 1, end);
    }
    if (!is_digit(*at)) {
        for (stop = at; stop < end && ((uint8_t)((*stop | 32) - 'a') < 26 || *stop == '.');) stop++;
        if (stop == at || stop - at > 8 || stop == end || !is_blank(*stop)) return 0;
        at = next_word(stop, end);
    }
    at = read_time(at, end, &header->time);
    if (!at) return 0;
    at = next_word(at, end);
    stop = read_digits(at, end, 18, &header->period);
    if (stop && stop < end && is_blank(*stop))
        at = next_word(stop, end);
    else
        header->period = MISSING;
    stop = end_of_word(at, end);
    if (stop - at < 2 || stop[-1] != ':') return 0;
    for (Cursor byte = at; byte < stop; byte++)
        if (is_space(*byte)) return 0;
    header->event = at;
    header->event_end = stop - 1;
    header->end = end;
    for (header->rest = stop; header->rest < end && is_space(*header->rest);) header->rest++;
    return 1;
}

/* Whether a line is a sample's: the command is as few of its words as leave what is read behind it. */
static int is_header(Cursor at, Cursor end, Header *header) {
    if (end - at > MAX_HEADER_BYTES)
        for (end = at + MAX_HEADER_BYTES; is_space(end[-1]);) end--;
    while ((at = end_of_word(at, end)) < end) {
        int ends_in_space = is_space(at[-1]);
        at = next_word(at, end);
        if (!ends_in_space && read_header(at, end, header)) return 1;
    }
    return 0;
}

static int more_slots(Pairs *pairs) {
    int64_t slot_count = pairs->slot_count ? pairs->slot_count * 4 : 256;
    int32_t *slots = calloc((size_t)slot_count, sizeof *slots);
    if (!slots || pairs->count >= INT32_MAX - 1) {
        free(slots);
        return 0;
    }
    for (int64_t i = 0; i < pairs->count; i++) {
        uint64_t at = pairs->rows[i].hash & (uint64_t)(slot_count - 1);
        while (slots[at]) at = (at + 1) & (uint64_t)(slot_count - 1);
        slots[at] = (int32_t)i + 1;
    }
    free(pairs->slots);
    pairs->slots = slots;
    pairs->slot_count = slot_count;
    return 1;
}

/* The row of a pair of texts, or -1 when memory is out. */
static int32_t intern_pair(Pairs *pairs, Cursor data, Cursor first, int64_t first_length, Cursor second, int64_t second_length) {
    if (pairs->count * 2 >= pairs->slot_count && !more_slots(pairs)) return -1;
    uint32_t hash = (uint32_t)(mix(hash_bytes(first, (size_t)first_length), ~hash_bytes(second, (size_t)second_length)) >> 32);
    uint64_t mask = (uint64_t)pairs->slot_count - 1, at = hash & mask;
    for (; pairs->slots[at]; at = (at + 1) & mask) {
        const Pair *known = pairs->rows + pairs->slots[at] - 1;
        if (known->hash == hash && known->length[0] == first_length && known->length[1] == second_length &&
            same_bytes(data + known->offset[0], first, first_length) && same_bytes(data + known->offset[1], second, second_length))
            return pairs->slots[at] - 1;
    }
    if (!grow((void **)&pairs->rows, &pairs->room, pairs->count + 1, sizeof *pairs->rows)) return -1;
    pairs->rows[pairs->count] = (Pair){{first - data, second - data}, {(int32_t)first_length, (int32_t)second_length}, hash, 0};
    pairs->slots[at] = (int32_t)++pairs->count;
    return (int32_t)pairs->count - 1;
}

static int put_frame(Blocks *blocks, int32_t frame) {
    if (frame < 0 || !grow((void **)&blocks->frame, &blocks->frame_room, blocks->frame_count + 1, sizeof *blocks->frame)) return NO_MEMORY;
    if (frame == blocks->below_count) {
        if (!grow((void **)&blocks->below, &blocks->below_room, frame + 1, sizeof *blocks->below)) return NO_MEMORY;
        blocks->below[blocks->below_count++] = (Below){0};
    }
    blocks->frame[blocks->frame_count++] = frame;
    return OK;
}

static int add_frame(Blocks *blocks, Cursor data, const Frame *frame) {
    int64_t symbol = frame->symbol_end - frame->symbol, object = frame->object_end - frame->object;
    if (symbol > MAX_TOKEN_BYTES || object > MAX_TOKEN_BYTES) return OUT_OF_RANGE;
    return put_frame(blocks, intern_pair(&blocks->frames, data, frame->symbol, symbol, frame->object, object));
}

static int add_sample(Blocks *blocks, Cursor data, Cursor command, const Header *header) {
    int64_t row = blocks->count;
    if (!grow((void **)&blocks->time, &blocks->time_room, row + 1, sizeof *blocks->time) ||
        !grow((void **)&blocks->period, &blocks->period_room, row + 1, sizeof *blocks->period) ||
        !grow((void **)&blocks->ends, &blocks->end_room, row + 1, sizeof *blocks->ends) ||
        !grow((void **)&blocks->thread, &blocks->thread_room, row + 1, sizeof *blocks->thread))
        return NO_MEMORY;
    if (row)
        blocks->ends[row - 1] = blocks->frame_count;
    else
        blocks->frame_count = 0; /* what stands before the first sample is of none */
    blocks->time[row] = header->time;
    blocks->period[row] = header->period;
    blocks->thread[row] = intern_pair(&blocks->threads, data, command, header->ids_end - command, header->event, header->event_end - header->event);
    blocks->count++;
    return blocks->thread[row] < 0 ? NO_MEMORY : OK;
}

enum Kind { NOTHING, SAMPLE, FRAME, UNREAD };

/* What a line is, without the spaces around it. perf puts a tab before frames: `dd 12 1.5: cycles: 1f f (o)` is none. */
static enum Kind kind_of(Cursor at, Cursor end, int after_tab, Header *header, Frame *frame) {
    if (at == end || *at == '#') return NOTHING;
    int reads_as_frame = is_frame(at, end, frame);
    if (reads_as_frame && after_tab) return FRAME;
    return is_header(at, end, header) ? SAMPLE : reads_as_frame ? FRAME : UNREAD;
}

/* Read all lines. Blank ones and comments (#) say nothing. */
EXPORT int64_t scan_blocks(Cursor data, int64_t length, Counter *read, Blocks *blocks) {
    Cursor end = data + length;
    Header header;
    Frame frame;
    int32_t above = -1; /* the frame of the line above, if it is one's */
    int outcome = OK;
    for (Cursor line = data, after; outcome == OK && line < end; line = after) {
        advance(read, line - data);
        Below likely = above >= 0 ? blocks->below[above] : (Below){0};
        if (likely.length && likely.length <= end - line && same_bytes(line, likely.line, likely.length)) {
            after = line + likely.length;
            above = likely.frame;
            outcome = put_frame(blocks, above);
            continue;
        }
        Cursor next = memchr(line, '\n', (size_t)(end - line)), at = line, stop = next ? next : end;
        after = next ? next + 1 : end;
        while (at < stop && is_space(*at)) at++;
        while (stop > at && is_space(stop[-1])) stop--;
        enum Kind kind = kind_of(at, stop, *line == '\t', &header, &frame);
        if (kind == SAMPLE) {
            outcome = add_sample(blocks, data, at, &header);
            if (outcome == OK && is_frame(header.rest, header.end, &frame)) outcome = add_frame(blocks, data, &frame);
        }
        if (kind == FRAME) outcome = add_frame(blocks, data, &frame);
        blocks->unread += kind == UNREAD;
        int32_t here = kind == FRAME && outcome == OK ? blocks->frame[blocks->frame_count - 1] : -1;
        if (above >= 0 && here >= 0) blocks->below[above] = (Below){line, after - line, here};
        above = here;
    }
    if (blocks->count)
        blocks->ends[blocks->count - 1] = blocks->frame_count;
    else
        blocks->frame_count = 0;
    return outcome;
}

static void forget_pairs(Pairs *pairs) {
    free(pairs->rows);
    free(pairs->slots);
}

EXPORT void forget_blocks(Blocks *blocks) {
    free(blocks->time);
    free(blocks->period);
    free(blocks->ends);
    free(blocks->thread);
    free(blocks->frame);
    forget_pairs(&blocks->threads);
    forget_pairs(&blocks->frames);
    free(blocks->below);
    memset(blocks, 0, sizeof *blocks);
}
