/* Which seeds a test of random traces draws: HEDDLE_SEEDS=m,n those from m to n - 1, otherwise 1 to
 * `few`, or to `many` with HEDDLE_TEST_LONG=1. */
#ifndef TESTS_SEEDS_H
#define TESTS_SEEDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct seeds {
    uint64_t from, end;
};

static inline struct seeds seeds_given(uint64_t few, uint64_t many)
{
    struct seeds s = {1, 1 + (getenv("HEDDLE_TEST_LONG") ? many : few)};
    const char *given = getenv("HEDDLE_SEEDS");
    unsigned long long from, end;
    if (given && sscanf(given, "%llu,%llu", &from, &end) == 2)
        s = (struct seeds){from, end};
    return s;
}

#endif
