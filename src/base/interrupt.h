/* Ctrl-C: the first one asks the engine to finish with what it has, the second one ends the
 * process.
 *
 * The command line calls hd_interrupt_install once. A command whose engine can give partial results
 * calls hd_interrupt_catch before it starts and hd_interrupt_release after. Engines poll
 * hd_interrupt_requested at least some ten times a second and return HD_ERR_STOPPED or a result
 * marked incomplete. Outside the two calls a signal ends the process by that signal, as usual,
 * after removing half-written output files. SIGTERM counts as Ctrl-C, so that a batch system's
 * warning gives partial results as well; SIGHUP always ends the process.
 */
#ifndef HD_BASE_INTERRUPT_H
#define HD_BASE_INTERRUPT_H

#include <stdbool.h>

void hd_interrupt_install(void);
void hd_interrupt_catch(void);
void hd_interrupt_release(void);
bool hd_interrupt_requested(void); /* any thread; one load */
/* Which signal it was, since hd_interrupt_catch; 0: none, or hd_interrupt_request. */
int hd_interrupt_signal(void);

/* As if the user had pressed Ctrl-C once. For budgets and tests. */
void hd_interrupt_request(void);
void hd_interrupt_by(int sig); /* the same by this signal, for handlers of others */
/* The same when so many milliseconds have passed. */
void hd_interrupt_after(unsigned ms);

#endif
