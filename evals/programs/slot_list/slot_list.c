/* Adds up slots of a timetable. With 1 along a list whose links jump through memory, with 0 along an array. */
#include <stdio.h>
#include <stdlib.h>
#define SLOTS 300000
typedef struct Slot { struct Slot *next; int minutes; } Slot;
static Slot slots[SLOTS];
static char notes[60000][52];
__attribute__((noinline)) static void link_slots(int jumping) {
  unsigned at = 0;
  for (unsigned n = 1; n <= SLOTS; n++) {
    unsigned to = jumping ? (unsigned)((unsigned long)n * 104729u % SLOTS) : n % SLOTS;
    slots[at].next = n == SLOTS ? 0 : &slots[to];
    slots[at].minutes = (int)(n % 60);
    at = to;
  }
}
__attribute__((noinline)) static long add_minutes(void) {
  long sum = 0;
  for (Slot *slot = slots; slot; slot = slot->next) sum += slot->minutes;
  return sum;
}
__attribute__((noinline)) static long hash_notes(void) {
  long sum = 5381;
  for (int n = 0; n < 60000; n++) for (int k = 0; k < 52; k++) sum = sum * 33 + notes[n][k];
  return sum;
}
int main(int argc, char **argv) {
  link_slots(argv[1][0] == '1');
  long sum = 0;
  for (int r = 0; r < 6; r++) sum += add_minutes();
  printf("%ld %ld\n", sum, hash_notes());
  return argc > 9;
}
