/* Channels: pipes, socket pairs, event descriptors and connections over a network address, which
 * order the threads that use their ends.
 *
 * Each write is a `post`, and a read that reaches into what a write left is a `sem` for it. A
 * thread that is told that there is nothing to read, or that the other side is gone, looks at that
 * (enum hd_look). Data that came from outside the program has no post, and reading it no sem. Only
 * the holder of the token may call these functions; they leave errno alone.
 *
 * A message (datagrams, SOCK_SEQPACKET) is read as a whole, even if it is cut or empty. A datagram
 * belongs to the address where it goes, once a thread of the program has sent to a socket of its
 * own there; from then on all that the socket gets is taken for the program's.
 */
#ifndef HD_RT_LIBC_CHAN_H
#define HD_RT_LIBC_CHAN_H

#include "rt/core/fd.h"
#include "rt/core/rt.h"

struct hd_chan;

/* The channel that fd reads from or writes to, or NULL when it does not connect threads. */
struct hd_chan *hd_rt_chan(int fd, bool write);
/* The same of a descriptor that was looked at; to: where a datagram goes, or NULL. */
struct hd_chan *hd_rt_chan_of(const struct hd_fd *at, bool write);
struct hd_chan *hd_rt_chan_to(const struct hd_fd *at, bool write, const void *to, size_t len);
bool hd_rt_chan_messages(
    const struct hd_chan *c); /* a read takes a whole write, even of no bytes */
bool hd_rt_chan_has_message(const struct hd_chan *c); /* such a one, which no thread has read */
/* How many bytes wait to be read, of those that come to fd or (write) that it sent, of the channel
 * that hd_rt_chan found. */
int hd_rt_chan_inbox(int fd, bool write);
/* What makes fd ready to be read or accepted from. */
struct hd_chan *hd_rt_chan_source(int fd);
/* bytes: what was written, NULL: not known. */
void hd_rt_chan_sent(struct hd_chan *c, uint64_t n, const void *bytes, uintptr_t pc);
void hd_rt_chan_received(struct hd_chan *c, uint64_t n, uintptr_t pc);
void hd_rt_chan_look(const struct hd_chan *c, uintptr_t pc);   /* how much there is to read */
void hd_rt_chan_closed(const struct hd_chan *c, uintptr_t pc); /* the other side is gone */
/* Whether there is something to read or to accept. Where nothing waits, that the channel is closed
 * or not decides it. */
void hd_rt_chan_asked(const struct hd_chan *c, uintptr_t pc);
void hd_rt_chan_look_all(uintptr_t pc);                /* for a call that may have looked at any */
void hd_rt_chan_shut(struct hd_chan *c, uintptr_t pc); /* nothing more is written to it, or read */
void hd_rt_chan_closing(int fd, uintptr_t pc);         /* fd is about to be closed */

void hd_rt_chan_log_again(void);               /* counts, for a forked child */
void hd_rt_chan_pair(int a, int b);            /* the ends of a socketpair */
void hd_rt_chan_event(int fd, bool semaphore); /* an eventfd */
/* Around connect, by the kind of address: before the call, which may let the other side go on; or
 * after one that succeeded. Whatever it returned, it showed whether a thread listens. */
void hd_rt_chan_connects(const void *addr, size_t len, uintptr_t pc);
void hd_rt_chan_connected(int fd, const void *addr, size_t len, uintptr_t pc); /* AF_UNIX */
void hd_rt_chan_looked(const void *addr, size_t len, uintptr_t pc);
void hd_rt_chan_listens(int fd, uintptr_t pc);
/* False: the other side is not in this program, as far as is known. */
bool hd_rt_chan_accepted(int listener, int fd, uintptr_t pc);

#endif
