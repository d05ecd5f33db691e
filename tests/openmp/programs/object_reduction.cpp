// A reduction of one's own over objects.
#include "omp_test.h"
struct sum {
    int value = 0;
    void add(const sum &other)
    {
        value += other.value;
    }
};
#pragma omp declare reduction(merge:sum : omp_out.add(omp_in)) initializer(omp_priv = sum())
int main()
{
    sum total;
#ifdef RACY
#pragma omp parallel for num_threads(3)
#else
#pragma omp parallel for num_threads(3) reduction(merge : total)
#endif
    for (int i = 0; i < 9; i++)
        total.value += i;
    return CHECK(total.value == 36);
}
