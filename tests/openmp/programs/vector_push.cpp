// Threads that append to one vector.
#include "omp_test.h"
#include <vector>
int main()
{
    std::vector<int> all;
    all.reserve(16);
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 6; i++) {
#ifdef RACY
        all.push_back(i);
#else
#pragma omp critical
        all.push_back(i);
#endif
    }
    return CHECK(all.size() == 6);
}
