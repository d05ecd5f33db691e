/* What comes from outside (abi/rt_arrivals.h): kept while recording, played in a replay.
 *
 * Calls on sockets say before they are made that they will be, and afterwards what they got. All do
 * nothing for descriptors that have no other side outside the program. Only the holder of the token
 * calls these functions, except hd_rt_arrivals_play. */
#ifndef HD_RT_CORE_LIVE_ARRIVALS_H
#define HD_RT_CORE_LIVE_ARRIVALS_H

#include "rt/core/rt.h"

struct hd_fd;
struct iovec;

uint64_t hd_rt_arrivals_path(const struct hd_thread *t); /* hd_arrivals_thread of it */
/* The program reads this descriptor or asks whether it can. */
void hd_rt_arrivals_asked(int fd);
void hd_rt_arrivals_start(void); /* a replay begins: reads the file, if there is one */
void hd_rt_arrivals_listens(int fd);
/* fd listens, was accepted from outside, or is a datagram socket with an address. */
bool hd_rt_arrivals_from(const struct hd_fd *at);

/* The thread is about to make a call on such a descriptor. */
void hd_rt_arrivals_before(struct hd_thread *me);
/* fd < 0: it failed. outside: the other side is not in this program. */
void hd_rt_arrivals_accepted(int listener, int fd, bool outside);
/* r as the call gave it; peeks: the bytes stay there. */
void hd_rt_arrivals_read(const struct hd_fd *at, long r, const struct iovec *v, size_t parts,
                         bool peeks);
/* Which of these are ready, as revents has it. */
void hd_rt_arrivals_polled(const struct pollfd *fds, size_t n);
void hd_rt_arrivals_signal(int sig, const siginfo_t *info); /* not ours; NULL: from sigwait */
/* n bytes were read from fd: the signals in them, if that is what it gives. */
void hd_rt_arrivals_signalfd(int fd, const void *buf, long n);

/* No thread can run: lets the next thing come that came in the recorded run. False: there is
 * nothing, or no replay. Lock held. */
bool hd_rt_arrivals_play(void);
/* The next that comes to the thread is a signal: it comes. False: it is something else. */
bool hd_rt_arrivals_raise(struct hd_thread *t);
bool hd_rt_arrivals_over(void); /* there was something to play, and all of it came */
/* The same for a program with one thread, until fd is ready or nothing is left to come. */
void hd_rt_arrivals_alone(int fd, short events);

#endif
