/* Numbers as the nearest doubles, as who decodes JSON gives them. */
#ifndef FLAMECHAT_DOUBLES_H
#define FLAMECHAT_DOUBLES_H

#include "json.h"

enum { MOST_INTEGER_DIGITS = 9, EXACT_DIGITS = 15, MOST_DIGITS = 19 };

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

/* An integer from 0 to 999,999,999; NULL where another one stands there, or where the document ends with it. */
static inline Cursor read_integer(Cursor at, Cursor end, int32_t *value) {
    Cursor first = at;
    uint64_t number = 0;
    int digits = 0;
    at = read_digits(at, end, &number, &digits);
    if (!digits || digits > MOST_INTEGER_DIGITS || (*first == '0' && digits > 1)) return NULL;
    if (at >= end || *at == '.' || (*at | 0x20) == 'e') return NULL;
    *value = (int32_t)number;
    return at;
}

#endif
