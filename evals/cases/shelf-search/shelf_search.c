/* Looks books up in a tree that was never balanced: ./shelf_search BOOKS. Planted: find descends as deep as there are books. */
#include <stdio.h>
#include <stdlib.h>

struct book { int number; struct book *less, *more; };

static struct book *insert(struct book *root, int number) {
    struct book *made = calloc(1, sizeof *made), **place = &root;
    made->number = number;
    while (*place) place = number < (*place)->number ? &(*place)->less : &(*place)->more;
    *place = made;
    return root;
}

static int find(const struct book *shelf, int number) {
    if (!shelf) return 0;
    if (shelf->number == number) return 1;
    return find(number < shelf->number ? shelf->less : shelf->more, number);
}

static int lend(const struct book *shelf, int number) { return find(shelf, number); }

int main(int count, char **words) {
    int books = atoi(words[1]), lent = count;
    struct book *shelf = NULL;
    for (int n = 0; n < books; n++) shelf = insert(shelf, n); /* sorted input */
    for (int n = books - 1; n >= 0; n -= 6) lent += lend(shelf, n);
    printf("%d\n", lent);
    return 0;
}
