/* A task that is over when its event is fulfilled: taskwait waits for that. */
#include "omp_test.h"
int main(void)
{
    int x = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
        {
#pragma omp task shared(x) firstprivate(event)
            {
#ifdef RACY
                omp_fulfill_event(event);
                x = 1;
#else
                x = 1;
                omp_fulfill_event(event);
#endif
            }
        }
#pragma omp taskwait
        x += 2;
    }
    return CHECK(x == 3);
}
