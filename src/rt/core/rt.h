/* The runtime inside the program under test: shared state and the entry protocol.
 *
 * Context: everything in this room runs in the user's process, between the user's own calls. Rules:
 *   - no malloc, no stdio, no libc lock: only hd_rt_real, raw futex calls and memory of mem.c;
 *   - errno is left as found, unless POSIX says that the call sets it;
 *   - while `in_rt` of the thread is not 0, interposed functions fall through to the real ones.
 *
 * The token. rt.holder is the one thread that may run user code. Only it touches synchronisation
 * objects and the log. rt.lock guards what a thread without the token may touch: states, the
 * holder, the clock. A thread that comes back from outside asks for the token in hd_rt_enter.
 */
#ifndef HD_RT_CORE_RT_H
#define HD_RT_CORE_RT_H

#include "rt/hooks/read_marks.h"
#include "rt/core/live_times.h"
#include "rt/core/live_waits.h"
#include "rt/core/rt_writer.h"
#include "rt/core/sys.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <sys/types.h>

#define HD_PC         ((uintptr_t)__builtin_return_address(0))
#define HD_RT_SIGNALS 16
#define HD_NEVER      UINT64_MAX /* a deadline that does not come */

enum hd_run_state { HD_READY, HD_RUNNING, HD_BLOCKED, HD_FDWAIT, HD_OUTSIDE, HD_DONE };

/* in_rt of a thread in a call into the runtime. */
enum {
    HD_IN_RT = 1,
    HD_IN_LOGGED = 2, /* it has logged an event */
    HD_IN_TOLD = 4,   /* it has logged on what its arguments depend: caller.h */
};

/* How a thread asks again and again for what another one has to do: see spin.h. */
struct hd_polls {
    uint32_t n;       /* calls in a row whose result was "try again" */
    uint32_t at;      /* its events at the last one */
    uint32_t busy;    /* such calls with changes in memory between them */
    uint32_t quiet;   /* records in a row that show it looking and changing nothing */
    uint64_t changed; /* what it changed in memory in turns since the last such call */
    uint64_t looked;  /* rt.acted when it last let others run */
    uintptr_t site;   /* where it was when the scheduler last saw it */
    bool polling, passes, owes;
};

/* A thread that has created others: how they are named. It outlives the thread. */
struct hd_way {
    const struct hd_way *from;
    uint32_t child, num;
};

enum hd_signal_hold { HD_HOLD_NONE, HD_HOLD_HANDLERS, HD_HOLD_WAKING /* for a handler, too */ };

struct pollfd;
struct hd_sync;

struct hd_thread {
    union {
        struct {
            volatile int in_rt; /* HD_IN_*; not 0: the keeper leaves the token */
            uint32_t pend_len;  /* of a write whose value is not logged yet, or 0 */
        };
        volatile uint64_t busy; /* both */
        uint64_t busy_now;      /* the same for one look, which a compare can make in memory */
    };
    _Atomic uint32_t go; /* futex: HD_GO_* of signals.h */
    uint32_t num;        /* in the order of creation, over the life of the process */
    enum hd_run_state state;
    pid_t tid;
    pthread_t handle;

    const void *pend_addr; /* with pend_len */
    uintptr_t pend_pc;
    enum hd_log_kind pend_kind; /* WRITE or RANGE_WRITE; REL: see rwlock.h */
    const struct hd_flow *flow; /* where it counts its events; NULL when it has ended */
    uint32_t n_events;          /* of an ended thread */
    const void *last_read;      /* by code without dependences: see on_write of hooks_tsan.c */

    const void *wait_obj; /* BLOCKED: what unblocks it */
    enum hd_waits wait_kind;
    uintptr_t wait_pc;
    uint64_t deadline; /* virtual ns; HD_NEVER */
    bool timed_out;
    bool timed;                     /* the call it is in does not wait for ever: for policy steer */
    const void *park_frame;         /* where it gave the token away: see frame_walk.h */
    uintptr_t stack_low, stack_end; /* 0: not known */
    const struct hd_rt_frame *parked; /* while it waits: its frames, if they may be asked for */
    size_t n_parked;
    struct pollfd *fds; /* FDWAIT */
    unsigned n_fds;
    uint64_t ready_seq; /* order of becoming ready */
    uint64_t prio;      /* pct */
    uint64_t random;    /* live_inputs.c; 0: not begun */
    uint64_t arrival;   /* live_arrivals.c: where it looks for its next one */
    struct hd_times times;
    struct hd_waits_told waits;

    struct hd_polls poll;
    struct hd_thread *next_spare; /* of those whose place can be used again */
    struct hd_sync *in_cond;      /* waiting set it is in */
    uint64_t cond_seq;            /* order of arrival there */
    uint64_t bar_gen;
    uint32_t futex_mask;
    uint64_t rmw_old[2]; /* between rmw_pre and rmw_post */
    hd_tok rmw_addr;
    const uint8_t *outside; /* where the log ended when code without hooks came back last */
    uint64_t asm_left;      /* rt.budget before assembly that could not be read; 0: none */
    bool more;              /* __hd_more has logged something for the next branch */
    struct hd_decided decided;

    void *(*start)(void *);
    void *arg, *result;
    uint64_t mask; /* of blocked signals, to start with, if masked */
    bool masked;
    uint32_t sym_arg, sym_result; /* their expressions (rt_sym.h), or 0 */
    uint32_t sym_given;           /* sym_arg of the next thread that this one creates */
    bool detached, joined;
    bool keeps; /* ended, and holds locks that are not robust */
    bool lost;  /* in a forked child: a thread of its parent */
    bool cancelled, cancel_off, cancel_async;
    unsigned key_round;
    const struct hd_way *from; /* its parent; NULL: not created by a thread of ours */
    const struct hd_way *way;  /* its own, once it has created threads */
    uint32_t children, open;   /* created so far; of these, and of theirs, not joined yet */
    uint32_t child;            /* it is this child of its parent, from 1 */
    uint32_t path;             /* in the schedule that is followed, if it was asked for */

    /* The call at whose start it waits for the token: set by hd_rt_ask_at, else 0. */
    uintptr_t at_site;
    const void *at_addr;
    size_t at_size; /* 0: not known */

    siginfo_t signals[HD_RT_SIGNALS]; /* arrived inside the runtime: sig_out .. sig_in, modulo */
    volatile unsigned sig_in, sig_out, sig_seen;
    volatile bool in_wait;        /* in a call of the system that may wait: handlers run at once */
    enum hd_signal_hold sig_hold; /* HD_HOLD_*: not now, also where the thread could switch */
    unsigned sig_ran;             /* HD_RAN_*: handlers that ran since hd_rt_signals_fresh */
};

struct hd_policy;              /* policy.h */
#define HD_RT_MAX_THREADS 4096 /* at once: those that ended and can still be joined count */
/* In a replay, where threads that ended in the recorded run may not have come so far. */
#define HD_RT_MAX_REPLAYED 32768

struct hd_rt {
    bool on;       /* this process is recorded */
    bool multi;    /* a second thread was created */
    bool pass;     /* code compiled by our pass is there: branches are recorded */
    bool follow;   /* the policy is follow */
    bool steer;    /* the policy is steer */
    bool stepwise; /* one of them: every call is a point to switch */
    bool tapped;   /* records go to hd_rt_steer_op instead of the log */
    bool led;      /* a schedule or a search says who runs: time does not pass by itself */
    bool at_sync;  /* the policy is sync: hd_rt_sync_done after such operations */
    union {
        struct hd_thread *volatile holder;
        struct hd_thread *holder_now; /* as busy_now */
    };
    uint64_t budget; /* hooks until hd_rt_ask */
    struct hd_log_header *header;
    const struct hd_policy *policy;
    _Atomic uint32_t lock;                         /* futex mutex; see sched.c */
    struct hd_thread *threads[HD_RT_MAX_REPLAYED]; /* in the order of creation */
    uint32_t n_threads;
    uint32_t n_created;    /* so far */
    uint64_t ended_events; /* of threads that are not in `threads` any more */
    unsigned n_fdwait, n_outside;
    unsigned handlers; /* installed by the program: a signal may end any wait */
    uint64_t ready_counter;
    uint64_t acted;            /* turns of threads that did not poll */
    uint64_t fruitless;        /* hooks since the last of them */
    struct hd_thread *exiting; /* it ends the process, and lets others run on first */
    uint64_t exit_steps;       /* hooks that they have left */
    bool rested;               /* real time has passed since threads that poll last ran */
    uint64_t now;              /* virtual ns since the start of the run */
    uint64_t real_base;        /* CLOCK_REALTIME at the start, ns */
    struct hd_thread *leaving; /* it is ending: wait until it is gone */
    _Atomic uint32_t
        idle; /* futex: bumped when no thread holds the token and on return from outside */
};
extern struct hd_rt rt HD_HIDDEN;
#define hd_rt_me (__hd_flow.thread) /* the calling thread; NULL: not ours */

/* Logs the value of the thread's last write, if that is still to be done. */
void hd_rt_flush_slow(struct hd_thread *me);

static inline void hd_rt_flush(struct hd_thread *me)
{
    if (HD_UNLIKELY(me->pend_len))
        hd_rt_flush_slow(me);
}
/* A write of len bytes that is about to happen: contents follow at the thread's next entry. */
void hd_rt_write_later(struct hd_thread *me, enum hd_log_kind kind, uintptr_t pc, const void *addr,
                       size_t len);

/* ---- sched.c ---- */
void hd_rt_lock(void);
void hd_rt_unlock(void);
struct hd_thread *hd_rt_thread_new(void);    /* READY, numbered; NULL when there are too many */
void hd_rt_thread_old(struct hd_thread *t);  /* it is over and will not be joined; token held */
void hd_rt_take_token(struct hd_thread *me); /* the caller lost it or comes from outside */
/* Gives the token away until a thread unblocks obj or the deadline passes (then false). */
bool hd_rt_block(struct hd_thread *me, const void *obj, enum hd_waits kind, uint64_t deadline,
                 uintptr_t pc);
void hd_rt_unblock(const void *obj);         /* all threads blocked on obj become ready */
void hd_rt_unblock_one(struct hd_thread *t); /* if it is blocked or waits for a descriptor */
void hd_rt_ask(struct hd_thread *me);        /* the budget ran out, or it lets others run */
void hd_rt_ask_soon(void);                   /* at the next hook of the running thread */
/* policy_sync.c: an operation that others may wait for was logged. */
void hd_rt_sync_done(void);
static inline void hd_rt_done(enum hd_log_kind kind)
{
    if (HD_UNLIKELY(rt.at_sync && HD_SYNC_KINDS >> kind & 1))
        hd_rt_sync_done();
}
void hd_rt_new_budget(void); /* the policy's, for the thread that has the token */
/* The same at the start of a call, with what it is about to access (size 0: not known yet). */
void hd_rt_ask_at(struct hd_thread *me, const void *p, size_t n, uintptr_t site);
void hd_rt_outside(struct hd_thread *me); /* gives the token away around a call that may block */
bool hd_rt_fd_block(struct hd_thread *me, struct pollfd *fds, unsigned n, uint64_t deadline);
void hd_rt_finish(struct hd_thread *me);        /* the thread ends; returns without the token */
void hd_rt_choose_idle(void);                   /* keeper: lock held, no thread holds the token */
void hd_rt_make_ready(struct hd_thread *t);     /* lock held */
void hd_rt_forget_others(struct hd_thread *me); /* in a forked child */
unsigned hd_rt_n_ready(void);
uint64_t hd_rt_waited_for(const struct hd_thread *t); /* BLOCKED: address, or thread number */

/* ---- keeper.c ---- */
void hd_rt_keeper_start(void); /* once; also in a forked child before its first thread */
void hd_rt_keeper_forget(void);
bool hd_rt_strangers(void); /* threads that came to no hook yet: of libc, of unseen code */

/* ---- init.c ---- */
void hd_rt_init(void);
void hd_rt_ends_with(int status, void *unused); /* for on_exit: what the process exits with */
extern bool hd_rt_ready;                        /* hd_rt_init is over */

void *hd_rt_mem(size_t bytes); /* mem.c: zeroed memory that is never given back */

#include "rt/core/enter.h"

#endif
