/* Tracks of sheep with collars: two threads; the grazing one copies all of a track for the distance at each point. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define POINTS 1400

struct point { double x, y; long collar; };
struct track { struct point points[POINTS]; };

void make_track(struct track *track, int sheep) {
    for (int n = 0; n < POINTS; n++) {
        track->points[n].x = n * 7 % 90 + sheep;
        track->points[n].y = n * 11 % 70 - sheep;
        track->points[n].collar = sheep * 1000L + n;
    }
}

void copy_track(struct track *to, const struct track *from) {
    for (int n = 0; n < POINTS; n++) {
        volatile struct point *point = &to->points[n];
        point->x = from->points[n].x;
        point->y = from->points[n].y;
        point->collar = from->points[n].collar;
    }
}

double distance_at(const struct track *track, int at) {
    struct track own;
    copy_track(&own, track);
    double dx = own.points[at].x - own.points[at - 1].x, dy = own.points[at].y - own.points[at - 1].y;
    return dx * dx + dy * dy;
}

double grazed(const struct track *track) {
    double sum = 0;
    for (int at = 1; at < POINTS; at++) sum += distance_at(track, at);
    return sum;
}

double howl(double at, int hour) {
    double sum = 0;
    for (int k = 1; k < 6; k++) sum += (at + hour) / k - sum * 0.3;
    return sum;
}

double wolf_risk(const struct track *track) {
    double risk = 0;
    for (int n = 0; n < POINTS; n++)
        for (int hour = 0; hour < 400; hour++) risk += howl(track->points[n].x, hour) / (1 + track->points[n].y * track->points[n].y);
    return risk;
}

void *graze(void *none) {
    static struct track track;
    double sum = 0;
    pthread_setname_np(pthread_self(), "grazing");
    for (int sheep = 1; sheep <= 420; sheep++) {
        make_track(&track, sheep);
        sum += grazed(&track);
    }
    printf("%.1f\n", sum);
    return none;
}

void *watch(void *none) {
    static struct track track;
    double sum = 0;
    pthread_setname_np(pthread_self(), "wolfwatch");
    for (int sheep = 1; sheep <= 34; sheep++) {
        make_track(&track, sheep);
        sum += wolf_risk(&track);
    }
    printf("%.1f\n", sum);
    return none;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, graze, 0);
    pthread_create(&two, 0, watch, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
