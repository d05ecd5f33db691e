/* The functions whose meaning for other threads the runtime knows: the interposers, their real
 * counterparts and `heddle doctor --apis` are all made from this table.
 *
 * X(group, result, name, (parameters), what it becomes in the trace)
 * Headers for the types are the includer's business: only the columns it expands matter.
 */
#ifndef HEDDLE_RT_APIS_H
#define HEDDLE_RT_APIS_H

#define HD_APIS_THREAD(X)                                                                          \
    X(thread, int, pthread_create,                                                                 \
      (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), "fork")                    \
    X(thread, int, pthread_join, (pthread_t, void **), "join")                                     \
    X(thread, int, pthread_tryjoin_np, (pthread_t, void **), "join when it succeeds")              \
    X(thread, int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *),            \
      "join when it succeeds; virtual clock")                                                      \
    X(thread, int, pthread_clockjoin_np, (pthread_t, void **, clockid_t, const struct timespec *), \
      "join when it succeeds; virtual clock")                                                      \
    X(thread, int, pthread_detach, (pthread_t), "none")                                            \
    X(thread, int, pthread_once, (pthread_once_t *, void (*)(void)), "acq, ar, aw, rel")           \
    X(thread, int, sched_yield, (void), "point to switch")

#define HD_APIS_MUTEX(X)                                                                           \
    X(mutex, int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *), "none")    \
    X(mutex, int, pthread_mutex_destroy, (pthread_mutex_t *), "none")                              \
    X(mutex, int, pthread_mutex_lock, (pthread_mutex_t *), "acq")                                  \
    X(mutex, int, pthread_mutex_trylock, (pthread_mutex_t *), "acq or tryfail")                    \
    X(mutex, int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *),           \
      "acq or tryfail; virtual clock")                                                             \
    X(mutex, int, pthread_mutex_clocklock,                                                         \
      (pthread_mutex_t *, clockid_t, const struct timespec *), "acq or tryfail; virtual clock")    \
    X(mutex, int, pthread_mutex_unlock, (pthread_mutex_t *), "rel")                                \
    X(mutex, int, pthread_mutex_consistent, (pthread_mutex_t *), "none")

#define HD_APIS(X) HD_APIS_THREAD(X) HD_APIS_MUTEX(X)

#endif
