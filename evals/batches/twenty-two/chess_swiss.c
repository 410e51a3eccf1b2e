/* Pairings of a Swiss chess tournament: whether two have met is searched in the list of all games so far. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAYERS 120
#define ROUNDS 9

struct player { int id; int points; int rating; int paired; };
struct game { int white; int black; };

static struct player players[PLAYERS];
static struct game games[PLAYERS * ROUNDS];
static int game_count;

static int same_pair(struct game *game, int a, int b) {
  return (game->white == a && game->black == b) || (game->white == b && game->black == a);
}

static int have_met(int a, int b) {
  for (int n = 0; n < game_count; n++)
    if (same_pair(&games[n], a, b)) return 1;
  return 0;
}

static int by_points(const void *left, const void *right) {
  const struct player *a = left, *b = right;
  return a->points != b->points ? b->points - a->points : b->rating - a->rating;
}

static int score_of(struct player *a, struct player *b) {
  int gap = abs(a->rating - b->rating);
  return gap > 400 ? 400 : gap;
}

static int find_opponent(int at) {
  int best = -1, least = 1 << 30;
  for (int n = 0; n < PLAYERS; n++) {
    if (n == at || players[n].paired || have_met(players[at].id, players[n].id)) continue;
    int cost = abs(players[n].points - players[at].points) * 1000 + score_of(&players[at], &players[n]);
    if (cost < least) { least = cost; best = n; }
  }
  return best;
}

static void play(int a, int b) {
  games[game_count].white = players[a].id;
  games[game_count++].black = players[b].id;
  if (players[a].rating >= players[b].rating) players[a].points += 2; else players[b].points += 2;
}

static void print_table(FILE *out, int round) {
  for (int n = 0; n < PLAYERS; n++) fprintf(out, "%2d %3d. player %3d %4d %2d\n", round, n + 1, players[n].id, players[n].rating, players[n].points);
}

int main(void) {
  FILE *out = fopen("/dev/null", "w");
  for (int n = 0; n < PLAYERS; n++) { players[n].id = n; players[n].rating = 1400 + (n * 7919) % 900; }
  for (int round = 1; round <= ROUNDS; round++) {
    qsort(players, PLAYERS, sizeof players[0], by_points);
    for (int n = 0; n < PLAYERS; n++) players[n].paired = 0;
    for (int n = 0; n < PLAYERS; n++) {
      if (players[n].paired) continue;
      int other = find_opponent(n);
      players[n].paired = 1;
      if (other < 0) continue;
      players[other].paired = 1;
      play(n, other);
    }
    print_table(out, round);
  }
  fclose(out);
  printf("%d games\n", game_count);
  return 0;
}
