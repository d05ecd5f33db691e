/* Every thread takes a slot of its own; racy when reading and counting are two steps. */
#include "omp_test.h"
int main(void)
{
    int next = 0, a[8] = {0};
#pragma omp parallel num_threads(4)
    {
        int mine;
#ifdef RACY
        mine = next;
#pragma omp atomic
        next++;
#else
#pragma omp atomic capture
        mine = next++;
#endif
        a[mine] = 1;
    }
    return CHECK(a[0] == 1);
}
