/* What every kernel shares: outcomes, unaligned loads that never leave the buffer, a hash, growth of columns.
 *
 * Kernels are called through ctypes without the interpreter's lock: no Python here, no globals, no output.
 * `end` is one past the last readable byte; nothing at or after it is ever read.
 */
#ifndef FLAMECHAT_BYTES_H
#define FLAMECHAT_BYTES_H

#if defined(__linux__)
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* without it C11 has no madvise */
#endif
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

typedef const uint8_t *Cursor;

/* Outcomes; traces/kernels/library.py names the same numbers. */
enum { OK = 0, MALFORMED = 1, TRUNCATED = 2, TOO_DEEP = 3, NO_MEMORY = 4, UNUSUAL = 5, OUT_OF_RANGE = 6 };

/* How many bytes were read so far, where another process may look; it never goes back. */
typedef volatile int64_t Counter;

static inline void advance(Counter *read, int64_t place) {
    if (place > *read) *read = place;
}

#define MISSING INT64_MIN
#define MAX_TOKEN_BYTES 0x7fffffff

/* Up to 8 bytes as a little-endian number, absent ones 0. */
static inline uint64_t load_word(Cursor at, size_t available) {
    uint64_t word = 0;
    if (available >= 8)
        memcpy(&word, at, 8);
    else
        for (size_t i = 0; i < available; i++)
            word |= (uint64_t)at[i] << (8 * i);
    return word;
}

static inline uint32_t load_half(Cursor at) {
    uint32_t half;
    memcpy(&half, at, sizeof half);
    return half;
}

static inline uint64_t low_bytes(int64_t count) {
    return count <= 0 ? 0 : count >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << (8 * count)) - 1;
}

static inline int same_bytes(Cursor left, Cursor right, int64_t length) {
#if defined(__SSE2__)
    if (length >= 16) {
        for (int64_t at = 0;; at = at + 32 < length ? at + 16 : length - 16) {
            __m128i same = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(left + at)), _mm_loadu_si128((const __m128i *)(right + at)));
            if (_mm_movemask_epi8(same) != 0xffff) return 0;
            if (at + 16 >= length) return 1;
        }
    }
#endif
    if (length < 4) {
        for (int64_t i = 0; i < length; i++)
            if (left[i] != right[i]) return 0;
        return 1;
    }
    if (length < 8) return load_half(left) == load_half(right) && load_half(left + length - 4) == load_half(right + length - 4);
    for (int64_t i = 0; i < length - 8; i += 8)
        if (load_word(left + i, 8) != load_word(right + i, 8)) return 0;
    return load_word(left + length - 8, 8) == load_word(right + length - 8, 8);
}

/* How many bytes stand before the first quote, at most `count`, which is a multiple of 32. */
static inline int64_t find_quote(Cursor at, int64_t count) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    for (int64_t i = 0; i < count; i += 32) {
        __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(at + i)), quote);
        __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(at + i + 16)), quote);
        unsigned hits = (unsigned)_mm_movemask_epi8(low) | (unsigned)_mm_movemask_epi8(high) << 16;
        if (hits) return i + __builtin_ctz(hits);
    }
    return count;
#else
    int64_t i = 0;
    while (i < count && at[i] != '"') i++;
    return i;
#endif
}

static inline uint64_t mix(uint64_t left, uint64_t right) {
    __uint128_t product = (__uint128_t)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_bytes(Cursor at, size_t length) {
    uint64_t state = 0x9e3779b97f4a7c15u ^ length, first = 0, last = 0;
    for (; length > 16; at += 16, length -= 16) state = mix(state ^ load_word(at, 8), load_word(at + 8, 8) ^ 0xa0761d6478bd642fu);
    if (length >= 8) { /* the two loads may overlap */
        first = load_word(at, 8);
        last = load_word(at + length - 8, 8);
    } else if (length >= 4) {
        first = load_half(at);
        last = load_half(at + length - 4);
    } else if (length) {
        first = (uint64_t)at[0] << 16 | (uint64_t)at[length / 2] << 8 | at[length - 1];
    }
    return mix(state ^ first, last ^ 0xe7037ed1a0b428dbu);
}

static inline uint64_t hash_pair(uint32_t left, uint32_t right) {
    return mix(((uint64_t)left << 32 | right) ^ 0x9e3779b97f4a7c15u, 0xa0761d6478bd642fu);
}

/* From so many bytes on memory is large; tables of more slots than `WIDE` are looked at ahead of their use, by so many rows. */
enum { LARGE = 1 << 22, WIDE = 1 << 16, SLOTS_AHEAD = 16 };

/* The same memory, in huge pages where the system has them: random places in it cost a look at a page's address each, and each
 * page a fault. All pages of it: of memory that is partly in others, a larger column would be a copy. */
static inline void *in_huge_pages(void *memory, size_t size) {
#if defined(MADV_HUGEPAGE)
    if (memory && size >= LARGE) {
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)memory & ~(page - 1);
        uintptr_t end = ((uintptr_t)memory + size + page - 1) & ~(page - 1);
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    }
#else
    (void)size;
#endif
    return memory;
}

/* A table of zeros; NULL when memory is out. */
static inline void *new_table(int64_t count, size_t width) {
    return in_huge_pages(calloc((size_t)count, width), (size_t)count * width);
}

/* Make room for `count` elements of `width` bytes; 0 when memory is out. Columns at least double. */
static inline int grow(void **column, int64_t *room, int64_t needed, size_t width) {
    if (needed <= *room) return 1;
    int64_t larger = *room * 2 > needed ? *room * 2 : needed + 16;
    if (larger > (int64_t)(PTRDIFF_MAX / width)) return 0;
    void *moved = realloc(*column, (size_t)larger * width);
    if (!moved) return 0;
    *column = in_huge_pages(moved, (size_t)larger * width);
    *room = larger;
    return 1;
}

/* How many slots a table gets that is half full: four times as many, or twice where the memory of more would cost more
 * than finding all places again. */
static inline int64_t larger_table(int64_t slot_count, int64_t first) {
    return slot_count ? slot_count * (slot_count < (1 << 21) ? 4 : 2) : first;
}

/* Interned byte strings: text i is `length[i]` bytes at `offset[i]` of the source. Order is that of first appearance. */
typedef struct {
    int64_t *offset;
    int32_t *length;
    uint32_t *hash;
    int32_t *slots; /* index + 1; 0 is free; `slot_count` is a power of two */
    int64_t count, offset_room, length_room, hash_room, slot_count;
} Names;

static inline uint32_t tag_of(uint64_t hash) { return (uint32_t)(hash >> 32); }

/* The slot that is looked at first for a text of this hash comes near, where there are so many that it is far. */
static inline void come_near(const Names *names, uint64_t hash) {
    if (names->slot_count > WIDE) __builtin_prefetch(&names->slots[tag_of(hash) & (uint64_t)(names->slot_count - 1)], 1);
}

/* And what is compared with the text in that slot. */
static inline void come_nearer(const Names *names, uint64_t hash) {
    if (names->slot_count <= WIDE) return;
    int32_t found = names->slots[tag_of(hash) & (uint64_t)(names->slot_count - 1)];
    if (found) __builtin_prefetch(&names->hash[found - 1]);
}

/* A table of more slots; 0 when memory is out. */
static inline int place_names(Names *names, int64_t slot_count) {
    int32_t *slots = names->count >= INT32_MAX - 1 ? NULL : new_table(slot_count, sizeof *slots);
    if (!slots) return 0;
    uint64_t mask = (uint64_t)slot_count - 1;
    for (int64_t i = 0; i < names->count; i++) {
        uint64_t at = names->hash[i] & mask;
        if (i + SLOTS_AHEAD < names->count) __builtin_prefetch(&slots[names->hash[i + SLOTS_AHEAD] & mask], 1);
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = (int32_t)i + 1;
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = slot_count;
    return 1;
}

/* The index of a text with this hash, or -1 when memory is out. */
static inline int32_t intern_hashed(Names *names, Cursor source, Cursor text, size_t length, uint64_t hash) {
    uint32_t tag = tag_of(hash);
    if (names->count * 2 >= names->slot_count && !place_names(names, larger_table(names->slot_count, 256))) return -1;
    uint64_t mask = (uint64_t)names->slot_count - 1, at = tag & mask;
    for (int32_t found; (found = names->slots[at]); at = (at + 1) & mask) {
        int32_t known = found - 1;
        if (names->hash[known] == tag && (size_t)names->length[known] == length &&
            same_bytes(source + names->offset[known], text, (int64_t)length))
            return known;
    }
    if (!grow((void **)&names->offset, &names->offset_room, names->count + 1, sizeof(int64_t)) ||
        !grow((void **)&names->length, &names->length_room, names->count + 1, sizeof(int32_t)) ||
        !grow((void **)&names->hash, &names->hash_room, names->count + 1, sizeof(uint32_t)))
        return -1;
    names->offset[names->count] = text - source;
    names->length[names->count] = (int32_t)length;
    names->hash[names->count] = tag;
    names->slots[at] = (int32_t)++names->count;
    return (int32_t)names->count - 1;
}

/* The index of a text, or -1 when memory is out. */
static inline int32_t intern(Names *names, Cursor source, Cursor text, size_t length) {
    return intern_hashed(names, source, text, length, hash_bytes(text, length));
}

/* The text that came last is known no more: it stands behind all others that look for its slot. */
static inline void forget_last_name(Names *names) {
    uint64_t mask = (uint64_t)names->slot_count - 1, at = names->hash[names->count - 1] & mask;
    while (names->slots[at] != names->count) at = (at + 1) & mask;
    names->slots[at] = 0;
    names->count--;
}

/* No name is looked for any more: what others need of memory may lie there. */
static inline void forget_slots(Names *names) {
    free(names->hash);
    free(names->slots);
    names->hash = NULL;
    names->slots = NULL;
    names->hash_room = names->slot_count = 0;
}

static inline void forget_names(Names *names) {
    forget_slots(names);
    free(names->offset);
    free(names->length);
    memset(names, 0, sizeof *names);
}

#endif
