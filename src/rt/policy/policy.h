/* Policies: who holds the token next, and when to ask again. See the rules in rt.h. */
#ifndef HD_RT_POLICY_POLICY_H
#define HD_RT_POLICY_POLICY_H

#include "abi/rt_schedule.h"
#include "rt/core/rt.h"

/* What a pick or a budget may look at is in rt; see policy_*.c. */
struct hd_policy {
    void (*start)(void);
    void (*created)(struct hd_thread *t);
    /* The thread among the READY ones that runs next, or NULL when there is none. */
    struct hd_thread *(*pick)(void);
    uint64_t (*budget)(void); /* hooks until the policy wants to be asked again, >= 1 */
    /* The budget ran out (is 0), or the thread lets others run. True: pick again; false: it runs
     * on. */
    bool (*asked)(struct hd_thread *running, bool passes);
    void (*stuck)(void); /* no thread can run any more; NULL: that is a deadlock */
};
#define HD_POLICY_DECLARE(kind, name, number) extern const struct hd_policy hd_rt_policy_##name;
HD_POLICIES(HD_POLICY_DECLARE)
#undef HD_POLICY_DECLARE

/* ---- policy_follow.c ---- */
void hd_rt_follow_child(void); /* this forked process follows the schedule from here on */
/* All wait, some of them for descriptors: lets come what came in the recorded run. Without `never`
 * a thread waits for the clock, and while a schedule is followed that comes first. False: nothing.
 * Ends the process when it would wait for ever. */
bool hd_rt_follow_arrivals(bool never);
/* No thread has held the token for this time: ends the replay if the thread that is due sits in
 * code without hooks, and waits there for another. Lock held. */
void hd_rt_follow_idle(uint64_t ns);
/* A schedule is followed, and the thread is not the one that is due. */
bool hd_rt_follow_holds(const struct hd_thread *t);
void hd_rt_follow_module(const char *path, bool main_program, uintptr_t bias);
void hd_rt_follow_catch_up(void); /* the log is about to go on in another chunk */
void hd_rt_follow_new_record(void);
/* Up to where records may be written the quick way, at most `limit`; NULL: not at all. */
uint8_t *hd_rt_follow_quick(uint8_t *limit);
bool hd_rt_follow_free(void); /* all entries have run */
/* The thread is due, and creates one next. */
bool hd_rt_follow_creates(const struct hd_thread *me);
/* An event is about to be counted whose record comes later. */
void hd_rt_follow_counts_early(void);
void hd_rt_follow_gone(struct hd_thread *t); /* its place will be used again */
struct hd_thread *hd_rt_follow_wakes(void);  /* whom the signal just logged wakes; NULL: anyone */
/* This thread's next entry is the start of a handler for a signal that the program sent itself. */
bool hd_rt_follow_handler(const struct hd_thread *me);
/* The entry that is due is this thread's, and its stack is wanted. */
bool hd_rt_follow_wants(const struct hd_thread *me, uint64_t *entry);
/* NULL: none is followed, or it does not ask for stacks. */
const struct hd_sched_header *hd_rt_follow_asks(void);
void hd_rt_on_crash(int sig, siginfo_t *info, void *context);

/* ---- follow_hold.c: lock held, but for the last ---- */
void hd_rt_hold(struct hd_thread *t);
struct hd_thread *hd_rt_hold_pick(void); /* as policy fifo does, without the thread that is held */
bool hd_rt_hold_asked(struct hd_thread *running, bool passes);

/* ---- policy_steer.c ---- */
struct hd_thread *
hd_rt_steer_wakes(const struct hd_sync *c);                  /* whom the signal just logged wakes */
void hd_rt_steer_ending(struct hd_thread *me, uintptr_t pc); /* it is about to end the process */
_Noreturn void hd_rt_steer_crash(struct hd_thread *me, int sig); /* only while rt.tapped */
void hd_rt_steer_untold(unsigned what); /* HD_STEER_FOREIGN_RELEASE and so on; at any time */

/* ---- follow_stacks.c: what a schedule that asks for stacks gets; only while one is followed ----
 */
void hd_rt_follow_record(void);      /* a record is about to be written */
void hd_rt_follow_write_later(void); /* a write is about to happen, its record comes later */
void hd_rt_follow_alloc(
    void); /* a record of an allocation is about to be written; also when none is followed */
void hd_rt_follow_made(
    const volatile void *at); /* a lock is made there; does nothing when not followed */

/* The thread is about to wait: takes its frames, where the schedule may ask for them. They are the
 * caller's and have to stay until hd_rt_follow_parked. */
#define HD_RT_PARKED 32
struct hd_rt_frame {
    uint64_t pc, frame, stack; /* where a function goes on, its frame and stack pointer there */
};
void hd_rt_follow_parks(struct hd_thread *me, struct hd_rt_frame *frames);
void hd_rt_follow_parked(struct hd_thread *me);

/* ---- unwind.c ---- */
size_t hd_rt_unwind_frames(struct hd_rt_frame *frames, size_t max);
size_t hd_rt_unwind(uint64_t *frames, size_t max); /* code addresses, innermost first */
/* The unwinder initialises itself by a pthread_once of its own. This does it at the start of each
 * run, since otherwise a replay that takes stacks would do it before the program's first exception
 * or cancellation does, and would not find the events of the recording there. */
void hd_rt_unwind_init(void);

#endif
