/* For fuzz targets: what does not hold aborts, which libFuzzer reports with the input. */
#ifndef HD_TESTS_FUZZ_REQUIRE_H
#define HD_TESTS_FUZZ_REQUIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const char *detail)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s: %s\n", what, detail);
    abort();
}

#endif
