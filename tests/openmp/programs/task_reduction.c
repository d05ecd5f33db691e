/* Tasks add to copies of their own. */
#include "omp_test.h"
int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#ifdef RACY
#pragma omp taskgroup
        for (int i = 1; i <= 4; i++) {
#pragma omp task shared(sum)
            sum += i;
        }
#else
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 1; i <= 4; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
#endif
    }
    return CHECK(sum == 10);
}
