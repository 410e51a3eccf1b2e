/* Derives keys: ./key_powers KEYS. Planted: power multiplies as often as the exponent says. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long power(unsigned long base, unsigned int exponent, unsigned long modulus) {
    unsigned long result = 1;
    while (exponent--) result = result * base % modulus;
    return result;
}

static unsigned long seed_of(int number) { return 2 + (unsigned long)number * 2654435761u % 1000003; }

static unsigned long mix(unsigned long left, unsigned long right) {
    for (int n = 0; n < 30; n++) left ^= right << (n % 7);
    return left;
}

int main(int count, char **words) {
    unsigned long keys = count;
    for (int n = 0; n < atoi(words[1]); n++) keys = mix(keys, power(seed_of(n), 600, 1000003));
    printf("%lu\n", keys);
    return 0;
}
