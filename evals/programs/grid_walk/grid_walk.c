/* Sums and blurs a height map. With 1 column by column, against the order of memory; with 0 row by row. */
#include <stdio.h>
#include <stdlib.h>
#define SIDE 1024
static float map[SIDE][SIDE];
__attribute__((noinline)) static void fill_map(void) {
  for (int y = 0; y < SIDE; y++) for (int x = 0; x < SIDE; x++) map[y][x] = (float)((x * 31 + y * 17) % 255);
}
__attribute__((noinline)) static double sum_columns(void) {
  double sum = 0;
  for (int x = 0; x < SIDE; x++) for (int y = 0; y < SIDE; y++) sum += map[y][x];
  return sum;
}
__attribute__((noinline)) static double sum_rows(void) {
  double sum = 0;
  for (int y = 0; y < SIDE; y++) for (int x = 0; x < SIDE; x++) sum += map[y][x];
  return sum;
}
__attribute__((noinline)) static double slope(void) {
  double most = 0;
  for (int y = 1; y < SIDE; y++) for (int x = 1; x < SIDE; x++) { double d = map[y][x] - map[y][x - 1]; if (d > most) most = d; }
  return most;
}
int main(int argc, char **argv) {
  fill_map();
  double sum = 0;
  for (int n = 0; n < 6; n++) sum += argv[1][0] == '1' ? sum_columns() : sum_rows();
  printf("%f %f\n", sum, slope());
  return argc > 9;
}
