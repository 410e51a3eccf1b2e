/* Counts letters: ./letter_count ROUNDS. Planted: count_letters asks for the text's length at every step (text_length). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t text_length(const char *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}

static void count_letters(const char *text, int *counts) {
    for (size_t i = 0; i < text_length(text); i++) counts[(unsigned char)text[i]]++;
}

static char *make_text(int seed, int length) {
    char *text = malloc(length + 1);
    for (int i = 0; i < length; i++) text[i] = 'a' + (i * 7 + seed) % 26;
    text[length] = 0;
    return text;
}

static int most(const int *counts) {
    int best = 0;
    for (int i = 1; i < 256; i++)
        if (counts[i] > counts[best]) best = i;
    return best;
}

int main(int count, char **words) {
    int counts[256] = {0};
    for (int n = 0; n < atoi(words[1]); n++) {
        char *text = make_text(n, 300);
        count_letters(text, counts);
        free(text);
    }
    printf("%c %d\n", most(counts), count);
    return 0;
}
