/* A league of teams on the host. */
#include "omp_test.h"
int main(void)
{
    int a[12] = {0}, x = 0;
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(2) map(tofrom : a, x)
    for (int i = 0; i < 12; i++) {
        a[i] = i;
#ifdef RACY
        x = i;
#endif
    }
    return CHECK(a[11] == 11 && x >= 0);
}
