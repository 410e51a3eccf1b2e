/* Prints pages in Braille: each letter of a text becomes a cell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell { char letter; unsigned dots; };
static const struct cell table[] = {{'a', 1}, {'b', 3}, {'c', 9}, {'d', 25}, {'e', 17}, {'f', 11}, {'g', 27}, {'h', 19},
    {'i', 10}, {'j', 26}, {'k', 5}, {'l', 7}, {'m', 13}, {'n', 29}, {'o', 21}, {'p', 15}, {'q', 31}, {'r', 23},
    {'s', 14}, {'t', 30}, {'u', 37}, {'v', 39}, {'w', 58}, {'x', 45}, {'y', 61}, {'z', 53}, {' ', 0}};

static size_t length_of(const char *text) {
    size_t n = 0;
    while (text[n]) n++;
    return n;
}

static unsigned dots_of(char letter) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].letter == letter) return table[i].dots;
    return 63;
}

static void emboss(unsigned *page, const char *text) {
    for (size_t i = 0; i < length_of(text); i++) page[i] = dots_of(text[i]);
}

static unsigned mirror(unsigned dots) { return ((dots & 7) << 3) | ((dots >> 3) & 7); }

static void turn_over(unsigned *page, size_t cells) {
    for (size_t i = 0; i < cells / 2; i++) {
        unsigned kept = mirror(page[i]);
        page[i] = mirror(page[cells - 1 - i]);
        page[cells - 1 - i] = kept;
    }
}

static unsigned check_sum(const unsigned *page, size_t cells) {
    unsigned sum = 7;
    for (size_t i = 0; i < cells; i++) sum = sum * 31 + page[i];
    return sum;
}

static char *compose(int chapter, size_t letters) {
    char *text = malloc(letters + 1);
    unsigned seed = 24 + (unsigned)chapter;
    for (size_t i = 0; i < letters; i++) {
        seed = seed * 1103515245u + 12345u;
        text[i] = (seed >> 16) % 6 ? (char)('a' + (seed >> 20) % 26) : ' ';
    }
    text[letters] = 0;
    return text;
}

static unsigned print_chapter(int chapter) {
    size_t letters = 1200 + 350 * (size_t)chapter;
    char *text = compose(chapter, letters);
    unsigned *page = calloc(letters, sizeof *page);
    emboss(page, text);
    turn_over(page, letters);
    unsigned sum = check_sum(page, letters);
    free(page);
    free(text);
    return sum;
}

int main(void) {
    unsigned all = 0;
    for (int chapter = 0; chapter < 12; chapter++) all ^= print_chapter(chapter);
    printf("%u\n", all);
    return 0;
}
