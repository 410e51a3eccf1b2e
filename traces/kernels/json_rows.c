/* The rows of a table in JSON, `[[1,2.5,null],[2,3.5]]`, become columns of numbers; a row may end early. */
#include "doubles.h"

enum { SKIPPED = 0, INTEGER = 1, NUMBER = 2, ANYTHING = 3, COLUMNS = 8 };

/* Zeroed by the caller; give it to forget_rows, without the columns that were taken. A column that is asked for has int32_t, -1
 * for none, or double, NaN for none. */
typedef struct {
    void *columns[COLUMNS];
    int64_t count, room;
} Rows;

static inline size_t width_of(uint8_t kind) { return kind == INTEGER ? sizeof(int32_t) : sizeof(double); }

/* Room for one more row, of those that `length` bytes may have left; 0 when memory is out. */
static __attribute__((noinline)) int grow_rows(Rows *rows, const uint8_t *kinds) {
    int64_t room = rows->room;
    for (int i = 0; i < COLUMNS; i++) {
        if (kinds[i] != INTEGER && kinds[i] != NUMBER) continue;
        room = rows->room;
        if (!grow(&rows->columns[i], &room, rows->count + 1, width_of(kinds[i]))) return 0;
    }
    rows->room = room > rows->room ? room : INT64_MAX; /* no column is asked for */
    return 1;
}

/* Bytes of a text in a cell that nobody asks for may be no UTF-8: who decodes them says so. */
static inline int is_ascii(Cursor at, Cursor stop) {
    uint8_t all = 0;
    for (; at < stop; at++) all |= *at;
    return all < 0x80;
}

static inline void say_nothing(Rows *rows, int column, uint8_t kind) {
    static const uint64_t nothing = 0x7ff8000000000000u;
    if (kind == INTEGER) ((int32_t *)rows->columns[column])[rows->count] = -1;
    if (kind == NUMBER) memcpy((double *)rows->columns[column] + rows->count, &nothing, sizeof nothing);
}

/* Behind the cell at `at`; NULL where it is none of its kind. */
static inline Cursor read_cell(Json *json, Cursor at, Rows *rows, int column, uint8_t kind) {
    if (kind == INTEGER || kind == NUMBER) {
        if (*at == 'n') {
            say_nothing(rows, column, kind);
            return skip_literal(json, at);
        }
        if (kind == INTEGER) return read_integer(at, json->end, (int32_t *)rows->columns[column] + rows->count);
        return read_double(at, json->end, (double *)rows->columns[column] + rows->count);
    }
    Cursor behind = skip_value(json, at);
    return behind && kind == SKIPPED && !is_ascii(at, behind) ? NULL : behind;
}

/* Behind the row at `at`, or NULL. */
static Cursor read_row(Json *json, Cursor at, Rows *rows, const uint8_t *kinds) {
    int column = 0;
    at = skip_space(at + 1, json->end);
    if (at < json->end && *at == ']') {
        at++;
    } else {
        for (;; column++) {
            if (at >= json->end) return NULL;
            at = read_cell(json, at, rows, column, column < COLUMNS ? kinds[column] : ANYTHING);
            if (!at) return NULL;
            at = skip_space(at, json->end);
            if (at >= json->end) return NULL;
            if (*at == ']') break;
            if (*at != ',') return NULL;
            at = skip_space(at + 1, json->end);
        }
        at++;
        column++;
    }
    for (; column < COLUMNS; column++) say_nothing(rows, column, kinds[column]);
    return at;
}

/* The array of rows that `data` is, whose cells are of these kinds. UNUSUAL: it is none, or written in another way. */
EXPORT int64_t scan_rows(Cursor data, int64_t length, const uint8_t *kinds, Rows *rows) {
    Json json = {data, data + length, NULL, OK};
    Cursor at = skip_space(data, json.end);
    if (at >= json.end || *at != '[') return UNUSUAL;
    at = skip_space(at + 1, json.end);
    if (at < json.end && *at == ']') return skip_space(at + 1, json.end) == json.end ? OK : UNUSUAL;
    for (;;) {
        if (at >= json.end || *at != '[') return UNUSUAL;
        if (rows->count >= rows->room && !grow_rows(rows, kinds)) return NO_MEMORY;
        at = read_row(&json, at, rows, kinds);
        if (!at) return UNUSUAL;
        rows->count++;
        at = skip_space(at, json.end);
        if (at >= json.end) return UNUSUAL;
        if (*at == ']') return skip_space(at + 1, json.end) == json.end ? OK : UNUSUAL;
        if (*at != ',') return UNUSUAL;
        at = skip_space(at + 1, json.end);
    }
}

EXPORT void forget_rows(Rows *rows) {
    for (int i = 0; i < COLUMNS; i++) free(rows->columns[i]);
    memset(rows, 0, sizeof *rows);
}
