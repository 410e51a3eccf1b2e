/* Sorts the coins of a fountain by size and metal and counts what they are worth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int size, metal, year; } Coin;
static const int SIZES[8] = {16, 19, 20, 21, 22, 23, 24, 26};
static const int WORTH[8] = {1, 2, 10, 5, 20, 100, 50, 200};
static unsigned seed = 11;

static int dice(int n) { seed = seed * 1664525u + 1013904223u; return (int)((seed >> 8) % (unsigned)n); }

static Coin *take_coins(int n) {
    Coin *coins = malloc(sizeof(Coin) * (size_t)n);
    for (int i = 0; i < n; i++) { coins[i].size = SIZES[dice(8)]; coins[i].metal = dice(3); coins[i].year = 1999 + dice(25); }
    return coins;
}

static int is_before(const Coin *a, const Coin *b) {
    if (a->size != b->size) return a->size < b->size;
    if (a->metal != b->metal) return a->metal < b->metal;
    return a->year < b->year;
}

static void swap_coins(Coin *a, Coin *b) { Coin c = *a; *a = *b; *b = c; }

static void sort_coins(Coin *coins, int n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && is_before(&coins[j], &coins[j - 1]); j--) swap_coins(&coins[j], &coins[j - 1]);
}

static int worth_of(const Coin *coin) {
    for (int i = 0; i < 8; i++) if (SIZES[i] == coin->size) return WORTH[i];
    return 0;
}

static long count_money(const Coin *coins, int n) {
    long sum = 0;
    for (int i = 0; i < n; i++) sum += worth_of(&coins[i]);
    return sum;
}

static int print_rolls(const Coin *coins, int n, char *text) {
    int rolls = 0;
    for (int i = 0; i + 25 <= n; i += 25) { sprintf(text + strlen(text), "roll %d: size %d\n", rolls, coins[i].size); rolls++; }
    return rolls;
}

int main(void) {
    int n = 1400;
    char *text = calloc(1, 1 << 16);
    long sum = 0; int rolls = 0;
    for (int bucket = 0; bucket < 6; bucket++) {
        Coin *coins = take_coins(n);
        sort_coins(coins, n);
        sum += count_money(coins, n);
        rolls += print_rolls(coins, n, text);
        free(coins);
    }
    printf("%ld %d\n", sum, rolls);
    return 0;
}
