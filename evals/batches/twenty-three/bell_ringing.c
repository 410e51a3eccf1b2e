/* Changes of a ring of bells; how many ways lead to a change is counted anew for each, by recursion. gcc -pg, uftrace. */
#include <stdio.h>
#include <stdlib.h>

static int order[8];

void swap_pair(int at) {
    int bell = order[at];
    order[at] = order[at + 1];
    order[at + 1] = bell;
}

long ways_to(int change) {
    if (change < 2) return 1;
    return ways_to(change - 1) + ways_to(change - 2);
}

long strike(int bell) {
    volatile long tone = 0;
    for (int n = 0; n < 30000; n++) tone += n * bell % 11;
    return tone;
}

long ring_round(void) {
    long sum = 0;
    for (int n = 0; n < 8; n++) sum += strike(order[n]);
    return sum;
}

long muffle(void) {
    volatile long wool = 0;
    for (int n = 0; n < 14000000; n++) wool += n % 3;
    return wool;
}

void print_change(int number, long ways) { printf("%d %d%d%d %ld\n", number, order[0], order[1], order[2], ways); }

void method(int changes) {
    long sum = 0;
    for (int n = 0; n < changes; n++) {
        swap_pair(n % 7);
        sum += ring_round();
        print_change(n, ways_to(n % 17));
        if (n == 31) sum += muffle();
    }
    printf("%ld\n", sum);
}

int main(void) {
    for (int n = 0; n < 8; n++) order[n] = n + 1;
    method(40);
    return 0;
}
