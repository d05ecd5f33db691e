/* A session from inside: what session.c and session_take.c share. */
#ifndef HD_SESSION_SESSION_INT_H
#define HD_SESSION_SESSION_INT_H

#include "session/session.h"

#include "session/idle.h"
#include "report/make/source.h"
#include "trace/digest.h"

/* A replay that took longer than so many seconds is not made again. */
#define HD_SESSION_PATIENCE 5.0

/* Of the replays. */
struct hd_met;
struct hd_session_replays {
    size_t waiting;            /* findings of the trace in hand that are not replayed yet */
    size_t firsts;             /* of these, those that are the first of their variable */
    bool first;                /* that in hand is one */
    uint64_t executions;       /* that ended in their time */
    double seconds, execution; /* of all of these, of one; 0: not known */
    size_t own;                /* findings of the session with executions of their own */
    double cpu;                /* processor time of all */
    uint64_t left_out;         /* findings that no time was left for */
    struct hd_names variables; /* that were found */
    struct hd_met *met;        /* pairs of the trace in hand that a replay of others came to */
};

struct hd_session {
    const struct hd_session_options *o;
    struct hd_report *r;
    struct hd_sources *sources;
    struct hd_vec findings;      /* struct hd_finding, as they come up */
    struct hd_err *err;          /* of the call that is going on */
    char trace_name[256];        /* of the run in hand */
    char digest[HD_DIGEST_SIZE]; /* of its trace; "": not asked for yet */
    char process[64];            /* of the trace in hand: "child1"; "": the first */
    int wait_status;             /* of the first run; means something when `ran` */
    bool ran;
    bool failed;    /* a replay or a later recording could not be made */
    int ended_by;   /* see struct hd_session_result */
    double stopped; /* seconds of a recording that would not have ended by itself; 0: none */
    double started, earlier_seconds;
    const char *shown_by;          /* schedule of the run in hand; NULL: not known */
    struct hd_idle idle;           /* threads that had nothing to do */
    struct hd_texts start_threads; /* modules that are not instrumented and start threads */
    uint64_t news;                 /* findings that no earlier run had */
    double deadline;     /* a run made unasked: when its share of time is over; 0: never */
    double end;          /* of the run in hand, when a budget is given; 0: none */
    double analysis_end; /* of the reading and analysis in hand; 0: none */
    bool late;           /* the time for reading and analysis was used up */
    bool in_part;        /* of a recording made unasked only the beginning was read */
    struct hd_session_replays replays;
};

void hd_session_tell(const struct hd_session *s, enum hd_stage stage, uint64_t done,
                     uint64_t total);
/* The path of a file in the session's folder. */
enum hd_status hd_session_path(const struct hd_session *s, const char *name, char *path,
                               size_t size);
double hd_session_time_left(const struct hd_session *s); /* seconds, a little at least */
void hd_session_notes(struct hd_session *s, const struct hd_build_info *info);
/* Whether the trace shows a part of the run only. */
bool hd_session_is_part(const struct hd_build_info *info);
/* Processor time of this process and of those that it waited for, in seconds. */
double hd_session_cpu(void);
/* session_replay.c: replays the witness; the finding then has its status and what it counts for. */
void hd_session_try(struct hd_session *s, const struct hd_trace *t, const struct hd_witness *w,
                    struct hd_finding *f);
/* session_met.c. Of the trace in hand; `witnesses`: those that are handled, hd_witness * each. */
struct hd_met *hd_met_new(const struct hd_trace *t, const struct hd_vec *witnesses);
void hd_met_free(struct hd_met *m); /* NULL is fine */
/* The finding in whose replay this pair of places raced; NULL: none. */
const char *hd_met_find(const struct hd_met *m, const struct hd_witness *w);
/* Which access of the pair had better wait while others run on, since more findings that are not
 * known yet have it: 0 for a, 1 for b; -1: neither is of another one. */
int hd_met_hold(const struct hd_met *m, const struct hd_witness *w);
/* The replay of finding `id` confirmed w while access `held` of it waited, or with -1 neither;
 * `others`, struct hd_origin: what raced with the held one. */
void hd_met_add(struct hd_met *m, const struct hd_witness *w, int held, const struct hd_vec *others,
                const char *id);

/* Whether the finding in hand may be replayed: the time for replays is not over. */
bool hd_session_has_time(const struct hd_session *s);
/* Seconds for one of n executions that are to be made; 0: no limit. */
double hd_session_execution_time(const struct hd_session *s, size_t n);
/* Whether no finding of the session was of this variable; it is known from now on. */
bool hd_session_replays_first(struct hd_session *s, const struct hd_witness *w,
                              const char *variable);
void hd_session_replays_note(struct hd_session *s); /* of what no time was left for */
/* Writes the witness to a file of the session's folder, which the finding then names. */
enum hd_status hd_session_save_witness(struct hd_session *s, const struct hd_trace *t,
                                       const struct hd_witness *w, struct hd_finding *f);
/* A deadlock that a run came to by itself counts as one of the confirmed deadlock that is in it. */
void hd_session_fold_stuck(struct hd_session *s);
/* session_others.c: the findings from `first` on that were not confirmed, by other pairs of their
 * places. */
void hd_session_others(struct hd_session *s, const struct hd_trace *t, size_t first);

#endif
