/* Where a JSON document breaks off: which brackets are open there, and what was complete inside each. */
#include "json.h"

/* An open bracket, `count` complete elements or members behind it, the last of which ends at `kept`; without any that is
   behind the bracket. The next one begins at `element`. */
typedef struct {
    int64_t is_array, element, kept, count;
} Level;

typedef struct {
    int64_t depth;
    int64_t end; /* behind the document, or where it is at fault */
} Place;

static Cursor skip_scalar(Json *json, Cursor at) {
    int escaped = 0;
    if (*at == '"') return skip_string(json, at, &escaped);
    if (*at != '-' && !is_digit(*at)) return skip_literal(json, at);
    at = skip_number(json, at);
    return at && at == json->end ? fail(json, at) : at; /* more digits may have followed */
}

/* Go through the document. OK: it is complete. TRUNCATED: `levels` has the brackets that are open where it breaks off, from
   the outermost on. MALFORMED, or TOO_DEEP for its `room`, otherwise. */
EXPORT int64_t scan_levels(Cursor data, int64_t length, Level *levels, int64_t room, Place *place) {
    Json json = {.begin = data, .end = data + length};
    Cursor at = skip_space(data, json.end);
    int64_t depth = 0;
    for (int is_first = 0;;) { /* at a value or, where one is the first of its bracket, at the bracket's end */
        if (at >= json.end) break;
        Level *level = depth ? &levels[depth - 1] : NULL;
        int is_end = is_first && *at == (level->is_array ? ']' : '}');
        if (level && !is_end) {
            level->element = at - data;
            Cursor key_end;
            int escaped = 0;
            if (!level->is_array) at = skip_key(&json, at, &key_end, &escaped);
            if (!at || at >= json.end) break;
        }
        is_first = 0;
        if (!is_end && (*at == '{' || *at == '[')) {
            if (depth == room) {
                place->end = at - data;
                return TOO_DEEP;
            }
            int64_t is_array = *at++ == '[';
            levels[depth++] = (Level){is_array, at - data, at - data, 0};
            at = skip_space(at, json.end);
            is_first = 1;
            continue;
        }
        if (!is_end) {
            at = skip_scalar(&json, at);
            if (!at) break;
        }
        for (;; is_end = 1) { /* behind a value or at a bracket's end: close brackets, up to a comma */
            if (is_end) {
                at++;
                depth--;
            }
            if (!depth) {
                place->depth = 0;
                place->end = at - data;
                return OK;
            }
            level = &levels[depth - 1];
            level->count++;
            level->kept = at - data;
            at = skip_space(at, json.end);
            if (at >= json.end || *at != (level->is_array ? ']' : '}')) break;
        }
        if (at >= json.end) break;
        if (*at != ',') {
            fail(&json, at);
            at = NULL;
            break;
        }
        at = skip_space(at + 1, json.end);
    }
    place->depth = depth;
    place->end = at ? length : json.fault_at - data;
    return at ? TRUNCATED : json.fault;
}
