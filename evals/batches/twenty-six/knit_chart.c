/* Works out how much yarn a knitting chart needs. Argument 1 is the first version, 2 the changed one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define YARNS 48
#define ROWS 160
#define STITCHES 120

static char names[YARNS][24];
static int metres[YARNS];
static int shade_of[65536];
static int changed;

static unsigned next_random(void) {
    static unsigned state = 12345;
    state = state * 1103515245u + 12345u;
    return state >> 16;
}

static void name_yarns(void) {
    for (int i = 0; i < YARNS; i++)
        snprintf(names[i], sizeof names[i], "merino-shade-%03d", i * 7 + 100);
}

static int same_name(const char *a, const char *b) {
    while (*a && *a == *b) { a++; b++; }
    return *a == *b;
}

static unsigned hash_name(const char *name) {
    unsigned h = 5381;
    while (*name) h = h * 33 + (unsigned char)*name++;
    return h & 65535;
}

static int find_yarn(const char *name) {
    for (int i = 0; i < YARNS; i++)
        if (same_name(names[i], name)) return i;
    return -1;
}

static void build_index(void) {
    for (int i = 0; i < YARNS; i++) shade_of[hash_name(names[i])] = i + 1;
}

static int look_up(const char *name) {
    return shade_of[hash_name(name)] - 1;
}

static int stitch_length(int kind) {
    int length = 10;
    for (int i = 0; i < kind; i++) length += i % 3;
    return length;
}

static void knit_row(int row) {
    for (int s = 0; s < STITCHES; s++) {
        const char *shade = names[(next_random() + row) % YARNS];
        int yarn = changed ? look_up(shade) : find_yarn(shade);
        metres[yarn] += stitch_length(s % 12);
    }
}

static void print_row(int row) {
    char line[64];
    int total = 0;
    for (int i = 0; i < YARNS; i++) {
        snprintf(line, sizeof line, "%3d %s %6d", row, names[i], metres[i]);
        total += (int)strlen(line);
    }
    if (total == 0) puts("empty");
}

static int by_metres(const void *a, const void *b) {
    return metres[*(const int *)b] - metres[*(const int *)a];
}

static void shopping_list(void) {
    int order[YARNS];
    for (int i = 0; i < YARNS; i++) order[i] = i;
    qsort(order, YARNS, sizeof order[0], by_metres);
    printf("%s first\n", names[order[0]]);
}

int main(int argc, char **argv) {
    changed = argc > 1 && argv[1][0] == '2';
    name_yarns();
    if (changed) build_index();
    for (int row = 0; row < ROWS; row++) {
        knit_row(row);
        if (row % 8 == 0) print_row(row);
    }
    shopping_list();
    return 0;
}
