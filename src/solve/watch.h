/* Ends a running check of Z3 when the user presses Ctrl-C (base/interrupt.h).
 *
 * One thread for each context. Between hd_watch_busy(w, true) and hd_watch_busy(w, false) it looks
 * every 50 ms; otherwise it sleeps. If the thread cannot be started, Ctrl-C waits for the check's
 * own time limit.
 */
#ifndef HD_SOLVE_WATCH_H
#define HD_SOLVE_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <z3.h>

struct hd_watch {
    Z3_context ctx;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool busy, ending, started;
};

void hd_watch_init(struct hd_watch *w, Z3_context ctx);
void hd_watch_busy(struct hd_watch *w, bool busy);
void hd_watch_fini(struct hd_watch *w); /* before the context goes */

#endif
