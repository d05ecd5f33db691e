/* Shared memory that a process can see at several addresses: a file, a memfd, a segment of
 * System V. Each such object has a number, and each mapping of it is a view: where it lies and
 * which bytes of the object it shows. The log has a VIEW before the MAP, so that the builder takes
 * the same byte at two addresses for one. Runs in the user's process; see the rules in rt.h.
 *
 * A file is known by device, inode and time of birth. Where the file system does not tell the last,
 * an inode may come back with another file: there an object ends with its last view. Each mapping
 * of /dev/zero is an object.
 */
#ifndef HD_RT_VIEWS_H
#define HD_RT_VIEWS_H

#include "rt/core/rt.h"

#include <sys/types.h>
#include <sys/uio.h>

/* To be called by the thread that holds the token, in this order with the MAP and UNMAP. */
void hd_rt_views_mapped(uintptr_t addr, size_t n, int fd, off_t offset, bool writable);
void hd_rt_views_attached(uintptr_t addr, size_t n, int id, bool writable); /* shmat */
void hd_rt_views_unmapped(uintptr_t addr, size_t n);
/* mremap: what was seen at `from` is seen at `to`, `now` bytes of it, and the n bytes are gone. */
void hd_rt_views_moved(uintptr_t from, size_t n, uintptr_t to, size_t now);
void hd_rt_views_writable(uintptr_t addr, size_t n); /* mprotect */
/* Whether any part of the file is mapped so. */
bool hd_rt_views_of(int fd);
/* A call put n bytes of v into the file, from `offset` on: a write to what is mapped of them. */
void hd_rt_views_wrote(int fd, uint64_t offset, const struct iovec *v, size_t n, uintptr_t pc);
/* The bytes of the segment that shmat attached at addr; 0: none. */
size_t hd_rt_views_size_at(uintptr_t addr);
void hd_rt_views_log_again(void); /* for a forked child */
void hd_rt_views_forked(void);    /* there is a child, or this is one */
/* Whether the memory is a view that another process of this family may have, too. */
bool hd_rt_views_outer(uintptr_t addr);

/* The same for all addresses of a byte of shared memory; for other memory the address itself. */
uint64_t hd_rt_views_key(uintptr_t addr);
/* One of the addresses that have this key; 0: none of shared memory. */
uintptr_t hd_rt_views_address(uint64_t key);

#endif
