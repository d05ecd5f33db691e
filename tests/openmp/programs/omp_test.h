/* For the programs of this folder: with -DRACY each has a race, without it none. */
#include <omp.h>
#include <stdio.h>
#ifdef RACY
#define CHECK(good) ((void)(good), 0)
#else
#define CHECK(good) ((good) ? 0 : (printf("wrong result\n"), 1))
#endif
