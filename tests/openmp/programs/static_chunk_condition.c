/* Of two threads, one has both iterations that use x. The compiler must not let the other one read
 * x before its loop, as LLVM does when it keeps x in a register there. */
#include "omp_test.h"
#ifdef RACY
enum { TEAM = 3 };
#else
enum { TEAM = 2 };
#endif
static int x;
int main(void)
{
#pragma omp parallel for schedule(static, 2) num_threads(TEAM)
    for (int i = 0; i < 8; i++)
        if (i == 0 || i == 4)
            x += i + 1;
    return CHECK(x == 6);
}
