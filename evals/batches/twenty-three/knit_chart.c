/* Charts of knitting patterns: rows of a chart are counted with strlen in the loop's condition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHARTS 24
#define WIDTH 1500

static char chart[CHARTS][WIDTH + 1];

static void cast_on(void) {
    const char *stitches = "kppkyokk2tog";
    for (int c = 0; c < CHARTS; c++) {
        for (int i = 0; i < WIDTH; i++) chart[c][i] = stitches[(i * 7 + c) % 12];
        chart[c][WIDTH] = 0;
    }
}

size_t stitch_count(const char *row) {
    size_t n = 0;
    while (row[n]) n++;
    return n;
}

int mirror_row(char *row) {
    int changed = 0;
    for (size_t i = 0; i < stitch_count(row) / 2; i++) {
        char left = row[i];
        row[i] = row[stitch_count(row) - 1 - i];
        row[stitch_count(row) - 1 - i] = left;
        changed += left != row[i];
    }
    return changed;
}

int yarn_of(const char *row) {
    int yarn = 0;
    for (int i = 0; row[i]; i++) yarn += row[i] == 'y' ? 5 : row[i] == 'k' ? 3 : 2;
    return yarn;
}

unsigned checksum(const char *row) {
    unsigned sum = 17;
    for (int i = 0; row[i]; i++) sum = sum * 31 + (unsigned char)row[i];
    return sum;
}

int compare_rows(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(void) {
    char *sorted[CHARTS];
    long total = 0;
    cast_on();
    for (int c = 0; c < CHARTS; c++) {
        total += mirror_row(chart[c]);
        for (int size = 0; size < 160; size++) total += yarn_of(chart[c]) * size;
        total += checksum(chart[c]) % 97;
        sorted[c] = chart[c];
    }
    qsort(sorted, CHARTS, sizeof *sorted, compare_rows);
    printf("%ld %.5s\n", total, sorted[0]);
    return 0;
}
