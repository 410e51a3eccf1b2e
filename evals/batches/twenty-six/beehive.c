/* Two seasons of a beehive: foragers fly in two threads, the queen lays in the main thread. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define FLOWERS 900
#define CELLS 6000

static double flower_x[FLOWERS], flower_y[FLOWERS];
static int cells[CELLS];

static double distance_to(double x, double y, int flower) {
    double dx = x - flower_x[flower], dy = y - flower_y[flower];
    return sqrt(dx * dx + dy * dy);
}

static int nearest_flower(double x, double y) {
    int best = 0;
    double least = 1e9;
    for (int i = 0; i < FLOWERS; i++) {
        double d = distance_to(x, y, i);
        if (d < least) { least = d; best = i; }
    }
    return best;
}

static double waggle_dance(int flower, double seconds) {
    double angle = atan2(flower_y[flower], flower_x[flower]);
    for (int turn = 0; turn < 40; turn++) angle += sin(angle * turn + seconds);
    return angle;
}

static double forage(int bee, int trip) {
    double x = (bee * 37 + trip) % 1000, y = (bee * 91 + trip * 3) % 1000, sum = 0;
    for (int stop = 0; stop < 8; stop++) {
        int flower = nearest_flower(x, y);
        x = flower_x[flower] + stop; y = flower_y[flower] - stop;
        sum += waggle_dance(flower, stop);
    }
    return sum;
}

static void *fly_out(void *which) {
    long group = (long)which;
    double sum = 0;
    prctl(PR_SET_NAME, group ? "foragers-b" : "foragers-a");
    long trips = group ? 27000 : 81000;
    for (long trip = 0; trip < trips; trip++) sum += forage((int)(trip % 300), (int)trip);
    printf("group %ld %.1f\n", group, sum);
    return NULL;
}

static int by_age(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void tidy_comb(void) { qsort(cells, CELLS, sizeof cells[0], by_age); }

static void lay_eggs(int day) {
    for (int i = 0; i < CELLS; i++) cells[i] = (cells[i] * 31 + day * 17 + i * 7919) % 100003;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < FLOWERS; i++) { flower_x[i] = i * 7919 % 1000; flower_y[i] = i * 104729 % 1000; }
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, fly_out, (void *)i);
    for (int day = 0; day < 2200; day++) { lay_eggs(day); tidy_comb(); }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
