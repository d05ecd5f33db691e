/* The keeper: a thread of ours that never holds the token. Runs in the user's process; see rt.h.
 *
 * When no thread holds the token it waits, in real time, for descriptors and deadlines, and starts
 * the thread that can go on. When the holder makes no progress it takes the token away and logs
 * that in the log. */
#include "rt/core/real.h"
#include "rt/core/rt.h"
#include "rt/core/vclock.h"
#include "rt/policy/policy.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>

#define MS         UINT64_C(1000000)
#define LOOK_EVERY (50 * MS)
#define STUCK_ASLEEP                                                                               \
    (300 * MS)               /* blocked in the kernel: ten times what a busy machine may cause     \
                              */
#define STUCK_ASM (100 * MS) /* in assembly that could not be read: it may be a loop */
#define STUCK_RUNNING                                                                              \
    (5000 * MS) /* computing without a hook: only a spin on foreign code does that */
/* How long it sleeps at a time while no thread can run: the longer that was so, the longer. */
#define IDLE_LEAST (1 * MS)
#define IDLE_MOST  (10 * MS)
#define IDLE_PART  8

static bool started;
static pid_t keeper; /* its number; 0: there is none yet */

/* 'R', 'S', 'D', ... of a thread of this process; 0 when it is gone. */
static char state_of(pid_t tid)
{
    char path[64] = "/proc/self/task/", digits[16], text[512];
    size_t n = strlen(path), d = 0;
    for (unsigned v = (unsigned)tid; v; v /= 10)
        digits[d++] = (char)('0' + v % 10);
    while (d)
        path[n++] = digits[--d];
    memcpy(path + n, "/stat", 6);
    long fd = hd_rt_syscall(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return 0;
    long len = hd_rt_syscall(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
    hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    text[len > 0 ? len : 0] = 0;
    const char *end = strrchr(text, ')');
    return end && end[1] ? end[2] : 0;
}

/* Whether tid is a thread of the recording, or our own. */
static bool is_known(pid_t tid)
{
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->tid == tid)
            return true;
    return tid == keeper;
}

bool hd_rt_strangers(void)
{
    struct entry { /* struct linux_dirent64 */
        uint64_t inode, offset;
        uint16_t len;
        uint8_t type;
        char name[];
    };
    _Alignas(struct entry) char text[2048];
    bool found = false;
    long n = 0, fd = hd_rt_syscall(SYS_open, (long)"/proc/self/task",
                                   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0, 0);
    while (fd >= 0 && !found &&
           (n = hd_rt_syscall(SYS_getdents64, fd, (long)text, sizeof text, 0, 0, 0)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(text + at);
            pid_t tid = 0;
            for (const char *c = e->name; *c >= '0' && *c <= '9'; c++)
                tid = tid * 10 + (*c - '0');
            found = found || (tid && !is_known(tid));
            at += e->len;
        }
    if (fd >= 0)
        hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    return found;
}

/* A thread waits for the clock or for a descriptor, which no thread looks at while the holder is
 * stuck. */
static bool others_wait(void)
{
    for (uint32_t i = 0; i < rt.n_threads; i++) {
        const struct hd_thread *t = rt.threads[i];
        if (t->state == HD_FDWAIT || (t->state == HD_BLOCKED && t->deadline != HD_NEVER))
            return true;
    }
    return false;
}

/* The holder sits in a call that we do not know. False: it moved after all. */
static bool take_away(struct hd_thread *t)
{
    hd_rt_lock();
    if (rt.holder != t) {
        hd_rt_unlock();
        return false;
    }
    rt.holder = NULL;
    /* After this barrier t either sees that it lost the token or has in_rt set (see hd_rt_enter).
     */
    hd_rt_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
    if (t->in_rt) {
        rt.holder = t;
        hd_rt_unlock();
        return false;
    }
    hd_rt_flush(t);
    hd_rt_log_text(HD_LOG_NOTE, 0, HD_NOTE_STUCK, "");
    t->state = HD_OUTSIDE;
    rt.n_outside++;
    hd_rt_choose_idle();
    hd_rt_unlock();
    return true;
}

/* No thread has held the token for so_far. In a replay things come when it looks. */
static uint64_t idle_slice(uint64_t so_far)
{
    uint64_t slice = so_far / IDLE_PART, left = hd_rt_until_deadline();
    slice = slice > IDLE_MOST ? IDLE_MOST : slice;
    slice = slice > left ? left : slice;
    return slice < IDLE_LEAST || rt.follow ? IDLE_LEAST : slice;
}

/* How long no thread has held the token. */
static uint64_t idle(uint64_t so_far)
{
    static uint64_t slice;
    uint64_t before = hd_rt_real_ns(CLOCK_MONOTONIC);
    uint32_t seen = atomic_load(&rt.idle); /* pairs with wake_keeper */
    hd_rt_futex_wait(&rt.idle, seen, so_far ? slice : IDLE_LEAST);
    bool moved = atomic_load(&rt.idle) != seen; /* a thread had it meanwhile */
    hd_rt_lock();
    if (!rt.holder) {
        uint64_t passed = hd_rt_real_ns(CLOCK_MONOTONIC) - before;
        rt.now += passed;
        so_far += passed;
        rt.rested = true;
        hd_rt_choose_idle();
        if (rt.follow && !rt.holder)
            hd_rt_follow_idle(so_far);
    }
    so_far = rt.holder ? 0 : so_far;
    slice = moved ? IDLE_LEAST : idle_slice(so_far);
    hd_rt_unlock();
    return so_far;
}

/* When the last thread of the program has ended, ours ends too: libc then ends the process. */
static bool threads_left(void)
{
    for (uint32_t i = 0; i < rt.n_threads; i++)
        if (rt.threads[i]->state != HD_DONE)
            return true;
    return false;
}

static uint64_t patience(const struct hd_thread *t)
{
    return t->asm_left == rt.budget ? STUCK_ASM : STUCK_ASLEEP;
}

static bool sleeps(const struct hd_thread *t)
{
    char s = state_of(t->tid);
    return s == 'S' || s == 'D';
}

/* t has not come to a hook for this time. */
static bool may_be_stuck(const struct hd_thread *t, uint64_t time)
{
    if (time >= STUCK_RUNNING || t->asm_left == rt.budget) /* it may wait for a lock */
        return true;
    if (rt.exit_steps) /* natively, none that computes keeps the process from ending */
        return true;
    return sleeps(t);
}

/* What is known of the holder, look by look. */
struct look {
    struct hd_thread *holder;
    const uint8_t *pos;
    uint64_t budget; /* each hook lowers it */
    uint64_t moved;  /* when it came to a hook */
    uint64_t awake;  /* when it was not found asleep in code without hooks */
};

/* Whether others could go on if the holder did not keep the token: it sits in a call that we do
 * not know, or goes from one such call to the next with a hook between them now and then, as a
 * thread of libc does that waits for the ticks of a timer and allocates for each. */
static bool keeps_others(struct look *l, struct hd_thread *t, uint64_t now)
{
    bool same = t == l->holder, wanted = !t->in_rt && (hd_rt_n_ready() || others_wait());
    if (!same || hd_rt_log.pos != l->pos || rt.budget != l->budget)
        l->moved = now;
    if (!same || !wanted || !sleeps(t))
        l->awake = now;
    l->holder = t;
    l->pos = hd_rt_log.pos;
    l->budget = rt.budget;
    return wanted && ((now - l->moved >= patience(t) && may_be_stuck(t, now - l->moved)) ||
                      now - l->awake >= STUCK_ASLEEP);
}

static void *keep(void *arg)
{
    static struct hd_thread self;
    self.in_rt = 1;
    hd_rt_is(&self);
    (void)arg;
    keeper = (pid_t)hd_rt_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    uint64_t idled = 0;
    struct look look = {0};
    while (rt.holder || threads_left()) {
        struct hd_thread *t = rt.holder;
        if (!t) {
            idled = idle(idled);
            continue;
        }
        idled = 0;
        if (keeps_others(&look, t, hd_rt_real_ns(CLOCK_MONOTONIC)))
            take_away(t);
        hd_rt_futex_wait(&rt.idle, atomic_load(&rt.idle), LOOK_EVERY);
    }
    return NULL;
}

void hd_rt_keeper_start(void)
{
    /* Threads without the token come here, too. */
    if (__atomic_exchange_n(&started, true, __ATOMIC_SEQ_CST))
        return;
    hd_rt_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
    uint64_t all = UINT64_MAX, old = 0;
    pthread_t handle;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    hd_rt_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&old, 8, 0, 0);
    hd_real.pthread_create(&handle, &attr, keep, NULL);
    hd_rt_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, 8, 0, 0);
    pthread_attr_destroy(&attr);
}

void hd_rt_keeper_forget(void)
{
    started = false;
}
