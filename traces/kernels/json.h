/* Reading JSON where it lies: skipping values with full validation, and numbers exactly (RFC 8259).
 *
 * Functions take a cursor and return the one behind what they read, or NULL with the fault's kind and place.
 * Bytes over 0x7f are not checked to be UTF-8: texts are decoded, once per unique text, by the caller.
 */
#ifndef FLAMECHAT_JSON_H
#define FLAMECHAT_JSON_H

#include "bytes.h"

#define MAX_JSON_DEPTH 960

typedef struct {
    Cursor begin, end;
    Cursor fault_at;
    int fault;
} Json;

static inline Cursor fail(Json *json, Cursor at) {
    json->fault = at >= json->end ? TRUNCATED : MALFORMED;
    json->fault_at = at < json->end ? at : json->end;
    return NULL;
}

static inline Cursor fail_as(Json *json, Cursor at, int fault) {
    json->fault = fault;
    json->fault_at = at;
    return NULL;
}

static inline Cursor skip_space(Cursor at, Cursor end) {
    while (at < end && *at <= ' ' && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) at++;
    return at;
}

static inline int hex_digit(uint8_t byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

#define CUT (-2)

static inline int unicode_escape(Cursor at, Cursor end) { /* the four digits behind \u, CUT where they end, or -1 */
    int code = 0;
    for (int i = 0; i < 4; i++) {
        if (at + i >= end) return CUT;
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        code = code << 4 | digit;
    }
    return code;
}

/* Behind the escape that starts with the backslash at `at`. Surrogates come in pairs; a document may break off inside
   one, but not go on behind half of it. */
static inline Cursor skip_escape(Json *json, Cursor at) {
    if (json->end - at < 2) return fail(json, json->end);
    switch (at[1]) {
        case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
            return at + 2;
        case 'u': {
            int code = unicode_escape(at + 2, json->end);
            if (code < 0) return fail(json, code == CUT ? json->end : at + 2);
            if ((code & 0xf800) != 0xd800) return at + 6;
            Cursor low = at + 6;
            if (code >= 0xdc00) return fail(json, at + 2);
            if (json->end - low < 2 && (low == json->end || *low == '\\')) return fail(json, json->end);
            if (*low != '\\' || low[1] != 'u') return fail(json, at + 2);
            code = unicode_escape(low + 2, json->end);
            if (code == CUT) return fail(json, json->end);
            return (code & 0xfc00) == 0xdc00 ? low + 6 : fail(json, at + 2);
        }
        default:
            return fail(json, at + 1);
    }
}

/* The first quote, backslash or control character at or after `at`. */
static inline Cursor find_special(Cursor at, Cursor end) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1f);
    while (end - at >= 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)at);
        __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                                   _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
        int mask = _mm_movemask_epi8(hit);
        if (mask) return at + __builtin_ctz((unsigned)mask);
        at += 16;
    }
#endif
    while (at < end && *at != '"' && *at != '\\' && *at >= 0x20) at++;
    return at;
}

/* `at` is the opening quote; `escaped` becomes 1 if the text holds a backslash. */
static inline Cursor skip_string(Json *json, Cursor at, int *escaped) {
    at++;
    for (;;) {
        at = find_special(at, json->end);
        if (at >= json->end) return fail(json, at);
        if (*at == '"') return at + 1;
        if (*at != '\\') return fail(json, at);
        *escaped = 1;
        at = skip_escape(json, at);
        if (!at) return NULL;
    }
}

static inline int is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

static inline Cursor skip_digits(Cursor at, Cursor end) {
    while (at < end && is_digit(*at)) at++;
    return at;
}

static inline Cursor skip_number(Json *json, Cursor at) {
    Cursor end = json->end;
    if (at < end && *at == '-') at++;
    if (at >= end || !is_digit(*at)) return fail(json, at);
    at = *at == '0' ? at + 1 : skip_digits(at, end);
    if (at < end && is_digit(*at)) return fail(json, at); /* a leading zero */
    if (at < end && *at == '.') {
        if (++at >= end || !is_digit(*at)) return fail(json, at);
        at = skip_digits(at, end);
    }
    if (at < end && (*at | 0x20) == 'e') {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (at >= end || !is_digit(*at)) return fail(json, at);
        at = skip_digits(at, end);
    }
    return at;
}

static inline Cursor skip_word(Json *json, Cursor at, const char *word, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (at + i >= json->end || at[i] != (uint8_t)word[i]) return fail(json, at + i);
    return at + length;
}

static inline Cursor skip_literal(Json *json, Cursor at) {
    if (*at == 't') return skip_word(json, at, "true", 4);
    if (*at == 'f') return skip_word(json, at, "false", 5);
    if (*at == 'n') return skip_word(json, at, "null", 4);
    return fail(json, at);
}

/* Behind the key that begins at `at` and its colon, at the value's first byte. */
static inline Cursor skip_key(Json *json, Cursor at, Cursor *key_end, int *escaped) {
    if (at >= json->end || *at != '"') return fail(json, at);
    at = skip_string(json, at, escaped);
    if (!at) return NULL;
    *key_end = at - 1;
    at = skip_space(at, json->end);
    if (at >= json->end || *at != ':') return fail(json, at);
    return skip_space(at + 1, json->end);
}

/* An object or array, iteratively: one bit per open bracket says whether it is an object's. */
static inline Cursor skip_container(Json *json, Cursor at) {
    uint64_t kinds[MAX_JSON_DEPTH / 64];
    unsigned depth = 0;
    Cursor end = json->end, key_end;
    int escaped = 0;
    for (;;) {
        if (at >= end) return fail(json, at);
        uint8_t byte = *at;
        if (byte == '"') {
            at = skip_string(json, at, &escaped);
        } else if (byte == '{' || byte == '[') {
            if (depth == MAX_JSON_DEPTH) return fail_as(json, at, TOO_DEEP);
            uint64_t bit = (uint64_t)1 << (depth & 63);
            kinds[depth >> 6] = byte == '{' ? kinds[depth >> 6] | bit : kinds[depth >> 6] & ~bit;
            depth++;
            at = skip_space(at + 1, end);
            if (at >= end) return fail(json, at);
            if (*at != (byte == '{' ? '}' : ']')) {
                if (byte == '{' && !(at = skip_key(json, at, &key_end, &escaped))) return NULL;
                continue;
            }
            depth--;
            at++;
        } else if (is_digit(byte) || byte == '-') {
            at = skip_number(json, at);
        } else {
            at = skip_literal(json, at);
        }
        if (!at) return NULL;
        for (;;) { /* behind a value: close brackets, or go to the next value */
            if (depth == 0) return at;
            int object = (int)(kinds[(depth - 1) >> 6] >> ((depth - 1) & 63)) & 1;
            at = skip_space(at, end);
            if (at >= end) return fail(json, at);
            if (*at == ',') {
                at = skip_space(at + 1, end);
                if (object && !(at = skip_key(json, at, &key_end, &escaped))) return NULL;
                break;
            }
            if (*at != (object ? '}' : ']')) return fail(json, at);
            depth--;
            at++;
        }
    }
}

static inline Cursor skip_value(Json *json, Cursor at) {
    int escaped = 0;
    if (at >= json->end) return fail(json, at);
    if (*at == '"') return skip_string(json, at, &escaped);
    if (is_digit(*at) || *at == '-') return skip_number(json, at);
    if (*at == '{' || *at == '[') return skip_container(json, at);
    return skip_literal(json, at);
}

/* A number known to be valid, from `at` to `stop`, times 10**scale, rounded half away from zero; INT64_MAX/-INT64_MAX
 * when it does not fit. */
static inline int64_t scaled_number(Cursor at, Cursor stop, int scale) {
    int negative = *at == '-';
    at += negative;
    Cursor integer = at, point = skip_digits(at, stop), tail = point, fraction = point;
    if (tail < stop && *tail == '.') {
        fraction = tail + 1;
        tail = skip_digits(fraction, stop);
    }
    int64_t shift = scale;
    if (tail < stop) { /* an exponent */
        int below = tail[1] == '-';
        int64_t exponent = 0;
        for (Cursor e = tail + 1 + (tail[1] == '-' || tail[1] == '+'); e < stop; e++)
            if (exponent < 1000000) exponent = exponent * 10 + (*e - '0');
        shift += below ? -exponent : exponent;
    }
    int64_t integer_digits = point - integer, digits = integer_digits + (tail > fraction ? tail - fraction : 0);
    int64_t before_point = integer_digits + shift; /* how many leading digits are before the shifted point */
    uint64_t value = 0;
    for (int64_t i = 0; i < before_point; i++) {
        if (i >= digits && value == 0) break;
        uint64_t digit = i < integer_digits ? (uint64_t)(integer[i] - '0') : i < digits ? (uint64_t)(fraction[i - integer_digits] - '0') : 0;
        if (value > ((uint64_t)INT64_MAX - digit) / 10) return negative ? -INT64_MAX : INT64_MAX;
        value = value * 10 + digit;
    }
    if (before_point >= 0 && before_point < digits && (before_point < integer_digits ? integer[before_point] : fraction[before_point - integer_digits]) >= '5' &&
        value < (uint64_t)INT64_MAX)
        value++;
    return negative ? -(int64_t)value : (int64_t)value;
}

/* How many of a word's bytes, from the lowest, are digits. */
static inline int leading_digits(uint64_t word) {
    uint64_t others = ((word & 0xf0f0f0f0f0f0f0f0u) | (((word + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4)) ^ 0x3333333333333333u;
    return others ? __builtin_ctzll(others) >> 3 : 8;
}

/* What eight digits say: pairs, then pairs of pairs, then all (the first digit is the lowest byte; a byte 0 is a 0). */
static inline uint64_t eight_digits(uint64_t word) {
    word = (word & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
    word = (word & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    return (word & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
}

/* What the first `count` digits (up to 8) of a word say. */
static inline uint64_t first_digits(uint64_t word, int count) { return count ? eight_digits(word << (64 - 8 * count)) : 0; }

static const uint64_t POWERS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

static __attribute__((noinline)) Cursor read_scaled_slowly(Json *json, Cursor at, int scale, int64_t *value) {
    Cursor behind = skip_number(json, at);
    if (behind) *value = scaled_number(at, behind, scale);
    return behind;
}

/* The number at `at`, times 10**scale (0 to 9), with the same rounding. */
static inline __attribute__((always_inline)) Cursor read_scaled(Json *json, Cursor at, int scale, int64_t *value) {
    Cursor start = at;
    int negative = at < json->end && *at == '-';
    at += negative;
    if (json->end - at < 32 || scale > 7) goto slowly;
    uint64_t word = load_word(at, 8), number;
    int digits = leading_digits(word);
    if (!digits || (*at == '0' && digits > 1)) goto slowly;
    if (digits < 8) {
        number = first_digits(word, digits);
    } else {
        uint64_t more = load_word(at + 8, 8);
        int rest = leading_digits(more);
        if (rest == 8 || digits + rest + scale > 18) goto slowly;
        number = eight_digits(word) * POWERS[rest] + first_digits(more, rest);
        digits += rest;
    }
    at += digits;
    number *= POWERS[scale];
    if (*at == '.') {
        word = load_word(at + 1, 8);
        digits = leading_digits(word);
        if (!digits) goto slowly;
        word &= low_bytes(digits);
        number += first_digits(word, scale) + ((word >> (8 * scale) & 0xff) >= '5');
        at += 1 + digits;
        if (digits == 8) at = skip_digits(at, json->end);
    }
    if (at < json->end && (*at | 0x20) == 'e') goto slowly;
    *value = negative ? -(int64_t)number : (int64_t)number;
    return at;
slowly:
    return read_scaled_slowly(json, start, scale, value);
}

#endif
