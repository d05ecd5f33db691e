/* When the work in hand has to end: the user asks for it, its time is over, or memory gets short.
 *
 * A scope is opened around a piece of work with a deadline; loops inside look now and then and
 * leave early. What such a loop leaves behind is not whole, so the answer is kept: once a look in a
 * scope has said "stop", all later ones do, and hd_stop_end returns it to the code that opened the
 * scope. Scopes belong to a thread and nest: the earlier deadline holds, and an inner scope that
 * stopped does not stop the outer one by itself.
 */
#ifndef HD_BASE_STOP_H
#define HD_BASE_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_stop {
    HD_STOP_NO,
    HD_STOP_ASKED,  /* hd_interrupt_requested */
    HD_STOP_TIME,   /* the deadline is over */
    HD_STOP_MEMORY, /* too much is in use */
};

struct hd_stop_scope {
    double deadline; /* as hd_progress_now; 0: none */
    size_t memory;   /* hd_alloc_in_use above this is too much; 0: no bound */
    bool open;       /* outside of all scopes nothing stops */
    enum hd_stop why;
};

/* Opens a scope and returns the one around it, for hd_stop_end. 0: no bound of its own. */
struct hd_stop_scope hd_stop_begin(double deadline, size_t memory);
enum hd_stop
hd_stop_end(struct hd_stop_scope around); /* what ended the work; HD_STOP_NO: nothing */

double hd_stop_left(void);      /* seconds until the deadline, at least 0.001; 0: there is none */
size_t hd_stop_memory(void);    /* bytes until too much is in use; SIZE_MAX: there is no bound */
enum hd_stop hd_stop_now(void); /* looks at the clock: some 30 ns */
/* Is there room for so many bytes? False stops the scope: memory gets short. */
bool hd_stop_room(size_t bytes);
/* The same as hd_stop_now once in 1024 calls with ascending n, for loops with a counter. */
static inline bool hd_stop_often(uint64_t n)
{
    return (n & 1023) == 0 && hd_stop_now() != HD_STOP_NO;
}

#endif
