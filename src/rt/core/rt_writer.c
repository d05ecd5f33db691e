/* Runs in the user's process; see the rules in rt.h. The log: log/rt_log.h. */
#include "rt/core/rt_writer.h"
#include "log/rt_steer.h"
#include "rt/hooks/hook_access.h"
#include "rt/core/range_log.h"
#include "rt/policy/policy.h"
#include "rt/core/rt.h"
#include "rt/core/rt_check.h"
#include "rt/hooks/rwlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct hd_rt_log hd_rt_log;
struct hd_pack hd_rt_pack;

/* Ours is interposed. */
static uint32_t own_pid(void)
{
    return (uint32_t)hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static int own_fd = -1;     /* file of a child */
static uint64_t own_before; /* events before it was opened */

static uint8_t *chunk_start(void)
{
    size_t place = rt.header->own_file ? 0 : hd_rt_log.chunk % HD_LOG_RING;
    return hd_rt_log.chunks + place * HD_LOG_CHUNK;
}

static uint64_t count_events(void)
{
    uint64_t n = rt.ended_events;
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        n += t->flow ? t->flow->count : t->n_events;
    }
    return n;
}

/* Whether a thread may use up its ids in this chunk. */
static bool ids_run_out(void)
{
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->flow && rt.threads[i]->flow->count > UINT32_MAX - 2 * HD_LOG_CHUNK)
            return true;
    return false;
}

#ifdef HD_DEBUG
/* The caller may write: it has the token, or the lock while no thread has it. */
static bool may_log(void)
{
    return rt.holder ? rt.holder == hd_rt_me || !hd_rt_me : atomic_load(&rt.lock) != 0;
}

static unsigned words_of(enum hd_log_kind kind)
{
#define WORDS(name, words, what) [HD_LOG_##name] = (words),
    static const uint8_t n[HD_LOG_KIND_COUNT] = {HD_LOG_KINDS(WORDS)};
#undef WORDS
    return n[kind];
}
#endif

static void use_chunk(uint32_t number)
{
    if (!hd_rt_pack.slots[0].next[0])
        hd_pack_first(&hd_rt_pack, 0);
    hd_rt_log.chunk = number;
    hd_rt_log.pos = chunk_start();
    hd_rt_log.end =
        hd_rt_log.pos + (rt.header->own_file ? HD_LOG_CHUNK - 1 : hd_log_part(rt.header->max_size));
    hd_rt_log.quick = ids_run_out() ? NULL : hd_rt_log.end - HD_PACK_ROOM;
}

static void *map_at(int fd, size_t len, uint64_t offset)
{
    long p =
        hd_rt_syscall(SYS_mmap, 0, (long)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (long)offset);
    return p < 0 && p > -4096 ? NULL : (void *)p;
}

/* ---- logs of forked children, and of programs that recorded ones became ---- */

/* Chunk n of our own file, instead of the last one. False: the disk is full. */
static bool next_of_file(uint32_t n)
{
    uint64_t offset = HD_LOG_CHUNKS_AT + (uint64_t)n * HD_LOG_CHUNK;
    /* Reserve the blocks now: a full disk must show here and not as a SIGBUS in the user's code. */
    long r = hd_rt_syscall(SYS_fallocate, own_fd, 0, (long)offset, HD_LOG_CHUNK, 0, 0);
    if (r == -EOPNOTSUPP)
        r = hd_rt_syscall(SYS_ftruncate, own_fd, (long)(offset + HD_LOG_CHUNK), 0, 0, 0, 0);
    uint8_t *next = r < 0 ? NULL : map_at(own_fd, HD_LOG_CHUNK, offset);
    if (!next) {
        rt.header->lost = r < 0 ? (uint32_t)-r : ENOMEM;
        return false;
    }
    if (hd_rt_log.chunks)
        hd_rt_syscall(SYS_munmap, (long)hd_rt_log.chunks, HD_LOG_CHUNK, 0, 0, 0, 0);
    hd_rt_log.chunks = next;
    use_chunk(n);
    return true;
}

bool hd_rt_log_is_target(void)
{
    const struct hd_log_header *h = rt.header;
    return *h->target && h->root < sizeof h->family && !strcmp(h->family + h->root, h->target);
}

/* A file of our own, with the settings of another log and the keys that we have. */
static bool open_own(const struct hd_log_header *like, const char *path, bool forked)
{
    long fd =
        hd_rt_syscall(SYS_open, (long)path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600, 0, 0, 0);
    if (fd < 0)
        return false;
    own_fd = hd_rt_high_fd((int)fd);
    long r = hd_rt_syscall(SYS_fallocate, own_fd, 0, 0, HD_LOG_CHUNKS_AT, 0, 0);
    if (r == -EOPNOTSUPP)
        r = hd_rt_syscall(SYS_ftruncate, own_fd, HD_LOG_CHUNKS_AT, 0, 0, 0, 0);
    struct hd_log_header *h = r < 0 ? NULL : map_at(own_fd, HD_LOG_CHUNKS_AT, 0);
    if (!h)
        return false;
    *h = (struct hd_log_header){.magic = like->magic,
                                .version = like->version,
                                .policy = like->policy,
                                .seed = like->seed,
                                .quantum = like->quantum,
                                .depth = like->depth,
                                .steps = like->steps,
                                .exit_steps = like->exit_steps,
                                .limit = like->limit,
                                .max_size = like->max_size,
                                .real_base = like->real_base,
                                .entropy = like->entropy,
                                .pid = forked ? 0 : like->pid,
                                .root = like->root,
                                .target_pid = like->target_pid,
                                .owner = own_pid(),
                                .own_file = 1};
    hd_rt_memmove(h->family, path, strlen(path) + 1);
    hd_rt_memmove(h->target, like->target, sizeof h->target);
    if (forked) { /* what it uses, and the modules */
        hd_rt_memmove(&h->uses, &like->uses, sizeof h->uses);
        h->notes_len = like->notes_len;
        hd_rt_memmove((char *)h + HD_LOG_NOTES_AT, (const char *)like + HD_LOG_NOTES_AT,
                      like->notes_len);
    }
    uint64_t *keys = (uint64_t *)((char *)h + HD_LOG_HEAD);
    for (uint32_t i = 1; i <= hd_rt_pack.n_slots; i++)
        keys[i] = hd_rt_pack.slots[i].key;
    rt.header = h;
    if (hd_rt_log_is_target())
        h->pid = h->target_pid;
    hd_rt_log.keys = keys;
    hd_rt_log.chunks = NULL;
    own_before = count_events();
    return next_of_file(0);
}

/* path and what is added to it; false: too long. */
static bool name_of(char out[2048], const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    if (!n || n + m + 1 > 2048)
        return false;
    hd_rt_memmove(out, path, n);
    hd_rt_memmove(out + n, suffix, m + 1);
    return true;
}

static const char *number(char text[8], unsigned n)
{
    char *p = text + 7;
    *p = 0;
    for (; n; n /= 10)
        *--p = (char)('0' + n % 10);
    *--p = '.';
    return p;
}

bool hd_rt_log_child(unsigned n)
{
    char text[8], path[2048];
    const struct hd_log_header *parent = rt.header;
    return n && name_of(path, parent->family, number(text, n)) && open_own(parent, path, true);
}

bool hd_rt_log_leads_to_target(unsigned n)
{
    char text[8], path[2048];
    const struct hd_log_header *h = rt.header;
    if (!*h->target || h->root >= sizeof h->family || !name_of(path, h->family, number(text, n)))
        return false;
    size_t len = strlen(path + h->root);
    return !strncmp(path + h->root, h->target, len) && (!h->target[len] || h->target[len] == '.');
}

/* The owner of a child's file; 0: there is no such file. */
static uint32_t owner_of(const char *path)
{
    struct hd_log_header h = {0};
    long fd = hd_rt_syscall(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return 0;
    hd_rt_syscall(SYS_read, fd, (long)&h, sizeof h, 0, 0, 0);
    hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return h.owner;
}

/* This process was recorded before it became this program: h, or the file of a child, says so. */
static bool open_after_exec(const struct hd_log_header *h)
{
    char text[8], path[2048], after[2048];
    uint32_t me = own_pid(), owner = h->owner;
    if (!name_of(path, h->family, ""))
        return false;
    for (unsigned n = 1; owner != me && n <= HD_LOG_CHILDREN; n++) {
        if (!name_of(path, h->family, number(text, n)) || !(owner = owner_of(path)))
            return false;
    }
    while (owner == me && name_of(after, path, ".x")) {
        if (open_own(h, after, false))
            return true;
        hd_rt_memmove(path, after, sizeof path);
    }
    return false;
}

static struct hd_log_header *first; /* of the first process; where this one is preloaded, too */
static bool stranger;               /* this one is not recorded */

void hd_rt_log_instrumented(void)
{
    if (!first)
        return;
    __atomic_store_n(&first->instrumented, 1, __ATOMIC_RELAXED);
    if (stranger)
        __atomic_store_n(&first->strangers, 1, __ATOMIC_RELAXED);
}

bool hd_rt_log_open(void)
{
    const char *path = hd_rt_getenv(HD_LOG_ENV);
    if (!path || !*path)
        return false;
    long id = 0;
    for (const char *p = path; *p >= '0' && *p <= '9'; p++)
        id = id * 10 + (*p - '0');
    long at = hd_rt_syscall(SYS_shmat, id, 0, 0, 0, 0, 0);
    if (at < 0 && at > -4096)
        return false;
    struct hd_log_header *h = (void *)at;
    uint32_t none = 0;
    bool fits = h->magic == HD_LOG_MAGIC && h->version == HD_LOG_VERSION;
    if (!fits || !__atomic_compare_exchange_n(&h->owner, &none, own_pid(), false, __ATOMIC_SEQ_CST,
                                              __ATOMIC_SEQ_CST)) {
        bool again = fits && open_after_exec(h);
        stranger = fits && !again;
        if (fits && h->preload) { /* what is instrumented comes later, if at all */
            first = h;
            return again;
        }
        if (stranger)
            __atomic_store_n(&h->strangers, 1, __ATOMIC_RELAXED);
        hd_rt_syscall(SYS_shmdt, at, 0, 0, 0, 0, 0);
        return again;
    }
    rt.header = first = h;
    hd_rt_log.keys = (uint64_t *)((char *)h + HD_LOG_HEAD);
    hd_rt_log.chunks = (uint8_t *)h + HD_LOG_CHUNKS_AT;
    use_chunk(0);
    return true;
}

void hd_rt_log_finish(void)
{
    if (!hd_rt_log.chunks)
        return;
    size_t used = (size_t)(hd_rt_log.pos - chunk_start());
    rt.header->events = count_events();
    rt.header->events_end = (uint64_t)hd_rt_log.chunk * HD_LOG_CHUNK + used;
}

static void shared_futex(uint32_t *word, int op, uint32_t value)
{
    struct timespec ts = {0, 100000000};
    hd_rt_syscall(SYS_futex, (long)word, op, value, op == FUTEX_WAIT ? (long)&ts : 0, 0, 0);
}

/* False: the driver is gone or cannot keep more. */
static bool wait_for_room(void)
{
    struct hd_log_header *h = rt.header;
    for (;;) {
        /* pairs with the driver's drain */
        uint32_t drained = __atomic_load_n(&h->drained, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&h->stop, __ATOMIC_RELAXED))
            return false;
        if (hd_rt_log.chunk + 1 - drained < HD_LOG_RING)
            return true;
        shared_futex(&h->drained, FUTEX_WAIT, drained);
        if (hd_rt_syscall(SYS_kill, h->driver, 0, 0, 0, 0, 0) == -ESRCH)
            return false;
    }
}

void hd_rt_log_quiet(void)
{
    hd_rt_log.chunks = hd_rt_log.pos = hd_rt_log.end = hd_rt_log.quick = NULL;
}

static void finish_chunk(void)
{
    struct hd_log_header *h = rt.header;
    uint32_t n = hd_rt_log.chunk, place = n % HD_LOG_RING;
    HD_RT_CHECK(hd_rt_log.pos >= chunk_start() && hd_rt_log.pos < chunk_start() + HD_LOG_CHUNK);
    h->used[place] = (uint64_t)(hd_rt_log.pos - chunk_start());
    h->events = h->events_at[place] = count_events();
    h->events_end = (uint64_t)(n + 1) * HD_LOG_CHUNK;
    __atomic_store_n(&h->filled, n + 1, __ATOMIC_RELEASE); /* pairs with the driver's drain */
    shared_futex(&h->filled, FUTEX_WAKE, 1);
}

/* The place for a record at the start of a chunk, which may take more than usual. One byte 0 stays
 * at the end. */
static uint8_t *in_fresh_chunk(size_t n)
{
    return n < HD_LOG_CHUNK ? hd_rt_log.pos : NULL;
}

/* Of the ring, or of our own file. False: there is none. */
static bool fresh_chunk(void)
{
    if (rt.header->own_file)
        return next_of_file(hd_rt_log.chunk + 1);
    finish_chunk();
    if (!wait_for_room())
        return false;
    use_chunk(hd_rt_log.chunk + 1);
    return true;
}

/* Follow looks at every record when the next one is about to be written: there is never room,
 * until the schedule is done. */
static uint8_t *grow_slowly(size_t n)
{
    hd_rt_follow_catch_up();
    hd_rt_follow_record();
    if ((size_t)(chunk_start() + HD_LOG_CHUNK - 1 - hd_rt_log.pos) < n && !fresh_chunk())
        return NULL;
    uint8_t *limit = chunk_start() + HD_LOG_CHUNK - 1;
    hd_rt_log.end = hd_rt_follow_free() ? limit : hd_rt_log.pos;
    hd_rt_log.quick = ids_run_out() ? NULL : hd_rt_follow_quick(limit - HD_PACK_ROOM);
    hd_rt_follow_new_record();
    return in_fresh_chunk(n);
}

/* A child keeps as many events of its own as its parent does, and as many bytes. */
static bool own_limit_reached(void)
{
    const struct hd_log_header *h = rt.header;
    return (h->limit && count_events() - own_before >= h->limit) ||
           (h->max_size && (uint64_t)(hd_rt_log.chunk + 1) * HD_LOG_CHUNK >= h->max_size);
}

uint8_t *hd_rt_log_grow(size_t n)
{
    if (!hd_rt_log.chunks)
        return NULL;
    if (rt.follow)
        return grow_slowly(n);
    if (rt.header->own_file) {
        if (own_limit_reached() || !next_of_file(hd_rt_log.chunk + 1)) {
            hd_rt_log_quiet();
            return NULL;
        }
        return in_fresh_chunk(n);
    }
    finish_chunk();
    if ((rt.header->limit && rt.header->events >= rt.header->limit) || !wait_for_room()) {
        hd_rt_log_quiet();
        return NULL;
    }
    use_chunk(hd_rt_log.chunk + 1);
    return in_fresh_chunk(n);
}

void hd_rt_log_off(void)
{
    static struct hd_log_header none;
    rt.header = &none;
    hd_rt_log_quiet();
}

unsigned hd_rt_joined(void)
{
    if (hd_rt_me->in_rt & HD_IN_LOGGED)
        return HD_LOG_JOINED;
    hd_rt_me->in_rt |= HD_IN_LOGGED;
    return 0;
}

static unsigned shape_of(enum hd_log_kind kind, unsigned aux)
{
    static const uint8_t log2_of[16] = {[1] = 1, [2] = 2, [4] = 3, [8] = 4};
    unsigned shape = kind;
    if (kind >= HD_LOG_READ && kind <= HD_LOG_RMW) {
        unsigned size = log2_of[aux & HD_LOG_SIZE];
        if (!size)
            return 0;
        shape |= (size - 1) << 6;
    } else {
        shape |= 3 << 6 | (aux & HD_LOG_JOINED ? HD_SHAPE_JOINED : 0) |
                 (aux & HD_LOG_TRY ? HD_SHAPE_TRY : 0);
    }
    return shape | (aux & HD_LOG_SITE ? HD_SHAPE_SITE : 0) |
           (aux & HD_LOG_PENDING ? HD_SHAPE_GUESS : 0);
}

static void put_words(enum hd_log_kind kind, unsigned aux, uintptr_t pc, unsigned n,
                      const uint64_t *w)
{
    unsigned shape = shape_of(kind, aux);
    if (aux & HD_LOG_SITE)
        hd_rt_log_site((const struct hd_site *)pc);
    uint8_t *p = hd_rt_log_room(HD_PACK_ROOM);
    if (!p && rt.tapped)
        hd_rt_steer_op(kind, aux, pc, w, kind <= HD_LOG_RMW ? aux & HD_LOG_SIZE : 0,
                       __hd_flow.count + 1);
    if (!p)
        return;
    if (hd_shape_parts(shape)) {
        hd_tok val = kind == HD_LOG_BRANCH ? w[0] : kind == HD_LOG_MORE ? w[1] : HD_TOK_NONE;
        hd_rt_log.pos = hd_put_packed(&hd_rt_pack, hd_rt_log.keys, p, pc, shape, __hd_flow.count, w,
                                      HD_TOK_NONE, val);
        return;
    }
    uint8_t *q = hd_put_plain(&hd_rt_pack, hd_rt_log.keys, p, aux, pc);
    for (unsigned i = 0; i < n; i++)
        q = hd_put_varint(q, w[i]);
    hd_rt_log.pos = q;
    hd_put_done(p, kind);
}

void hd_rt_log_missed(uintptr_t place, unsigned shape, const uint64_t *w, uint32_t count)
{
    bool wide = hd_shape_parts(shape) & HD_PART_WIDE;
    if (rt.tapped)
        hd_rt_steer_op(hd_shape_kind(shape), shape & HD_SHAPE_SITE ? HD_LOG_SITE : 0, place, w,
                       wide ? hd_shape_wide(shape) : hd_shape_size(shape), count);
}

void hd_rt_log_words(enum hd_log_kind kind, unsigned aux, uintptr_t pc, unsigned n,
                     const uint64_t *w)
{
    HD_RT_CHECK(may_log() && n == words_of(kind));
    /* What has to be named with its surroundings when the run is over. */
    if (HD_UNLIKELY(kind == HD_LOG_REL_FOR || kind == HD_LOG_RREL_FOR || kind == HD_LOG_WAITS))
        rt.header->wants_notes = 1;
    if (HD_UNLIKELY(kind == HD_LOG_REL_FOR || kind == HD_LOG_RREL_FOR))
        hd_rt_steer_untold(HD_STEER_FOREIGN_RELEASE);
    if (kind >= HD_LOG_BRANCH && kind <= HD_LOG_LAST_EVENT)
        aux |= hd_rt_joined();
    if (HD_UNLIKELY(kind == HD_LOG_ALLOC))
        hd_rt_follow_alloc();
    put_words(kind, aux, pc, n, w);
    if (kind <= HD_LOG_LAST_EVENT)
        hd_rt_counts(__hd_flow.count + 1);
    hd_rt_done(kind);
}

uint8_t *hd_rt_log_begin(unsigned aux, uintptr_t pc, uint64_t word, size_t len)
{
    HD_RT_CHECK(may_log());
    uint8_t *p = hd_rt_log_room(len + HD_PACK_ROOM);
    if (!p)
        return NULL;
    uint8_t *q = hd_put_plain(&hd_rt_pack, hd_rt_log.keys, p, aux, pc);
    return hd_put_varint(hd_put_varint(q, word), len);
}

void hd_rt_log_end(enum hd_log_kind kind, const uint8_t *contents_end)
{
    uint8_t *p = hd_rt_log.pos;
    HD_RT_CHECK(words_of(kind) == 255 && contents_end > p &&
                contents_end < chunk_start() + HD_LOG_CHUNK);
    hd_rt_log.pos += contents_end - p;
    hd_put_done(p, kind);
}

void hd_rt_log_data(enum hd_log_kind kind, uintptr_t pc, uint64_t word, const void *data,
                    size_t len)
{
    uint8_t *to = hd_rt_log_begin(0, pc, word, len);
    if (!to)
        return;
    hd_rt_memmove(to, data, len);
    hd_rt_log_end(kind, to + len);
}

/* One line for the driver, which needs it before the log is read. */
static void note(uint64_t kind, uint64_t word, const char *text, size_t len)
{
    static uint64_t last_kind;
    static const char *last_text;
    struct hd_log_header *h = rt.header;
    char *to = (char *)h + HD_LOG_NOTES_AT + h->notes_len;
    if (kind == HD_NOTE_STUCK)
        h->wants_notes = 1;
    if (!hd_rt_log.chunks || len + 19 > HD_LOG_NOTES - h->notes_len ||
        (kind && kind == last_kind && text == last_text))
        return;
    last_kind = kind;
    last_text = text;
    *to++ = (char)('0' + kind);
    for (int shift = 60; (kind == 0 || kind == HD_NOTE_FOREIGN) && shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[word >> shift & 15];
    hd_rt_memmove(to, text, len);
    to[len] = '\n';
    h->notes_len = (uint32_t)(to + len + 1 - ((char *)h + HD_LOG_NOTES_AT));
}

void hd_rt_log_text(enum hd_log_kind kind, uintptr_t pc, uint64_t word, const char *text)
{
    size_t len = strlen(text);
    if (kind == HD_LOG_NOTE && word == HD_NOTE_UNMODELLED)
        hd_rt_steer_untold(HD_STEER_UNMODELLED);
    if (kind == HD_LOG_NOTE || kind == HD_LOG_MODULE)
        note(kind == HD_LOG_NOTE ? word : 0, kind == HD_LOG_NOTE ? pc : word, text, len);
    if (kind != HD_LOG_MODULE)
        hd_rt_log_data(kind, pc, word, text, len);
}

void hd_rt_log_uses(uintptr_t at)
{
    struct hd_log_header *h = rt.header;
    uint32_t n = h->uses.n < HD_USES ? h->uses.n : HD_USES;
    if (!hd_rt_log.chunks)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (h->uses.at[i] == at)
            return;
    if (n < HD_USES)
        h->uses.at[n] = at;
    h->uses.n = n + 1;
}

void hd_rt_write_later(struct hd_thread *me, enum hd_log_kind kind, uintptr_t pc, const void *addr,
                       size_t len)
{
    struct hd_log_pending *shared = &rt.header->pending;
    HD_RT_CHECK(rt.holder ==
                me); /* a handler that is over puts back what it interrupted: not in_rt */
    HD_RT_CHECK(!me->pend_len && len && len <= UINT32_MAX);
    if (HD_UNLIKELY(rt.follow)) {
        hd_rt_follow_counts_early();
        hd_rt_follow_write_later();
    }
    hd_rt_counts(__hd_flow.count + 1);
    if (rt.tapped) {
        uint64_t at = (uintptr_t)addr;
        hd_rt_steer_op(kind, HD_LOG_PENDING, pc, &at, len, __hd_flow.count);
        return;
    }
    me->pend_kind = kind;
    me->pend_pc = pc;
    me->pend_addr = addr;
    me->pend_len = (uint32_t)len;
    shared->kind = kind;
    shared->pc = pc;
    shared->addr = (uintptr_t)addr;
    __atomic_store_n(&shared->len, len, __ATOMIC_RELEASE);
}

void hd_rt_flush_slow(struct hd_thread *me)
{
    size_t len = me->pend_len;
    HD_RT_CHECK(me->pend_kind != HD_LOG_WRITE || len <= 8);
    me->pend_len = 0;
    if (me->pend_kind == HD_LOG_REL) {
        hd_rt_rwlock_given(me, (void *)(uintptr_t)me->pend_addr, me->pend_pc);
        return;
    }
    if (me->pend_kind == HD_LOG_WRITE) {
        uint64_t w[2] = {(uintptr_t)me->pend_addr, hd_rt_load(me->pend_addr, (unsigned)len)};
        put_words(HD_LOG_WRITE, (unsigned)len, me->pend_pc, 2, w);
    } else {
        hd_rt_put_range(HD_LOG_RANGE_WRITE, 0, me->pend_pc, me->pend_addr, me->pend_addr, len);
    }
    rt.header->pending.len = 0;
}
