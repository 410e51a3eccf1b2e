/* Slices and begin/end events become properly nested spans; spans are summed inside a window. Rules: traces/nesting.py. */
#include "bytes.h"

/* Stable: within runs of equal start the later end comes first. `spare` has room for the longest run. */
static void order_run(int64_t *order, const int64_t *end, int64_t count, int64_t *spare) {
    for (int64_t low = 0; low < count; low += 16) { /* short pieces by insertion, then merged pairwise */
        int64_t high = low + 16 < count ? low + 16 : count;
        for (int64_t i = low + 1; i < high; i++) {
            int64_t moving = order[i], at = i;
            for (; at > low && end[order[at - 1]] < end[moving]; at--) order[at] = order[at - 1];
            order[at] = moving;
        }
    }
    for (int64_t width = 16; width < count; width *= 2) {
        for (int64_t low = 0; low + width < count; low += 2 * width) {
            int64_t middle = low + width, high = middle + width < count ? middle + width : count;
            int64_t left = low, right = middle, out = 0;
            while (left < middle && right < high)
                spare[out++] = end[order[right]] > end[order[left]] ? order[right++] : order[left++];
            while (left < middle) spare[out++] = order[left++];
            memcpy(order + low, spare, (size_t)out * sizeof *order);
        }
    }
}

/* `order` sorts by start (stable) and becomes the source of each span; the other outputs have room for `count` rows. A slice
 * ends at the next one's start where it reaches at most `rounding` into that and not as far as that reaches beyond it. Returns
 * the number of spans kept, or -NO_MEMORY. `repaired`: clamped, too deep. */
EXPORT int64_t nest_slices(const int64_t *start, const int64_t *end, int64_t count, int64_t max_depth, int64_t rounding,
                           int64_t *order, int64_t *until, int32_t *parent, int64_t *repaired) {
    int64_t longest = 0;
    for (int64_t i = 0, first = 0; i < count; i++)
        if (i + 1 == count || start[order[i + 1]] != start[order[i]]) {
            if (i + 1 - first > longest) longest = i + 1 - first;
            first = i + 1;
        }
    int64_t deepest = count < max_depth ? count : max_depth; /* of a few slices no stack of pages is made */
    int32_t *stack = malloc((size_t)(deepest + 1) * sizeof *stack);
    int64_t *spare = malloc((size_t)(longest + 1) * sizeof *spare);
    if (!stack || !spare) {
        free(stack);
        free(spare);
        return -NO_MEMORY;
    }
    for (int64_t i = 1, first = 0; i <= count; i++)
        if (i == count || start[order[i]] != start[order[first]]) {
            if (i - first > 1) order_run(order + first, end, i - first, spare);
            first = i;
        }
    int64_t kept = 0, open = 0;
    repaired[0] = repaired[1] = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t slice = order[i], begin = start[slice], finish = end[slice];
        for (; open; open--) {
            int64_t *before = until + stack[open - 1], into = *before - begin;
            if (into > rounding || into >= finish - *before) {
                if (into > 0) break;
            } else if (into > 0) {
                *before = begin;
            }
        }
        if (open >= max_depth) {
            repaired[1]++;
            continue;
        }
        parent[kept] = -1;
        if (open) {
            parent[kept] = stack[open - 1];
            if (finish > until[parent[kept]]) {
                finish = until[parent[kept]];
                repaired[0]++;
            }
        }
        order[kept] = slice;
        until[kept] = finish;
        stack[open++] = (int32_t)kept++;
    }
    free(stack);
    free(spare);
    return kept;
}

/* Slices in order of their ends, as they are written by who writes a call when it returns: those inside each one lie before
 * it, without a gap. `first` becomes the earliest of them; 0 where a slice is empty, crosses another or equals it. */
static int find_first_inside(const int64_t *start, const int64_t *end, int64_t count, int32_t *first, int32_t *outermost) {
    int64_t found = 0; /* slices that lie in none so far */
    for (int64_t i = 0; i < count; i++) {
        if (end[i] <= start[i] || (i && end[i] < end[i - 1])) return 0;
        first[i] = (int32_t)i;
        for (; found && start[outermost[found - 1]] >= start[i]; found--) {
            int32_t inside = outermost[found - 1];
            if (start[inside] == start[i] && end[inside] == end[i]) return 0;
            first[i] = first[inside];
        }
        if (found && end[outermost[found - 1]] > start[i]) return 0;
        outermost[found++] = (int32_t)i;
    }
    return 1;
}

/* Puts slices of that kind in preorder where they lie, each with its `source`, which is where it lay; returns 1, or 0 and
 * leaves alone what is of another kind or deeper than allowed, or -NO_MEMORY. */
EXPORT int64_t nest_ended(int64_t *start, int64_t *end, int32_t *frame, int64_t count, int64_t max_depth, int32_t *source,
                          int32_t *parent) {
    typedef struct {
        int32_t first, place;
    } Open;
    if (count > INT32_MAX || !find_first_inside(start, end, count, source, parent)) return 0;
    Open *stack = malloc((size_t)max_depth * sizeof *stack);
    if (!stack) return -NO_MEMORY;
    int64_t open = 0;
    for (int64_t i = count - 1; i >= 0; i--) { /* outer ones before inner ones: a slice lies behind those that hold it */
        while (open && stack[open - 1].first > i) open--;
        if (open >= max_depth) {
            free(stack);
            return 0;
        }
        int32_t place = source[i] + (int32_t)open;
        parent[place] = open ? stack[open - 1].place : -1;
        stack[open++] = (Open){source[i], place};
        source[i] = place;
    }
    free(stack);
    for (int64_t i = 0; i < count; i++) { /* `source` says where a slice goes; ~ where the one that is there came from */
        if (source[i] < 0) continue;
        int64_t begins = start[i], ends = end[i], at = i;
        int32_t name = frame[i];
        for (int64_t to = source[i], next; source[i] >= 0; to = next) {
            int64_t begins_there = start[to], ends_there = end[to];
            int32_t name_there = frame[to];
            next = source[to];
            start[to] = begins;
            end[to] = ends;
            frame[to] = name;
            source[to] = ~(int32_t)at;
            begins = begins_there;
            ends = ends_there;
            name = name_there;
            at = to;
        }
    }
    for (int64_t i = 0; i < count; i++) source[i] = ~source[i];
    return 1;
}

/* Slices of several threads, none of which has more than `max_depth`: those of thread t are rows bounds[t] .. bounds[t + 1),
 * and so are its spans. `order` sorts each thread's by start (stable). Returns how many were clamped, or -NO_MEMORY. */
EXPORT int64_t nest_threads(const int64_t *start, const int64_t *end, const int64_t *bounds, int64_t threads, int64_t max_depth,
                            int64_t rounding, int64_t *order, int64_t *until, int32_t *parent) {
    int64_t clamped = 0, repaired[2];
    for (int64_t t = 0; t < threads; t++) {
        int64_t first = bounds[t], count = bounds[t + 1] - first;
        int64_t kept = nest_slices(start, end, count, max_depth, rounding, order + first, until + first, parent + first,
                                   repaired);
        if (kept < 0) return kept;
        for (int64_t i = 0; i < count; i++)
            if (parent[first + i] >= 0) parent[first + i] += (int32_t)first;
        clamped += repaired[0];
    }
    return clamped;
}

/* What matching needs of memory, for one thread after the other: `open_calls` of each frame, and of what closes with its
 * caller, the latest first, `latest` of each frame and `before` of each span (-1: none), as its own end may still come. */
typedef struct {
    int32_t *stack, *open_calls, *latest, *before;
} Scratch;

static int reserve(Scratch *scratch, int64_t count, int64_t frame_count, int64_t max_depth) {
    int64_t deepest = count < max_depth ? count : max_depth;
    scratch->stack = malloc((size_t)(deepest + 1) * sizeof(int32_t));
    scratch->open_calls = calloc((size_t)frame_count + 1, sizeof(int32_t));
    scratch->latest = malloc(((size_t)frame_count + 1) * sizeof(int32_t));
    scratch->before = malloc(((size_t)count + 1) * sizeof(int32_t));
    if (!scratch->stack || !scratch->open_calls || !scratch->latest || !scratch->before) return 0;
    memset(scratch->latest, 0xff, ((size_t)frame_count + 1) * sizeof(int32_t));
    return 1;
}

static void release_scratch(Scratch *scratch) {
    free(scratch->stack);
    free(scratch->open_calls);
    free(scratch->latest);
    free(scratch->before);
}

static void cut_with_caller(Scratch *cut, int32_t name, int32_t span, uint8_t *unfinished) {
    unfinished[span] = 1;
    cut->before[span] = cut->latest[name];
    cut->latest[name] = span;
}

/* Whether a late end belongs to a span that its caller had cut. */
static int end_comes_late(Scratch *cut, int32_t name, uint8_t *unfinished) {
    int32_t span = cut->latest[name];
    if (span < 0) return 0;
    unfinished[span] = 0;
    cut->latest[name] = cut->before[span];
    return 1;
}

/* One thread's events; leaves the scratch as it was. Returns the number of spans. */
static int64_t match_events(const int64_t *time, const int32_t *frame, const uint8_t *begins, int64_t count, int64_t frame_count,
                            int64_t max_depth, int64_t latest, int64_t *source, int64_t *until, int32_t *parent,
                            uint8_t *unfinished, int64_t *repaired, Scratch *scratch) {
    int32_t *stack = scratch->stack, *open_calls = scratch->open_calls;
    int64_t spans = 0, open = 0, ignored = 0, last = count ? time[0] : 0;
    repaired[0] = repaired[1] = repaired[2] = 0;
    repaired[3] = -1;
    for (int64_t i = 0; i < count; i++) {
        int32_t name = frame[i];
        if (name < 0 && !begins[i] && open && !ignored) name = frame[source[stack[open - 1]]];
        if (name >= frame_count || (name < 0 && begins[i])) continue;
        if (begins[i]) {
            last = time[i];
            if (open >= max_depth) {
                repaired[2]++;
                ignored++;
                continue;
            }
            parent[spans] = open ? stack[open - 1] : -1;
            source[spans] = i;
            until[spans] = time[i];
            stack[open++] = (int32_t)spans++;
            open_calls[name]++;
        } else if (ignored) {
            ignored--;
        } else if (name >= 0 && open_calls[name]) {
            int32_t closed;
            last = time[i];
            do {
                int32_t span = stack[--open];
                until[span] = last;
                closed = frame[source[span]];
                open_calls[closed]--;
                if (closed != name) cut_with_caller(scratch, closed, span, unfinished);
            } while (closed != name);
        } else if (name >= 0 && end_comes_late(scratch, name, unfinished)) {
            repaired[1]++;
        } else {
            if (repaired[3] < 0) repaired[3] = i;
            repaired[0]++;
        }
    }
    if (latest > last) last = latest;
    while (open > 0) {
        int32_t span = stack[--open];
        until[span] = last;
        unfinished[span] = 1;
        open_calls[frame[source[span]]]--;
    }
    for (int64_t i = 0; i < spans; i++) scratch->latest[frame[source[i]]] = -1;
    return spans;
}

/* Events in time order; frames are below `frame_count`, -1 of an end that closes the innermost. What never ends is drawn to the last event, or to `latest`, or to its
 * caller's end. Returns the number of spans, or -NO_MEMORY. `unfinished`, zeros at first, becomes 1 where a span has no end.
 * `repaired`: unmatched ends, cut at their caller's end, too deep, the first unmatched end or -1. */
EXPORT int64_t match_begin_end(const int64_t *time, const int32_t *frame, const uint8_t *begins, int64_t count,
                               int64_t frame_count, int64_t max_depth, int64_t latest, int64_t *source,
                               int64_t *until, int32_t *parent, uint8_t *unfinished, int64_t *repaired) {
    Scratch scratch = {0};
    int64_t spans = -NO_MEMORY;
    if (reserve(&scratch, count, frame_count, max_depth))
        spans = match_events(time, frame, begins, count, frame_count, max_depth, latest, source, until, parent, unfinished,
                             repaired, &scratch);
    release_scratch(&scratch);
    return spans;
}

/* The same for events of several threads, those of thread t in rows bounds[t] .. bounds[t + 1), the most of one being `longest`:
 * spans one thread after the other, of which `starts` becomes the first of each thread and their number; sources and parents
 * count through all. `repaired` has four numbers a thread, with the event among all. */
EXPORT int64_t match_threads(const int64_t *time, const int32_t *frame, const uint8_t *begins, const int64_t *bounds,
                             int64_t threads, int64_t longest, int64_t frame_count, int64_t max_depth, int64_t latest,
                             int64_t *source, int64_t *until, int32_t *parent, uint8_t *unfinished, int64_t *starts,
                             int64_t *repaired) {
    Scratch scratch = {0};
    int64_t spans = reserve(&scratch, longest, frame_count, max_depth) ? 0 : -NO_MEMORY;
    for (int64_t t = 0; spans >= 0 && t < threads; t++) {
        int64_t first = bounds[t], *mine = repaired + 4 * t;
        starts[t] = spans;
        int64_t found = match_events(time + first, frame + first, begins + first, bounds[t + 1] - first, frame_count, max_depth,
                                     latest, source + spans, until + spans, parent + spans, unfinished + spans, mine, &scratch);
        for (int64_t i = spans; i < spans + found; i++) {
            source[i] += first;
            if (parent[i] >= 0) parent[i] += (int32_t)spans;
        }
        if (mine[3] >= 0) mine[3] += first;
        spans += found;
    }
    if (spans >= 0) starts[threads] = spans;
    release_scratch(&scratch);
    return spans;
}

/* What each span spent outside its children. */
EXPORT int64_t self_durations(const int64_t *start, const int64_t *end, const int32_t *parent, int64_t count, int64_t *own) {
    for (int64_t i = 0; i < count; i++) {
        if (parent[i] >= i) return MALFORMED;
        int64_t inner = end[i] - start[i];
        own[i] = inner;
        if (parent[i] >= 0) own[parent[i]] -= inner; /* parents come first */
    }
    return OK;
}

/* Self and count of each node. */
EXPORT int64_t sum_spans(const int64_t *start, const int64_t *end, const int32_t *parent, const int32_t *node, int64_t count,
                         int64_t node_count, int64_t *own, int64_t *calls) {
    for (int64_t i = 0; i < count; i++) {
        if (parent[i] >= i || node[i] < 0 || node[i] >= node_count) return MALFORMED;
        own[node[i]] += end[i] - start[i];
        calls[node[i]]++;
        if (parent[i] >= 0) own[node[parent[i]]] -= end[i] - start[i];
    }
    return OK;
}
