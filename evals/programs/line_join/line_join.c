/* Joins the lines of a report. With 1 each line is appended with strcat, which walks all that is there; with 0 the end is kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static size_t walk_to_end(const char *text) {
  size_t n = 0;
  while (text[n]) n++;
  return n;
}
__attribute__((noinline)) static void append_line(char *report, const char *line) { strcpy(report + walk_to_end(report), line); }
__attribute__((noinline)) static char *append_at(char *end, const char *line) { return stpcpy(end, line); }
__attribute__((noinline)) static void format_line(char *line, int n) { snprintf(line, 64, "%06d;%s;%d\n", n, n % 2 ? "in" : "out", n * 37 % 9000); }
__attribute__((noinline)) static unsigned checksum(const char *report) {
  unsigned sum = 17;
  for (int r = 0; r < 60; r++) for (const char *c = report; *c; c++) sum = sum * 31 + (unsigned char)*c;
  return sum;
}
__attribute__((noinline)) static void build_report(char *report, int lines, int walking) {
  char line[64], *end = report;
  *report = 0;
  for (int n = 0; n < lines; n++) {
    format_line(line, n);
    if (walking) append_line(report, line); else end = append_at(end, line);
  }
}
int main(int argc, char **argv) {
  char *report = malloc(1 << 20);
  unsigned sum = 0;
  for (int run = 0; run < 2; run++) { build_report(report, 12000, argv[1][0] == '1'); sum += checksum(report); }
  printf("%u\n", sum);
  return argc > 9;
}
