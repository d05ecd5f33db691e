/* A flag written and polled by atomics, with flushes; racy when the flag is plain. */
#include "omp_test.h"
int main(void)
{
    int data = 0, flag = 0, seen = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 3;
#pragma omp flush
#ifdef RACY
            flag = 1;
#else
#pragma omp atomic write
            flag = 1;
#endif
        } else {
            int f = 0;
            for (int i = 0; i < 1000 && !f; i++) {
#ifdef RACY
                f = flag;
#else
#pragma omp atomic read
                f = flag;
#endif
#pragma omp flush
            }
            if (f)
                seen = data;
        }
    }
    return CHECK(seen == 3 || seen == 0);
}
