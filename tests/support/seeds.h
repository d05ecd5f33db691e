/* How many random cases a test draws: `few`, or `many` with HEDDLE_TEST_LONG=1. The sanitizers make
 * everything some ten times slower: with HEDDLE_TEST_SANITIZED=1 a third of the few must do. */
#ifndef TESTS_SEEDS_H
#define TESTS_SEEDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint64_t seeds_count(uint64_t few, uint64_t many)
{
    if (getenv("HEDDLE_TEST_LONG"))
        return many;
    return getenv("HEDDLE_TEST_SANITIZED") ? (few + 2) / 3 : few;
}

/* HEDDLE_SEEDS=m,n: those from m to n - 1. Otherwise 1 to the number above. */
struct seeds {
    uint64_t from, end;
};

static inline struct seeds seeds_given(uint64_t few, uint64_t many)
{
    struct seeds s = {1, 1 + seeds_count(few, many)};
    const char *given = getenv("HEDDLE_SEEDS");
    unsigned long long from, end;
    if (given && sscanf(given, "%llu,%llu", &from, &end) == 2)
        s = (struct seeds){from, end};
    return s;
}

#endif
