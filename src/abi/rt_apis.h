/* The functions whose meaning for other threads the runtime knows: the interposers, their real
 * counterparts, what the pass knows of their results and `heddle doctor --apis` are all made from
 * this table.
 *
 * X(group, result, name, (parameters), on what the result depends, what it becomes in the trace)
 * The result depends on
 *   ARGS  the arguments, and which events the call made: a schedule fixes those
 *   OWN   the arguments and what the call itself read
 *   PAST  anything: all reads of the thread so far
 * Headers for the types are the includer's business: only the columns it expands matter.
 */
#ifndef HEDDLE_RT_APIS_H
#define HEDDLE_RT_APIS_H

#include "abi/rt_apis_libc.h"
#include "abi/rt_pure.h"

enum hd_api_dep { HD_DEP_ARGS, HD_DEP_OWN, HD_DEP_PAST };

/* One function a line. */
/* clang-format off */
#define HD_APIS_THREAD(X) \
    X(thread, int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), ARGS, "fork") \
    X(thread, int, pthread_join, (pthread_t, void **), ARGS, "join") \
    X(thread, int, pthread_tryjoin_np, (pthread_t, void **), ARGS, "join, or ar of its end") \
    X(thread, int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *), ARGS, "join, or ar of its end; virtual clock") \
    X(thread, int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *), ARGS, "join, or ar of its end; virtual clock") \
    X(thread, int, pthread_detach, (pthread_t), ARGS, "none") \
    X(thread, int, pthread_setname_np, (pthread_t, const char *), ARGS, "names the thread in messages") \
    X(thread, int, pthread_once, (pthread_once_t *, void (*)(void)), ARGS, "acq, ar, aw, rel") \
    X(thread, int, sched_yield, (void), ARGS, "point to switch")

#define HD_APIS_MUTEX(X) \
    X(mutex, int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *), ARGS, "none") \
    X(mutex, int, pthread_mutex_destroy, (pthread_mutex_t *), ARGS, "w of its memory") \
    X(mutex, int, pthread_mutex_lock, (pthread_mutex_t *), ARGS, "acq") \
    X(mutex, int, pthread_mutex_trylock, (pthread_mutex_t *), ARGS, "acq or tryfail") \
    X(mutex, int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *), ARGS, "acq or tryfail; virtual clock") \
    X(mutex, int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *), ARGS, "acq or tryfail; virtual clock") \
    X(mutex, int, pthread_mutex_unlock, (pthread_mutex_t *), ARGS, "rel") \
    X(mutex, int, pthread_mutex_consistent, (pthread_mutex_t *), ARGS, "none")

#define HD_APIS_COND(X) \
    X(cond, int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *), ARGS, "none") \
    X(cond, int, pthread_cond_destroy, (pthread_cond_t *), ARGS, "w of its memory") \
    X(cond, int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *), ARGS, "wait, wake") \
    X(cond, int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *), ARGS, "wait, wake or tmo; virtual clock") \
    X(cond, int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *), ARGS, "wait, wake or tmo; virtual clock") \
    X(cond, int, pthread_cond_signal, (pthread_cond_t *), ARGS, "sig") \
    X(cond, int, pthread_cond_broadcast, (pthread_cond_t *), ARGS, "bcast")

#define HD_APIS_SEM(X) \
    X(sem, int, sem_init, (sem_t *, int, unsigned), ARGS, "directive sem") \
    X(sem, int, sem_destroy, (sem_t *), ARGS, "w of its memory") \
    X(sem, int, sem_wait, (sem_t *), ARGS, "sem") \
    X(sem, int, sem_trywait, (sem_t *), ARGS, "sem, or ar of the count") \
    X(sem, int, sem_timedwait, (sem_t *, const struct timespec *), ARGS, "sem, or ar of the count; virtual clock") \
    X(sem, int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *), ARGS, "sem, or ar of the count; virtual clock") \
    X(sem, int, sem_post, (sem_t *), ARGS, "post") \
    X(sem, int, sem_getvalue, (sem_t *, int *), ARGS, "ar of the count, w of the result")

#define HD_APIS_RWLOCK(X) \
    X(rwlock, int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *), ARGS, "none") \
    X(rwlock, int, pthread_rwlock_destroy, (pthread_rwlock_t *), ARGS, "w of its memory") \
    X(rwlock, int, pthread_rwlock_rdlock, (pthread_rwlock_t *), ARGS, "racq") \
    X(rwlock, int, pthread_rwlock_wrlock, (pthread_rwlock_t *), ARGS, "acq") \
    X(rwlock, int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *), ARGS, "racq or tryfail") \
    X(rwlock, int, pthread_rwlock_trywrlock, (pthread_rwlock_t *), ARGS, "acq or tryfail") \
    X(rwlock, int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *), ARGS, "racq or tryfail; virtual clock") \
    X(rwlock, int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *), ARGS, "acq or tryfail; virtual clock") \
    X(rwlock, int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *), ARGS, "racq or tryfail; virtual clock") \
    X(rwlock, int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *), ARGS, "acq or tryfail; virtual clock") \
    X(rwlock, int, pthread_rwlock_unlock, (pthread_rwlock_t *), ARGS, "rel or rrel")

#define HD_APIS_BARRIER(X) \
    X(barrier, int, pthread_barrier_init, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned), ARGS, "directive barrier") \
    X(barrier, int, pthread_barrier_destroy, (pthread_barrier_t *), ARGS, "w of its memory") \
    X(barrier, int, pthread_barrier_wait, (pthread_barrier_t *), ARGS, "barin, barout") \
    X(spin, int, pthread_spin_init, (pthread_spinlock_t *, int), ARGS, "none") \
    X(spin, int, pthread_spin_destroy, (pthread_spinlock_t *), ARGS, "w of its memory") \
    X(spin, int, pthread_spin_lock, (pthread_spinlock_t *), ARGS, "acq") \
    X(spin, int, pthread_spin_trylock, (pthread_spinlock_t *), ARGS, "acq or tryfail") \
    X(spin, int, pthread_spin_unlock, (pthread_spinlock_t *), ARGS, "rel")

#define HD_APIS_C11(X) \
    X(c11, int, thrd_create, (thrd_t *, thrd_start_t, void *), ARGS, "fork") \
    X(c11, int, thrd_join, (thrd_t, int *), ARGS, "join") \
    X(c11, int, thrd_detach, (thrd_t), ARGS, "none") \
    X(c11, void, thrd_yield, (void), ARGS, "point to switch") \
    X(c11, int, thrd_sleep, (const struct timespec *, struct timespec *), ARGS, "virtual clock") \
    X(c11, int, mtx_init, (mtx_t *, int), ARGS, "none") \
    X(c11, void, mtx_destroy, (mtx_t *), ARGS, "w of its memory") \
    X(c11, int, mtx_lock, (mtx_t *), ARGS, "acq") \
    X(c11, int, mtx_trylock, (mtx_t *), ARGS, "acq or tryfail") \
    X(c11, int, mtx_timedlock, (mtx_t *, const struct timespec *), ARGS, "acq or tryfail; virtual clock") \
    X(c11, int, mtx_unlock, (mtx_t *), ARGS, "rel") \
    X(c11, int, cnd_init, (cnd_t *), ARGS, "none") \
    X(c11, void, cnd_destroy, (cnd_t *), ARGS, "w of its memory") \
    X(c11, int, cnd_wait, (cnd_t *, mtx_t *), ARGS, "wait, wake") \
    X(c11, int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *), ARGS, "wait, wake or tmo; virtual clock") \
    X(c11, int, cnd_signal, (cnd_t *), ARGS, "sig") \
    X(c11, int, cnd_broadcast, (cnd_t *), ARGS, "bcast") \
    X(c11, void, call_once, (once_flag *, void (*)(void)), ARGS, "acq, ar, aw, rel")

#define HD_APIS_CXX(X) \
    X(cxx, int, __cxa_guard_acquire, (char *), ARGS, "acq, ar") \
    X(cxx, void, __cxa_guard_release, (char *), ARGS, "aw, rel") \
    X(cxx, void, __cxa_guard_abort, (char *), ARGS, "aw, rel") \
    X(cxx, void, __cxa_end_catch, (void), ARGS, "rmw of the exception's header") \
    X(cxx, void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, (void **), ARGS, "as __cxa_end_catch: a std::exception_ptr goes") \
    X(cxx, size_t, _ZSt11_Hash_bytesPKvmm, (const void *, size_t, size_t), OWN, "r of the bytes; std::hash") \
    X(cxx, unsigned __int128, _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm, (const void *, size_t, size_t, size_t), OWN, "r, w of the table; std::unordered_map and others") \
    X(cxx, size_t, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm, (const void *, size_t), OWN, "r, w of the table")

#define HD_APIS_TIME(X) \
    X(time, unsigned, sleep, (unsigned), ARGS, "virtual clock") \
    X(time, int, usleep, (useconds_t), ARGS, "virtual clock") \
    X(time, int, nanosleep, (const struct timespec *, struct timespec *), ARGS, "virtual clock") \
    X(time, int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *), ARGS, "virtual clock") \
    X(time, int, clock_gettime, (clockid_t, struct timespec *), ARGS, "virtual clock; w of the result") \
    X(time, int, gettimeofday, (struct timeval *, void *), ARGS, "virtual clock; w of the result") \
    X(time, time_t, time, (time_t *), ARGS, "virtual clock; w of the result") \
    X(time, int, timespec_get, (struct timespec *, int), ARGS, "virtual clock; w of the result")

#define HD_APIS_INPUT(X) \
    X(input, ssize_t, getrandom, (void *, size_t, unsigned), ARGS, "numbers from the seed; w of the result") \
    X(input, int, getentropy, (void *, size_t), ARGS, "numbers from the seed; w of the result") \
    X(input, void, arc4random_buf, (void *, size_t), ARGS, "numbers from the seed; w of the result") \
    X(input, uint32_t, arc4random, (void), ARGS, "numbers from the seed") \
    X(input, uint32_t, arc4random_uniform, (uint32_t), ARGS, "numbers from the seed") \
    X(input, int, rand, (void), PAST, "libc's numbers; a search over schedules does not order them") \
    X(input, long, random, (void), PAST, "libc's numbers; a search over schedules does not order them") \
    X(input, long, lrand48, (void), PAST, "libc's numbers; a search over schedules does not order them") \
    X(input, double, drand48, (void), PAST, "libc's numbers; a search over schedules does not order them") \
    X(input, pid_t, getpid, (void), ARGS, "a replay returns the recorded one")

#define HD_APIS_HEAP(X) \
    X(heap, void *, malloc, (size_t), ARGS, "a new block") \
    X(heap, void *, calloc, (size_t, size_t), ARGS, "a new block") \
    X(heap, void *, realloc, (void *, size_t), ARGS, "r, a new block, w, w of the old block") \
    X(heap, void *, reallocarray, (void *, size_t, size_t), ARGS, "r, a new block, w, w of the old block") \
    X(heap, void *, memalign, (size_t, size_t), ARGS, "a new block") \
    X(heap, void *, aligned_alloc, (size_t, size_t), ARGS, "a new block") \
    X(heap, int, posix_memalign, (void **, size_t, size_t), ARGS, "a new block") \
    X(heap, void *, valloc, (size_t), ARGS, "a new block") \
    X(heap, void *, pvalloc, (size_t), ARGS, "a new block") \
    X(heap, void, free, (void *), ARGS, "w of what was used, if threads share the block")

#define HD_APIS_IO(X) \
    X(io, ssize_t, read, (int, void *, size_t), PAST, "waits; w, sem on a channel") \
    X(io, ssize_t, readv, (int, const struct iovec *, int), PAST, "waits; w, sem on a channel") \
    X(io, ssize_t, recv, (int, void *, size_t, int), PAST, "waits; w, sem on a channel") \
    X(io, ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *), PAST, "waits; w, sem on a channel") \
    X(io, ssize_t, recvmsg, (int, struct msghdr *, int), PAST, "waits; w, sem on a channel") \
    X(io, ssize_t, write, (int, const void *, size_t), PAST, "waits; r, post on a channel, w of what is mapped of a file") \
    X(io, ssize_t, writev, (int, const struct iovec *, int), PAST, "as write") \
    X(io, ssize_t, pwrite, (int, const void *, size_t, off_t), PAST, "r; w of what is mapped of the file") \
    X(io, ssize_t, pwrite64, (int, const void *, size_t, off64_t), PAST, "as pwrite") \
    X(io, ssize_t, pwritev, (int, const struct iovec *, int, off_t), PAST, "as pwrite") \
    X(io, ssize_t, pwritev64, (int, const struct iovec *, int, off64_t), PAST, "as pwrite") \
    X(io, ssize_t, send, (int, const void *, size_t, int), PAST, "waits; r, post on a channel") \
    X(io, ssize_t, sendto, (int, const void *, size_t, int, const struct sockaddr *, socklen_t), PAST, "waits; r, post on a channel") \
    X(io, ssize_t, sendmsg, (int, const struct msghdr *, int), PAST, "waits; r, post on a channel") \
    X(io, int, socketpair, (int, int, int, int *), PAST, "none") \
    X(io, int, accept, (int, struct sockaddr *, socklen_t *), PAST, "waits; sem for a connect, w") \
    X(io, int, accept4, (int, struct sockaddr *, socklen_t *, int), PAST, "waits; sem for a connect, w") \
    X(io, int, connect, (int, const struct sockaddr *, socklen_t), PAST, "looks who listens; post; others run meanwhile") \
    X(io, int, listen, (int, int), PAST, "aw: from now on connect finds a listener") \
    X(io, int, poll, (struct pollfd *, nfds_t, int), PAST, "waits; ar of channels, w") \
    X(io, int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *), PAST, "waits; ar of channels, w") \
    X(io, int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *), PAST, "waits; ar of channels, w") \
    X(io, int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *), PAST, "waits; ar of channels, w") \
    X(io, int, epoll_wait, (int, struct epoll_event *, int, int), PAST, "waits; ar of the channels it watches, w") \
    X(io, int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *), PAST, "as epoll_wait; with a mask others run meanwhile") \
    X(io, int, epoll_ctl, (int, int, int, struct epoll_event *), PAST, "kept for epoll_wait") \
    X(io, int, pipe, (int *), PAST, "w of the descriptors") \
    X(io, int, pipe2, (int *, int), PAST, "w of the descriptors") \
    X(io, int, eventfd, (unsigned, int), PAST, "none") \
    X(io, int, eventfd_read, (int, eventfd_t *), PAST, "waits; sem") \
    X(io, int, eventfd_write, (int, eventfd_t), PAST, "post") \
    X(io, int, close, (int), PAST, "rmw of the channel's end, if a thread looks") \
    X(io, int, shutdown, (int, int), PAST, "as close") \
    X(io, long, syscall, (long, ...), PAST, "futex: ar of the word; waits")

#define HD_APIS_PROCESS(X) \
    X(process, pid_t, fork, (void), PAST, "the child has a trace of its own") \
    X(process, pid_t, vfork, (void), PAST, "as fork") \
    X(process, pid_t, wait, (int *), PAST, "others run meanwhile") \
    X(process, pid_t, waitpid, (pid_t, int *, int), PAST, "others run meanwhile") \
    X(process, pid_t, wait3, (int *, int, struct rusage *), PAST, "others run meanwhile") \
    X(process, pid_t, wait4, (pid_t, int *, int, struct rusage *), PAST, "others run meanwhile") \
    X(process, int, waitid, (idtype_t, id_t, siginfo_t *, int), PAST, "others run meanwhile") \
    X(process, int, posix_spawn, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *, char *const *), PAST, "w of the process id; named: the program it starts is not recorded") \
    X(process, int, posix_spawnp, (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const *, char *const *), PAST, "as posix_spawn") \
    X(process, int, system, (const char *), PAST, "others run meanwhile") \
    X(process, int, pclose, (FILE *), PAST, "others run meanwhile") \
    X(process, int, pause, (void), PAST, "others run meanwhile") \
    X(process, int, sigsuspend, (const sigset_t *), PAST, "others run meanwhile") \
    X(process, int, sigwait, (const sigset_t *, int *), PAST, "others run meanwhile; sem for a signal of the program itself") \
    X(process, int, sigwaitinfo, (const sigset_t *, siginfo_t *), PAST, "others run meanwhile; sem for a signal of the program itself") \
    X(process, int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *), PAST, "others run meanwhile; sem for a signal of the program itself") \
    X(process, int, flock, (int, int), PAST, "others run meanwhile") \
    X(process, int, lockf, (int, int, off_t), PAST, "others run meanwhile")

#define HD_APIS_CANCEL(X) \
    X(cancel, int, pthread_cancel, (pthread_t), ARGS, "aw of a request; cancellation points are ar of it") \
    X(cancel, void, pthread_testcancel, (void), ARGS, "ar of the request") \
    X(cancel, int, pthread_setcancelstate, (int, int *), ARGS, "none") \
    X(cancel, int, pthread_setcanceltype, (int, int *), ARGS, "asynchronous is taken as deferred, and named")

#define HD_APIS_END(X) \
    X(end, void, _exit, (int), ARGS, "the last value is kept") \
    X(end, void, _Exit, (int), ARGS, "the last value is kept") \
    X(end, void, exit, (int), ARGS, "threads that can still run do so first") \
    X(end, void, quick_exit, (int), ARGS, "as exit; the last value is kept") \
    X(end, int, __libc_start_main, (int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *), PAST, "main's return is as exit") \
    X(end, void, abort, (void), ARGS, "the last value is kept") \
    X(end, void, __assert_fail, (const char *, const char *, unsigned, const char *), ARGS, "none") \
    X(signal, int, raise, (int), ARGS, "post; sem before the handler") \
    X(signal, int, kill, (pid_t, int), ARGS, "post when it is for this process; sem before the handler") \
    X(signal, int, pthread_kill, (pthread_t, int), ARGS, "post; sem before the handler") \
    X(signal, int, sigqueue, (pid_t, int, const union sigval), ARGS, "as kill") \
    X(signal, int, pthread_sigqueue, (pthread_t, int, const union sigval), ARGS, "as pthread_kill")

#define HD_APIS_SIGNAL(X) \
    X(signal, int, sigaction, (int, const struct sigaction *, struct sigaction *), ARGS, "handlers run at points to switch") \
    X(signal, __sighandler_t, signal, (int, __sighandler_t), ARGS, "handlers run at points to switch")

#define HD_APIS_MAP(X) \
    X(map, void *, mmap, (void *, size_t, int, int, int, off_t), ARGS, "new memory") \
    X(map, void *, mmap64, (void *, size_t, int, int, int, off_t), ARGS, "new memory") \
    X(map, void *, mremap, (void *, size_t, size_t, int, ...), ARGS, "the memory is gone, new memory") \
    X(map, int, munmap, (void *, size_t), ARGS, "the memory is gone")                                  \
    X(map, int, mprotect, (void *, size_t, int), ARGS, "goes on; a search is not called complete") \
    X(map, void *, shmat, (int, const void *, int), ARGS, "new memory, shared by all that attach it") \
    X(map, int, shmdt, (const void *), ARGS, "the memory is gone")

#define HD_APIS_LOAD(X) \
    X(load, int, dlclose, (void *), PAST, "names what was loaded without instrumentation")

#define HD_APIS(X) \
    HD_APIS_THREAD(X) HD_APIS_MUTEX(X) HD_APIS_COND(X) HD_APIS_SEM(X) HD_APIS_RWLOCK(X) HD_APIS_BARRIER(X) HD_APIS_C11(X) HD_APIS_CXX(X) HD_APIS_TIME(X) HD_APIS_INPUT(X) HD_APIS_HEAP(X) HD_APIS_STR(X) HD_APIS_WIDE(X) HD_APIS_IO(X) HD_APIS_STDIO(X) HD_APIS_FORTIFY(X) HD_APIS_RESULT(X) HD_APIS_PROCESS(X) HD_APIS_CANCEL(X) HD_APIS_END(X) HD_APIS_SIGNAL(X) HD_APIS_ENV(X) HD_APIS_MAP(X) HD_APIS_LOAD(X)
/* clang-format on */

#endif
