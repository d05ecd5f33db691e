/* Tasks walk a list while it is built. */
#include "omp_test.h"
#include <stdlib.h>
struct node {
    struct node *next;
    int value;
};
int main(void)
{
    struct node *list = NULL;
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        struct node *n = malloc(sizeof *n);
        n->next = list;
        n->value = i;
        list = n;
    }
#pragma omp parallel num_threads(3)
#pragma omp single
    for (struct node *n = list; n; n = n->next) {
#pragma omp task firstprivate(n)
        n->value *= 2;
#ifdef RACY
        sum += n->value;
#endif
    }
    for (struct node *n = list; n; n = n->next)
        sum += n->value;
    return CHECK(sum >= 12);
}
