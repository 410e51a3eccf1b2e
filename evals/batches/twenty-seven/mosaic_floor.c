/* A mosaic floor: picks a stone for every cell of a picture by its colour, counts the stones, and prints the rows. */
#include <stdio.h>
#include <stdlib.h>

#define STONES 64
#define WIDE 90
#define HIGH 70

struct stone { int red, green, blue, used; };
static struct stone stones[STONES];
static int picture[HIGH][WIDE][3];
static int chosen[HIGH][WIDE];

int colour_gap(const struct stone *stone, const int *cell) {
    int r = stone->red - cell[0], g = stone->green - cell[1], b = stone->blue - cell[2];
    return r * r * 2 + g * g * 4 + b * b * 3;
}

int nearest_stone(const int *cell) {
    int best = 0, least = 1 << 30;
    for (int at = 0; at < STONES; at++) {
        int gap = colour_gap(&stones[at], cell);
        if (gap < least) { least = gap; best = at; }
    }
    return best;
}

void paint_picture(void) {
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++)
            for (int c = 0; c < 3; c++) picture[y][x][c] = (x * (c + 3) + y * y * (c + 1)) % 256;
}

void cut_stones(void) {
    srand(5);
    for (int at = 0; at < STONES; at++) {
        stones[at].red = rand() % 256; stones[at].green = rand() % 256; stones[at].blue = rand() % 256;
    }
}

int neighbours_alike(int y, int x) {
    int alike = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int v = y + dy, u = x + dx;
            if (v >= 0 && v < HIGH && u >= 0 && u < WIDE && chosen[v][u] == chosen[y][x]) alike++;
        }
    return alike;
}

int smooth_floor(void) {
    int changed = 0;
    for (int round = 0; round < 3; round++)
        for (int y = 0; y < HIGH; y++)
            for (int x = 0; x < WIDE; x++)
                if (neighbours_alike(y, x) == 1 && x > 0) { chosen[y][x] = chosen[y][x - 1]; changed++; }
    return changed;
}

void lay_floor(void) {
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++) {
            chosen[y][x] = nearest_stone(picture[y][x]);
            stones[chosen[y][x]].used++;
        }
}

int order_stones(void) {
    int needed = 0;
    for (int at = 0; at < STONES; at++)
        if (stones[at].used > 20) needed += stones[at].used - 20;
    return needed;
}

void print_rows(FILE *out) {
    for (int y = 0; y < HIGH; y++) {
        for (int x = 0; x < WIDE; x++) fprintf(out, "%02d ", chosen[y][x]);
        fputc('\n', out);
    }
}

int main(void) {
    cut_stones();
    paint_picture();
    lay_floor();
    int changed = smooth_floor();
    FILE *out = fopen("/dev/null", "w");
    print_rows(out);
    fclose(out);
    printf("%d %d\n", changed, order_stones());
    return 0;
}
