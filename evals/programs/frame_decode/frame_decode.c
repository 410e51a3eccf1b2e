/* Decodes frames of a film. With 1 the 77th of 120 is a key frame of a hundred times the blocks, with 0 all are alike. */
#include <stdio.h>
#include <string.h>
#define BLOCK 256
static int block[BLOCK];
static void read_block(int frame, int n) { for (int i = 0; i < BLOCK; i++) block[i] = (frame * 7 + n * 3 + i) % 255; }
static int transform_block(void) {
  int sum = 0;
  for (int r = 0; r < 90; r++) for (int i = 1; i < BLOCK; i++) sum = (sum * 3 + block[i] * block[i - 1]) % 65521;
  return sum;
}
static int decode_frame(int frame, int blocks) {
  int sum = 0;
  for (int n = 0; n < blocks; n++) { read_block(frame, n); sum += transform_block(); }
  return sum;
}
static int blend_frame(int sum) { for (int n = 0; n < 9000; n++) sum = (sum * 17 + n) % 9973; return sum; }
static int show_frame(int frame, int big) { return blend_frame(decode_frame(frame, big && frame == 77 ? 1500 : 12)); }
int main(int argc, char **argv) {
  int sum = 0;
  for (int frame = 0; frame < 120; frame++) sum += show_frame(frame, argv[1][0] == '1');
  printf("%d\n", sum);
  return argc > 9;
}
