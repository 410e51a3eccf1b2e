/* Sorts seeds by weight with a bubble sort, looks each up in a hash table with a poor hash, and copies labels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 900
#define SLOTS 64
struct seed { int weight; char label[24]; struct seed *next; };
static struct seed seeds[SEEDS];
static struct seed *slots[SLOTS];

static unsigned poor_hash(const char *label) { return (unsigned)label[0] % SLOTS; }

static void put_seed(struct seed *one) {
    unsigned slot = poor_hash(one->label);
    one->next = slots[slot];
    slots[slot] = one;
}

static int same_label(const char *a, const char *b) { return strcmp(a, b) == 0; }

static struct seed *find_seed(const char *label) {
    for (struct seed *one = slots[poor_hash(label)]; one; one = one->next)
        if (same_label(one->label, label)) return one;
    return NULL;
}

static void swap_seeds(struct seed *a, struct seed *b) {
    struct seed kept = *a;
    *a = *b;
    *b = kept;
}

static void bubble_sort(void) {
    for (int pass = 0; pass < SEEDS; pass++)
        for (int n = 0; n + 1 < SEEDS - pass; n++)
            if (seeds[n].weight > seeds[n + 1].weight) swap_seeds(&seeds[n], &seeds[n + 1]);
}

static void make_label(char *label, int n) { snprintf(label, 24, "seed-%04d", n); }

static void sow(void) {
    for (int n = 0; n < SEEDS; n++) {
        seeds[n].weight = (n * 7919) % 1009;
        make_label(seeds[n].label, n);
    }
}

static int harvest(void) {
    char label[24];
    int sum = 0;
    for (int n = 0; n < SEEDS; n++) {
        make_label(label, n);
        sum += find_seed(label)->weight;
    }
    return sum;
}

int main(void) {
    sow();
    bubble_sort();
    for (int n = 0; n < SEEDS; n++) put_seed(&seeds[n]);
    int sum = 0;
    for (int year = 0; year < 3; year++) sum += harvest();
    printf("%d\n", sum);
    return 0;
}
