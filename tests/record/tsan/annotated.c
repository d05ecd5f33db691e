/* Synchronisation of the program's own, told in ThreadSanitizer's ways. With -DCASE=n: the variable
 * `guarded` has no race when the annotations are understood, `loud` has one. Case 7 tells nothing.
 */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#if !defined(__SANITIZE_THREAD__) || !__has_feature(thread_sanitizer)
#error "the macros are off"
#endif

void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
void __tsan_mutex_create(void *addr, unsigned flags);
void __tsan_mutex_destroy(void *addr, unsigned flags);
void __tsan_mutex_pre_lock(void *addr, unsigned flags);
void __tsan_mutex_post_lock(void *addr, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *addr, unsigned flags);
void __tsan_mutex_post_unlock(void *addr, unsigned flags);
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void AnnotateHappensBefore(const char *file, int line, const volatile void *addr);
void AnnotateHappensAfter(const char *file, int line, const volatile void *addr);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long exclusive);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long exclusive);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *p, size_t n,
                             const char *why);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))

int guarded, loud, word;

/* Nobody sees what these do with `word`. */
UNSEEN static void set(int v)
{
    __atomic_store_n(&word, v, __ATOMIC_SEQ_CST);
}

UNSEEN static int swap(int v)
{
    return __atomic_exchange_n(&word, v, __ATOMIC_SEQ_CST);
}

static void enter(void)
{
#if CASE == 1
    __tsan_mutex_pre_lock(&word, 0);
#endif
    while (swap(1))
        sched_yield();
#if CASE == 0
    __tsan_acquire(&word);
#elif CASE == 1
    __tsan_mutex_post_lock(&word, 0, 0);
#elif CASE == 2
    AnnotateHappensAfter(__FILE__, __LINE__, &word);
#elif CASE == 3
    AnnotateRWLockAcquired(__FILE__, __LINE__, &word, 1);
#endif
}

static void leave(void)
{
#if CASE == 0
    __tsan_release(&word);
#elif CASE == 1
    __tsan_mutex_pre_unlock(&word, 0);
#elif CASE == 2
    AnnotateHappensBefore(__FILE__, __LINE__, &word);
#elif CASE == 3
    AnnotateRWLockReleased(__FILE__, __LINE__, &word, 1);
#endif
    set(0);
#if CASE == 1
    __tsan_mutex_post_unlock(&word, 0);
#endif
}

static void *fiber;

static void *worker(void *arg)
{
#if CASE <= 3 || CASE == 7
    enter();
    guarded++;
    leave();
#elif CASE == 4 /* a race that is meant to be */
    guarded++;
#elif CASE == 5
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    guarded++;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#elif CASE == 6 /* one fiber, on one thread after the other */
    void *own = __tsan_get_current_fiber();
    while (swap(1))
        sched_yield();
    __tsan_switch_to_fiber(fiber, 0);
    guarded++;
    __tsan_switch_to_fiber(own, 0);
    set(0);
#endif
    loud = arg ? 1 : 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
#if CASE == 1
    __tsan_mutex_create(&word, 0);
#elif CASE == 4
    AnnotateBenignRaceSized(__FILE__, __LINE__, &guarded, sizeof guarded, "statistics");
#elif CASE == 6
    fiber = __tsan_create_fiber(0);
#endif
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, &a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#if CASE == 1
    __tsan_mutex_destroy(&word, 0);
#elif CASE == 6
    __tsan_destroy_fiber(fiber);
#endif
    return guarded != 2;
}
