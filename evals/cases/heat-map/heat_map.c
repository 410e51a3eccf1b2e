/* Sums a grid: ./heat_map ROUNDS SIDE. Planted: sum_columns walks memory against its order. */
#include <stdio.h>
#include <stdlib.h>

static void fill(float *grid, int side) {
    for (int i = 0; i < side * side; i++) grid[i] = (float)(i % 255);
}

static double sum_columns(const float *grid, int side) {
    double total = 0;
    for (int x = 0; x < side; x++)
        for (int y = 0; y < side; y++) total += grid[y * side + x] * 0.5;
    return total;
}

static double sum_diagonal(const float *grid, int side) {
    double total = 0;
    for (int i = 0; i < side; i++) total += grid[i * side + i];
    return total;
}

int main(int count, char **words) {
    int rounds = atoi(words[1]), side = atoi(words[2]);
    float *grid = malloc(sizeof(float) * side * side);
    double total = count;
    for (int n = 0; n < rounds; n++) {
        fill(grid, side);
        total += sum_columns(grid, side) + sum_diagonal(grid, side);
    }
    printf("%f\n", total);
    return 0;
}
