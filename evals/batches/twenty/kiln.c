/* A kiln: two threads. "loader" looks every brick's maker up in a list from its beginning, "heater" smooths temperatures. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAKERS 900
#define BRICKS 420000
struct maker { char name[24]; int bricks; struct maker *next; };
static struct maker *makers;
static double grid[400][400];

int same_name(const char *one, const char *other) { return strcmp(one, other) == 0; }
struct maker *find_maker(const char *name) {
  for (struct maker *one = makers; one; one = one->next)
    if (same_name(one->name, name)) return one;
  return NULL;
}
void stamp_brick(int n, char *into) { snprintf(into, 24, "maker %05d", n % MAKERS); }
void count_letters(const char *text, int *counts) {
  for (size_t at = 0; at < strlen(text); at++) counts[(unsigned char)text[at]]++;
}
void load_bricks(void) {
  int counts[256] = {0};
  char name[24];
  for (int n = 0; n < BRICKS; n++) {
    stamp_brick((n * 31) % 7919, name);
    find_maker(name)->bricks++;
    count_letters(name, counts);
  }
  printf("%d\n", counts['0']);
}
double around(int x, int y) { return (grid[x - 1][y] + grid[x + 1][y] + grid[x][y - 1] + grid[x][y + 1]) / 4; }
void heat_step(void) {
  for (int x = 1; x < 399; x++)
    for (int y = 1; y < 399; y++) grid[x][y] = 0.5 * grid[x][y] + 0.5 * around(x, y);
}
double hottest(void) {
  double most = 0;
  for (int x = 0; x < 400; x++)
    for (int y = 0; y < 400; y++) if (grid[x][y] > most) most = grid[x][y];
  return most;
}
void *loader(void *_) { pthread_setname_np(pthread_self(), "loader"); load_bricks(); return NULL; }
void *heater(void *_) {
  pthread_setname_np(pthread_self(), "heater");
  double sum = 0;
  for (int n = 0; n < 220; n++) { heat_step(); sum += hottest(); }
  printf("%f\n", sum);
  return NULL;
}
int main(void) {
  for (int n = 0; n < MAKERS; n++) {
    struct maker *one = calloc(1, sizeof *one);
    snprintf(one->name, 24, "maker %05d", n);
    one->next = makers; makers = one;
  }
  for (int n = 0; n < 400; n++) grid[0][n] = n;
  pthread_t a, b;
  pthread_create(&a, NULL, loader, NULL);
  pthread_create(&b, NULL, heater, NULL);
  pthread_join(a, NULL); pthread_join(b, NULL);
  return 0;
}
