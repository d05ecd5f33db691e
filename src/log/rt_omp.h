/* What a program with OpenMP leaves open (src/openmp/omp_spread.c), as the runtime reports it. */
#ifndef HEDDLE_RT_OMP_H
#define HEDDLE_RT_OMP_H

#include <stdint.h>

/* Digits of the numbers of parts of a loop, and of constructs between two barriers; the size of a
 * team that the user did not ask for. Zero: there are none. */
struct hd_omp_needs {
    uint32_t parts, constructs, team;
};
/* HEDDLE_RT_OMP_ROUND: below, a digit of parts; from here on, one of constructs. */
#define HD_OMP_CONSTRUCTS 256

/* The folder of src/openmp in debug information (CMakeLists.txt maps it): no frame of the user's.
 */
#define HD_OMP_SOURCES "heddle-openmp/"

#endif
