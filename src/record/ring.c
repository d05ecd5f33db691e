#include "record/ring.h"

#include "base/alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEVEL 1   /* of zstd: chunks come fast */
#define DEAR  399 /* hundredths of bytes an event from which on it is worth the time */

static uint8_t *chunk_at(const struct hd_ring *r, uint32_t number)
{
    return (uint8_t *)r->header + HD_LOG_CHUNKS_AT + (size_t)(number % HD_LOG_RING) * HD_LOG_CHUNK;
}

enum hd_status hd_ring_open(struct hd_ring *r, const struct hd_log_header *settings,
                            struct hd_err *err)
{
    /* Not a file, so that limits on files do not count; it goes when the last process lets go. */
    *r = (struct hd_ring){.id = shmget(IPC_PRIVATE, HD_LOG_BYTES, 0600)};
    void *map = r->id < 0 ? (void *)-1 : shmat(r->id, NULL, 0);
    int e = errno;
    if (r->id >= 0)
        shmctl(r->id, IPC_RMID, NULL);
    if (map == (void *)-1)
        return hd_err_set(err, HD_ERR_IO, "cannot make memory to share with the program: %s",
                          strerror(e));
    r->header = map;
    *r->header = *settings;
    r->header->magic = HD_LOG_MAGIC;
    r->header->version = HD_LOG_VERSION;
    r->header->driver = (uint32_t)getpid();
    return HD_OK;
}

void hd_ring_path(const struct hd_ring *r, char *out, size_t size)
{
    snprintf(out, size, "%010d", r->id); /* always as long: the stack starts behind it */
}

void hd_ring_close(struct hd_ring *r)
{
    if (!r->header)
        return;
    shmdt(r->header);
    r->header = NULL;
}

/* Most logs are short enough as they are; compressing one takes a third as long as recording it. */
static int level_for(const struct hd_ring *r, size_t used, uint64_t events)
{
    return r->out->size + used > events * DEAR / 100 ? LEVEL : 0;
}

static void keep(struct hd_ring *r, const uint8_t *chunk, size_t used, int level)
{
    if (!used || r->error || r->stopped)
        return;
    hd_rec_put(r->out, HD_REC_LOG, chunk, used, level);
    if (r->out->error) {
        r->error = r->out->error;
        __atomic_store_n(&r->header->stop, 1,
                         __ATOMIC_RELAXED); /* pairs with wait_for_room of rt */
    }
}

/* The recording is as long as it may be. One event may be counted whose value is not there yet. */
static void stop(struct hd_ring *r, uint64_t events)
{
    __atomic_store_n(&r->stopped, events > 1 ? events - 1 : 1, __ATOMIC_RELAXED);
    __atomic_store_n(&r->header->stop, 1, __ATOMIC_RELAXED); /* pairs with wait_for_room of rt */
}

static void drain(struct hd_ring *r)
{
    struct hd_log_header *h = r->header;
    uint32_t filled =
        __atomic_load_n(&h->filled, __ATOMIC_ACQUIRE); /* pairs with finish_chunk of rt */
    for (uint32_t n = h->drained; n != filled; n++) {
        uint32_t place = n % HD_LOG_RING;
        uint8_t *chunk = chunk_at(r, n);
        size_t used = h->used[place] <= HD_LOG_CHUNK ? h->used[place] : HD_LOG_CHUNK;
        if (r->max_size && !r->stopped && r->out->size + used > hd_log_share(r->max_size))
            stop(r, r->kept);
        keep(r, chunk, used, level_for(r, used, h->events_at[place]));
        r->kept = h->events_at[place];
        memset(chunk, 0, used);
        __atomic_store_n(&h->drained, n + 1, __ATOMIC_RELEASE); /* pairs with wait_for_room of rt */
        syscall(SYS_futex, &h->drained, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static void *work(void *arg)
{
    struct hd_ring *r = arg;
    struct hd_log_header *h = r->header;
    for (;;) {
        uint32_t filled = __atomic_load_n(&h->filled, __ATOMIC_ACQUIRE);
        drain(r);
        if (__atomic_load_n(&r->done, __ATOMIC_ACQUIRE))
            return NULL;
        struct timespec ts = {0, 20000000}; /* `done` is another word: look at it now and then */
        syscall(SYS_futex, &h->filled, FUTEX_WAIT, filled, &ts, NULL, 0);
    }
}

void hd_ring_start(struct hd_ring *r, struct hd_rec_writer *out)
{
    sigset_t all, before;
    r->out = out;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that waits */
    r->running = pthread_create(&r->thread, NULL, work, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static size_t used_below(const uint8_t *chunk, size_t n)
{
    const uint64_t *words = (const void *)chunk;
    while (n && !words[n / 8 - 1])
        n -= 8;
    return n;
}

size_t hd_ring_used(const uint8_t *chunk)
{
    return used_below(chunk, HD_LOG_CHUNK);
}

/* Where the memory ends that the program has touched, as far as the kernel tells. To look at the
 * rest would make the kernel find memory for it. */
static size_t touched(uint8_t *chunk)
{
    enum { PAGE = 4096 };
    unsigned char there[HD_LOG_CHUNK / PAGE];
    size_t n = HD_LOG_CHUNK / PAGE;
    if (mincore(chunk, HD_LOG_CHUNK, there) < 0)
        return HD_LOG_CHUNK;
    while (n && !(there[n - 1] & 1))
        n--;
    return n * PAGE;
}

uint64_t hd_ring_position(const struct hd_ring *r)
{
    uint32_t filled = __atomic_load_n(&r->header->filled, __ATOMIC_ACQUIRE);
    uint8_t *chunk = chunk_at(r, filled);
    return (uint64_t)filled * HD_LOG_CHUNK + used_below(chunk, touched(chunk));
}

/* A program that ended in an orderly way said where its log ends, and no record starts with a zero
 * byte. To look at all of the chunk would make the kernel find memory for it. */
static size_t used_of_last(const struct hd_ring *r, const uint8_t *last)
{
    const struct hd_log_header *h = r->header;
    uint64_t start = (uint64_t)h->drained * HD_LOG_CHUNK, end = h->events_end;
    if (end <= start || end - start >= HD_LOG_CHUNK || last[end - start])
        return hd_ring_used(last);
    return end - start;
}

void hd_ring_finish(struct hd_ring *r)
{
    if (r->running) {
        __atomic_store_n(&r->done, 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &r->header->filled, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        pthread_join(r->thread, NULL);
    }
    drain(r);
    const uint8_t *last = chunk_at(r, r->header->drained);
    size_t used = used_of_last(r, last);
    keep(r, last, used, LEVEL);
    r->end = (uint64_t)r->header->drained * HD_LOG_CHUNK + (used > 8 ? used - 7 : used);
}

const uint64_t *hd_ring_keys(const struct hd_ring *r, uint32_t *n)
{
    const uint64_t *keys = (const void *)((const char *)r->header + HD_LOG_HEAD);
    *n = 1;
    while (*n < HD_LOG_KEYS && keys[*n])
        ++*n;
    return keys;
}
