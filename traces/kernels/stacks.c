/* Stacks as speedscope files write them, `[[3,2],[5,2]]` or `[[3, 2], [5, 2]]`: sixty-four bytes are looked at at once. */
#include "json.h"

/* Zeroed by the caller; give it to forget_stacks, without the columns that were taken. */
typedef struct {
    int32_t *items;
    int64_t *ends; /* `ends[i]`: the number of items up to the end of array i */
    int64_t item_count, end_count, item_room, end_room;
} Stacks;

enum { BLOCK = 64, MOST_DIGITS = 7 };
enum { BEHIND, OUTER, INNER }; /* where a delimiter stands: behind the array, in it, in one of its arrays */

/* Bit i: byte i of `count` (at most 64) is no digit. */
static inline uint64_t delimiters(Cursor at, int64_t count) {
    uint64_t found = 0;
#if defined(__SSE2__)
    if (count == BLOCK) {
        const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
        for (int i = 0; i < BLOCK; i += 16) {
            __m128i value = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(at + i)), zero);
            __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(value, nine), value);
            found |= (uint64_t)(~_mm_movemask_epi8(is_digit) & 0xffff) << i;
        }
        return found;
    }
#endif
    for (int64_t i = 0; i < count; i++) found |= (uint64_t)!is_digit(at[i]) << i;
    return found;
}

/* Whether a delimiter without digits before it may follow `before` in the outer array, and where what follows it is. */
static int enters(uint8_t before, uint8_t delimiter, int *place) {
    if (*place != OUTER) return 0;
    if (delimiter == ',') return before == ']';
    if (delimiter == '[') return *place = INNER, before != ']';
    return *place = BEHIND, delimiter == ']' && before != ',';
}

/* The arrays of whole numbers in the array that `data` is, of at most seven digits each. UNUSUAL: it is written in
   another way, or is none. */
EXPORT int64_t scan_stacks(Cursor data, int64_t length, Stacks *stacks) {
    if (length < 2 || *data != '[') return UNUSUAL;
    /* A number has a digit and a delimiter: there is room for all. What is not written to takes no memory. */
    if (!grow((void **)&stacks->items, &stacks->item_room, length / 2 + 1, sizeof *stacks->items)) return NO_MEMORY;
    int32_t *items = stacks->items;
    int64_t count = 0, last = 0; /* the place of the delimiter before */
    uint8_t before = '[';        /* the last one that is no space */
    int place = OUTER;
    for (int64_t block = 1; block < length; block += BLOCK) {
        uint64_t left = delimiters(data + block, length - block < BLOCK ? length - block : BLOCK);
        for (; left; left &= left - 1) {
            int64_t at = block + __builtin_ctzll(left), digits = at - last - 1;
            uint8_t delimiter = data[at];
            if (digits && digits <= MOST_DIGITS && place == INNER && (delimiter == ',' || delimiter == ']')) {
                if (data[last + 1] == '0' && digits > 1) return UNUSUAL;
                items[count++] = (int32_t)first_digits(load_word(data + last + 1, (size_t)(length - last - 1)), (int)digits);
            } else if (!digits && delimiter == ' ' && place != BEHIND) { /* it stands behind a comma or a bracket */
                last = at;
                continue;
            } else if (digits || !(place == INNER ? delimiter == ']' && before == '[' : enters(before, delimiter, &place))) {
                return UNUSUAL;
            }
            if (place == INNER && delimiter == ']') {
                if (!grow((void **)&stacks->ends, &stacks->end_room, stacks->end_count + 1, sizeof *stacks->ends)) return NO_MEMORY;
                stacks->ends[stacks->end_count++] = count;
                place = OUTER;
            }
            last = at;
            before = delimiter;
        }
    }
    stacks->item_count = count;
    return place == BEHIND && last == length - 1 ? OK : UNUSUAL;
}

EXPORT void forget_stacks(Stacks *stacks) {
    free(stacks->items);
    free(stacks->ends);
    memset(stacks, 0, sizeof *stacks);
}
