/* Blurs lines of pixels: `blur` takes about a quarter of it, and the argument in percent more. */
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4096, LINES = 2400 };

static unsigned line[WIDTH];

__attribute__((noinline)) void make(unsigned seed)
{
    for (int i = 0; i < WIDTH; i++)
        line[i] = (seed * 7919u + (unsigned)i * 104729u) % 65536u;
}

__attribute__((noinline)) unsigned blur(int steps)
{
    unsigned x = 1;
    for (int i = 0; i < steps; i++)
        x = (x * 31u + line[i % WIDTH]) % 1000003u;
    return x;
}

__attribute__((noinline)) unsigned sharpen(void)
{
    unsigned total = 0;
    for (int i = 1; i < 2 * WIDTH - 1; i++)
        total = (total * 33u + line[i % WIDTH]) % 1000003u;
    return total;
}

__attribute__((noinline)) unsigned histogram(void)
{
    static unsigned bins[256];
    unsigned most = 0;
    for (int i = 0; i < 3 * WIDTH; i++) {
        unsigned *bin = &bins[(line[i % WIDTH] % 251u) & 255u];
        *bin += 1;
        most = *bin > most ? *bin : most;
    }
    return most;
}

int main(int count, char **arguments)
{
    int steps = 80 * (100 + (count > 1 ? atoi(arguments[1]) : 0));
    unsigned total = 0;
    for (unsigned seed = 0; seed < LINES; seed++) {
        make(seed);
        total += blur(steps) + sharpen() + histogram();
    }
    printf("%u\n", total);
    return 0;
}
