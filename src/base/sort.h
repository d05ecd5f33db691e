/* Sorting that can be left: as qsort_r, but long lists are sorted in pieces and merged, and between
 * pieces it looks whether the work in hand has to end (base/stop.h). Elements that are equal keep
 * their order.
 */
#ifndef HD_BASE_SORT_H
#define HD_BASE_SORT_H

#include <stddef.h>

/* compare: as for qsort_r. When the scope stops, the elements are left in some order. */
void hd_sort(void *data, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
             void *arg);

#endif
