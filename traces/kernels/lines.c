/* Collapsed stacks: lines of `outer;inner weight` become call paths and weights. Spaces or tabs stand before a weight,
 * which may have decimals: what flamegraph.pl takes.
 *
 * Neighbouring lines mostly share their beginning: what is equal to the line before costs a comparison, not a lookup.
 */
#include "tree.h"

/* Zeroed by the caller; give it to forget_lines, without the columns that were taken. */
typedef struct {
    Tree tree;
    Names names; /* of frames */
    int32_t *leaf;
    double *weight;
    int64_t leaf_room, weight_room;
    int64_t count, skipped; /* lines without a weight; comments and blank lines are not counted */
    int64_t fault_at;
    int64_t name_bytes; /* of all names */
} Lines;

/* So many decimal digits and any power of ten up to as many are exact as doubles, and so is rounding their quotient. */
#define MAX_WEIGHT_DIGITS 15

/* How many leading bytes of two texts are equal. */
static inline int64_t equal_bytes(Cursor left, Cursor right, int64_t limit) {
    int64_t at = 0;
#if defined(__SSE2__)
    while (limit - at >= 16) {
        __m128i same = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(left + at)), _mm_loadu_si128((const __m128i *)(right + at)));
        unsigned differs = (unsigned)_mm_movemask_epi8(same) ^ 0xffff;
        if (differs) return at + __builtin_ctz(differs);
        at += 16;
    }
#endif
    while (at < limit && left[at] == right[at]) at++;
    return at;
}

static inline Cursor find_separator(Cursor at, Cursor end) {
#if defined(__SSE2__)
    const __m128i semicolons = _mm_set1_epi8(';');
    while (end - at >= 16) {
        unsigned mask = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)at), semicolons));
        if (mask) return at + __builtin_ctz(mask);
        at += 16;
    }
#endif
    while (at < end && *at != ';') at++;
    return at;
}

static int is_blank(Cursor at, Cursor end) {
    for (; at < end; at++)
        if (*at != ' ' && (*at < '\t' || *at > '\r')) return 0;
    return 1;
}

/* Where the weight at the end of a line begins: digits, a point and more digits behind it. `stop` where there is none. */
static Cursor find_weight(Cursor line, Cursor stop) {
    Cursor digits = stop;
    while (digits > line && (uint8_t)(digits[-1] - '0') < 10) digits--;
    if (digits > line && digits[-1] == '.') {
        Cursor integer = digits - 1;
        while (integer > line && (uint8_t)(integer[-1] - '0') < 10) integer--;
        digits = integer < digits - 1 ? integer : stop;
    }
    return digits == line || (digits < stop && (digits[-1] == ' ' || digits[-1] == '\t')) ? digits : stop;
}

/* The number from `at` to `stop`; digits behind the fifteenth are left out. -1 where there are more before the point. */
static double read_weight(Cursor at, Cursor stop) {
    int64_t digits = 0;
    double scale = 1;
    int count = 0;
    for (; at < stop && *at != '.'; at++, count++) {
        if (count == MAX_WEIGHT_DIGITS) return -1;
        digits = digits * 10 + (*at - '0');
    }
    for (at++; at < stop && count < MAX_WEIGHT_DIGITS; at++, count++, scale *= 10) digits = digits * 10 + (*at - '0');
    return (double)digits / scale;
}

/* The path of the line before: where each of its frames ends, from the line's start, and its node. */
typedef struct {
    int64_t length, count;
    int64_t *ends;
    int32_t *nodes;
    int64_t end_room, node_room;
} Path;

enum { SOME_LINES = 64, SOME_NAMES = 256 };

/* A frame's name, up to the separator or the end of its stack. */
typedef struct {
    Cursor stop;
    uint64_t hash;
} Named;

/* A stack and its weight; `equal` bytes are those of the stack before it. `named` of the names behind them are known. */
typedef struct {
    Cursor text;
    int64_t length, equal, named;
    double weight;
} Stack;

/* Lines are looked at before they are read, so that what their names are looked up in is near by then: of many names, each
 * slot is somewhere else. `before` is the last stack that is not empty. */
typedef struct {
    Stack stacks[SOME_LINES];
    Named names[SOME_NAMES];
    int64_t count, named;
    Cursor before;
    int64_t before_length;
} Ahead;

/* How far a text was read when what is still to come was reckoned last, and how many rows, names and nodes there were; the next
 * time is at twice as far. */
typedef struct {
    int64_t place, rows, names, nodes;
    int64_t all_names; /* as many there will be, as it seems */
} Past;

#if !defined(FIRST_LOOK) /* sooner in tests */
#define FIRST_LOOK (1 << 20)
#endif
enum { MORE_SLOTS = 16 };

/* How many there will be at the end if they go on coming as of late, and a few more. */
static inline int64_t expected(int64_t count, int64_t before, double times) { return count + (int64_t)((double)(count - before) * times * 17 / 16); }

/* Room for what is still to come: columns that double, and their tables, are copied, and fresh memory is dear. Where there is none,
 * they grow as they need. */
static void make_room(Lines *lines, Past *past, int64_t place, int64_t length) {
    double times = (double)(length - place) / (double)(place - past->place);
    int64_t rows = expected(lines->count, past->rows, times), nodes = expected(lines->tree.count, past->nodes, times);
    int64_t names = expected(lines->names.count, past->names, times);
    (void)(grow((void **)&lines->leaf, &lines->leaf_room, rows, sizeof(int32_t)) &&
           grow((void **)&lines->weight, &lines->weight_room, rows, sizeof(double)) &&
           grow((void **)&lines->names.offset, &lines->names.offset_room, names, sizeof(int64_t)) &&
           grow((void **)&lines->names.length, &lines->names.length_room, names, sizeof(int32_t)) &&
           grow((void **)&lines->names.hash, &lines->names.hash_room, names, sizeof(uint32_t)) &&
           grow((void **)&lines->tree.frame, &lines->tree.frame_room, nodes, sizeof(int32_t)) &&
           grow((void **)&lines->tree.parent, &lines->tree.parent_room, nodes, sizeof(int32_t)) &&
           grow((void **)&lines->tree.depth, &lines->tree.depth_room, nodes, sizeof(int32_t)));
    *past = (Past){place, lines->count, lines->names.count, lines->tree.count, names};
}

/* Slots for the names of the next lines, and for a part of those that are still to come; 0 when memory is out. */
static int make_slots(Names *names, int64_t all_names) {
    if ((names->count + SOME_NAMES) * 2 < names->slot_count) return 1;
    int64_t slot_count = larger_table(names->slot_count, 4 * SOME_NAMES), most = names->slot_count * MORE_SLOTS;
    while (slot_count < most && slot_count < all_names * 2) slot_count *= 2;
    return place_names(names, slot_count);
}

/* Where the first frame begins that is not of the stack before. */
static inline Cursor first_other(Cursor text, int64_t equal) {
    Cursor at = text + equal;
    while (at > text && at[-1] != ';') at--;
    return at;
}

static void look_at_stack(Lines *lines, Ahead *ahead, Cursor text, int64_t length, int64_t equal, double weight) {
    Stack *stack = &ahead->stacks[ahead->count++];
    *stack = (Stack){text, length, equal < length ? equal : length, 0, weight};
    if (length <= 0) return;
    int is_same = stack->equal == length && length == ahead->before_length;
    ahead->before = text;
    ahead->before_length = length;
    if (is_same) return;
    for (Cursor at = first_other(text, stack->equal), end = text + length; ahead->named < SOME_NAMES; at++) {
        Cursor stop = find_separator(at, end);
        Named *name = &ahead->names[ahead->named++];
        *name = (Named){stop, hash_bytes(at, (size_t)(stop - at))};
        come_near(&lines->names, name->hash);
        stack->named++;
        if (stop == end) return;
        at = stop;
    }
}

/* The leaf of a stack; -2 when memory is out. `path` is the stack before, and becomes this one. */
static int32_t read_stack(Lines *lines, Cursor data, const Stack *stack, const Named *named, Path *path) {
    int64_t low = 0, high = path->count, known = stack->named;
    if (stack->equal == stack->length && stack->equal == path->length && path->count) return path->nodes[path->count - 1];
    while (low < high) { /* frames that end before the first difference, with their separator */
        int64_t middle = (low + high) / 2;
        if (path->ends[middle] < stack->equal)
            low = middle + 1;
        else
            high = middle;
    }
    path->length = stack->length;
    path->count = low;
    int32_t node = low ? path->nodes[low - 1] : -1;
    for (Cursor at = stack->text + (low ? path->ends[low - 1] + 1 : 0), end = stack->text + stack->length;; at++) {
        Cursor stop = known ? named->stop : find_separator(at, end);
        if (stop - at > MAX_TOKEN_BYTES) return -2;
        uint64_t hash = known ? named->hash : hash_bytes(at, (size_t)(stop - at));
        if (known) known--, named++;
        int64_t before = lines->names.count;
        int32_t frame = intern_hashed(&lines->names, data, at, (size_t)(stop - at), hash);
        if (frame < 0 || !grow((void **)&path->ends, &path->end_room, path->count + 1, sizeof *path->ends) ||
            !grow((void **)&path->nodes, &path->node_room, path->count + 1, sizeof *path->nodes))
            return -2;
        node = frame == before ? new_child(&lines->tree, node, frame) : child(&lines->tree, node, frame);
        if (node == -2) return -2;
        path->ends[path->count] = stop - stack->text;
        path->nodes[path->count++] = node;
        at = stop;
        if (at == end) return node;
    }
}

/* What was looked at becomes rows; 0 when memory is out. */
static int read_stacks(Lines *lines, Cursor data, Ahead *ahead, Path *path, int64_t all_names) {
    const Named *named = ahead->names;
    if (!make_slots(&lines->names, all_names)) return 0;
    for (int64_t i = 0; i < ahead->named; i++) come_nearer(&lines->names, named[i].hash);
    for (const Stack *stack = ahead->stacks; stack < ahead->stacks + ahead->count; named += stack++->named) {
        int32_t leaf = stack->length > 0 ? read_stack(lines, data, stack, named, path) : -1;
        lines->tree.truncated += stack->length > 0 && path->count > lines->tree.max_depth;
        if (leaf == -2 || !grow((void **)&lines->leaf, &lines->leaf_room, lines->count + 1, sizeof *lines->leaf) ||
            !grow((void **)&lines->weight, &lines->weight_room, lines->count + 1, sizeof *lines->weight))
            return 0;
        lines->leaf[lines->count] = leaf;
        lines->weight[lines->count++] = stack->weight;
    }
    ahead->count = ahead->named = 0;
    return 1;
}

/* Read all lines; one may have a weight and no stack: leaf -1. OUT_OF_RANGE: more than 15 digits before a weight's point. */
EXPORT int64_t scan_lines(Cursor data, int64_t length, Counter *read, Lines *lines) {
    Cursor end = data + length;
    Path path = {0};
    Ahead ahead = {.before = data};
    Past past = {0};
    int outcome = OK;
    for (Cursor line = data; outcome == OK && line < end;) {
        advance(read, line - data);
        /* What is equal to the stack before holds no end of a line. */
        int64_t equal = equal_bytes(line, ahead.before, end - line < ahead.before_length ? end - line : ahead.before_length);
        Cursor next = memchr(line + equal, '\n', (size_t)(end - line - equal)), stop = next ? next : end;
        Cursor after = next ? next + 1 : end;
        while (stop > line && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t')) stop--;
        Cursor number = find_weight(line, stop), name_end = number - 1; /* a space may be a name */
        double weight = number < stop && *line != '#' ? read_weight(number, stop) : 0;
        if (weight < 0) {
            lines->fault_at = number - data;
            outcome = OUT_OF_RANGE;
        } else if (weight == 0) {
            lines->skipped += stop > line && *line != '#' && !is_blank(line, stop);
        } else {
            while (name_end > line && name_end[-1] == '\t') name_end--;
            look_at_stack(lines, &ahead, line, name_end - line, equal, weight);
            if (line - data >= FIRST_LOOK && line - data >= 2 * past.place) make_room(lines, &past, line - data, length);
            if ((ahead.count == SOME_LINES || ahead.named == SOME_NAMES) && !read_stacks(lines, data, &ahead, &path, past.all_names)) outcome = NO_MEMORY;
        }
        line = after;
    }
    if (outcome == OK && !read_stacks(lines, data, &ahead, &path, past.all_names)) outcome = NO_MEMORY;
    free(path.ends);
    free(path.nodes);
    for (int64_t i = 0; i < lines->names.count; i++) lines->name_bytes += lines->names.length[i];
    forget_slots(&lines->names);
    return outcome;
}

/* The names of the lines that were read, one behind another; their offsets become those in `joined`, and where the last ends. */
EXPORT int64_t join_names(Cursor data, Lines *lines, uint8_t *joined) {
    Names *names = &lines->names;
    int64_t at = 0;
    if (!grow((void **)&names->offset, &names->offset_room, names->count + 1, sizeof(int64_t))) return NO_MEMORY;
    for (int64_t i = 0; i < names->count; at += names->length[i++]) {
        memcpy(joined + at, data + names->offset[i], (size_t)names->length[i]);
        names->offset[i] = at;
    }
    names->offset[names->count] = at;
    return OK;
}

EXPORT void forget_lines(Lines *lines) {
    free(lines->leaf);
    free(lines->weight);
    forget_names(&lines->names);
    free_tree(&lines->tree);
    memset(lines, 0, sizeof *lines);
}
