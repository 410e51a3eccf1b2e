/* Simulates wells: a grid is smoothed column by column, levels are sorted by insertion, a report is printed to a buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 1500
static double grid[SIDE][SIDE];
static char report[1 << 20];

static double mean_around(int row, int column) {
    return (grid[row - 1][column] + grid[row + 1][column] + grid[row][column - 1] + grid[row][column + 1]) / 4;
}

static void smooth_grid(void) {
    for (int column = 1; column < SIDE - 1; column++)
        for (int row = 1; row < SIDE - 1; row++) grid[row][column] = mean_around(row, column);
}

static void fill_levels(double *levels, int count, int seed) {
    for (int n = 0; n < count; n++) levels[n] = (double)((n * 7919L + seed * 104729L) % 100003);
}

static void sort_levels(double *levels, int count) {
    for (int n = 1; n < count; n++) {
        double one = levels[n];
        int k = n - 1;
        while (k >= 0 && levels[k] > one) {
            levels[k + 1] = levels[k];
            k--;
        }
        levels[k + 1] = one;
    }
}

static size_t print_report(const double *levels, int count) {
    size_t used = 0;
    for (int n = 0; n < count; n++) used += (size_t)snprintf(report + used, sizeof report - used, "%d:%.2f;", n, levels[n]);
    return used;
}

static unsigned checksum(const char *text, size_t size) {
    unsigned sum = 1;
    for (size_t n = 0; n < size; n++) sum = sum * 33 + (unsigned char)text[n];
    return sum;
}

static unsigned run_day(int day) {
    static double levels[12000];
    smooth_grid();
    fill_levels(levels, 12000, day);
    sort_levels(levels, 12000);
    unsigned sum = 0;
    for (int copy = 0; copy < 6; copy++) sum += checksum(report, print_report(levels, 12000));
    return sum;
}

int main(void) {
    unsigned sum = 0;
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) grid[row][column] = (row * 31 + column * 17) % 101;
    for (int day = 0; day < 30; day++) sum += run_day(day);
    printf("%u\n", sum);
    return 0;
}
