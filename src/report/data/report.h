/* A report: all results of one run of `heddle run`, as data.
 *
 * Every format (text, JSON, HTML, ...) is written from this struct alone, and JSON is read back
 * into it without loss (json.h). It owns all it points to: strings and arrays live in `arena` and
 * die together. A text that is not known is NULL, a number that is not known is 0, unless its
 * comment states otherwise. Nothing here is printed as it stands: texts come from programs and may
 * hold any bytes.
 *
 * Findings are in the order in which they are shown: confirmed ones first, those
 * with the worst effect before the others, then by id. Ids do not
 * depend on line numbers, paths, thread numbers or the run (id.h), so reports of different runs,
 * machines and versions of a program can be compared and joined.
 *
 * Event numbers are 1-based positions in the trace of the finding's run.
 */
#ifndef HD_REPORT_DATA_REPORT_H
#define HD_REPORT_DATA_REPORT_H

#include "base/arena.h"
#include "model/property.h"
#include "report/data/parts.h"
#include "report/data/spot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_finding_status {
    HD_FINDING_CONFIRMED, /* the program was run under the schedule and did it */
    HD_FINDING_PREDICTED, /* the model allows it; `reason` gives why it is not confirmed */
    HD_FINDING_OBSERVED,  /* the recorded run itself did it (a deadlock) */
    HD_FINDING_STATUSES
};
extern const char *const hd_finding_status_names[HD_FINDING_STATUSES]; /* as in JSON */

/* What a predicted finding means for the exit code of the run. */
enum hd_finding_counts {
    HD_COUNTS_NO,    /* a replay refuted it, or only what is confirmed was to count */
    HD_COUNTS_OPEN,  /* neither confirmed nor refuted, and there is a reason for doubt */
    HD_COUNTS_ERROR, /* found: the witness was checked and nothing contradicts it */
    HD_COUNTS
};
extern const char *const hd_finding_counts_names[HD_COUNTS]; /* as in JSON */

struct hd_access {
    const char *thread; /* "T1.2": the second thread that the main thread T1 created */
    const char *kind;   /* the words of its operation (trace/ops.h), or HD_ACCESS_FREE; of a
                           deadlock: "wait for lock" and the like */
    uint32_t size;      /* bytes */
    struct hd_spot at;  /* the innermost place in the program's own code (frame_names.h), where that
                           is  known; else the innermost */
    const char
        *value; /* in the recorded run: "5"; for an update "5 -> 6"; of a deadlock: the lock */
    uint64_t event;
    struct hd_held *locks;
    size_t n_locks;
    struct hd_stack stack; /* innermost first; one frame: see `stacks` of the finding */
    struct hd_snippet source;
};

#define HD_ACCESS_FREE  "free"
#define HD_ACCESS_LEAVE "end of scope" /* as build/details.c has it */
bool hd_access_frees(const struct hd_access *a);
bool hd_access_ends(const struct hd_access *a);       /* destroys a lock or the like */
bool hd_access_leaves(const struct hd_access *a);     /* ends the life of a local */
bool hd_access_only_reads(const struct hd_access *a); /* memory, and writes nothing */
bool hd_access_only_writes(const struct hd_access *a);
bool hd_access_updates(const struct hd_access *a); /* reads and writes in one step */

/* One event of the schedule. */
struct hd_schedule_step {
    const char *thread;
    const char *op;     /* as in docs/MODEL.md section 1: w, acq, fork, ... */
    const char *object; /* variable, lock, thread ...; NULL when the op has none */
    const char *lock;   /* wait, wake, tmo: the lock that is given back and taken again */
    const char *value;  /* access: as in struct hd_access */
    const char *order;  /* atomics, fence: the memory order, as in traces; NULL: sc, or none */
    struct hd_spot at;
    uint64_t event;
    bool essential; /* racing, synchronisation, or last before a switch of threads; of an unordered
                       race, every atomic access */
    bool racing;    /* one of the accesses of the finding */
    bool same;      /* an access to the location of these; not kept in files */
};

/* What the program did when the racing accesses ran in one order. */
struct hd_effect {
    const char *summary; /* "exit 0", "killed by SIGSEGV", "assertion failed: bank.c:31", ...; NULL:
                            this order was not run */
    int exit_status;     /* -1: it did not exit */
    int signal;          /* 0: none */
    const char *signal_name;
    const char *assertion; /* the text on its standard error */
    /* Against the other order: lines that start with - (other) or + (this); NULL: none. */
    const char *output_diff;
    bool deadlock, timeout;
    struct hd_stack stack; /* of a signal */
    /* What the accesses read or wrote in this order; by access; entries may be NULL. */
    struct hd_texts values;
};

struct hd_finding {
    const char *id;          /* "R-7f3a9c": the first digits of the fingerprint, 6 or more */
    const char *fingerprint; /* 16 hexadecimal digits; NULL: the report was written without */
    enum hd_property property;
    enum hd_finding_status status;
    const char *reason; /* when not confirmed: why */
    const char
        *verdict; /* the same in a word: diverged, apart, ...; NULL: confirmed or not tried */
    enum hd_finding_counts counts; /* of a predicted one; all others are errors */
    bool refuted; /* a predicted one: a replay did all of its schedule, and it did not come about */
    const char *variable; /* the best name known */
    const char *location; /* where it lives: "global", "heap block (64 bytes) from queue.c:33" */
    const char *why;      /* one or two sentences: why nothing keeps the accesses apart */
    const char *form; /* race: "simultaneous", "unordered" (docs/MODEL.md section 8); else NULL */
    /* Race: pairs that are unordered only because of it, a sentence each. */
    struct hd_texts follows;
    /* The lock that most of the accesses to the variable hold, and how many of how many. */
    const char *advice_lock;
    uint32_t advice_held, advice_of;
    const char *advice_text;    /* the whole advice in words, where it is no lock; or NULL */
    const char *advice_outside; /* a lock outside which it has to be taken there; or NULL */
    struct hd_access *accesses; /* race: 2; atomicity: 3; deadlock: one for each thread */
    size_t n_accesses;
    struct hd_thread_made *threads;
    size_t n_threads;
    struct hd_lock_made *locks; /* that an access holds or waits for */
    size_t n_locks;
    uint64_t block;              /* on the heap: number of the block in the trace; 0: elsewhere */
    struct hd_stack block_stack; /* of the call that allocated it */
    const char *stacks;          /* why only innermost frames are known; NULL: all are */
    struct hd_schedule_step *steps; /* in the order of the witness; the accesses come last,
                                       also the calls of a deadlock that never return */
    size_t n_steps;
    uint64_t steps_left_out; /* of a long schedule; the witness has them all */
    uint32_t *recorded;      /* n_steps indices into steps: the same events as they were recorded */
    uint32_t switches;       /* context switches of the witness */
    struct hd_source *sources; /* around steps that the sources of the accesses do not show */
    size_t n_sources;
    struct hd_effect effects[2]; /* first: accesses[0] goes first; second: accesses[1] does */
    uint32_t replays_confirmed, replays_tried;
    const char *met_in;   /* id of the finding whose replay confirmed it; NULL: its own did */
    const char *witness;  /* file, relative to the report's folder */
    const char *trace;    /* the same, of the run in which it was found */
    const char *shown_by; /* the schedule of that run: "fifo", "pct, seed 2"; NULL: not known */
    struct hd_texts processes; /* "child1": in which processes of the program, if not the first */
    const char *input;         /* file with the input that leads there; NULL: the given one */
    uint32_t duplicates;  /* further findings with the same id that were merged into this one */
    bool known;           /* in the baseline */
    struct hd_seen *seen; /* by part; empty unless the report is a merged one */
    size_t n_seen;
};

/* A finding of the baseline that this run did not find again. */
struct hd_gone {
    const char *id, *fingerprint;
    enum hd_property property;
    enum hd_finding_status status; /* what it was in the baseline */
    const char *variable;
    const char *title; /* the sentence that names what it was */
};

/* A rule of a suppression file, or a comment in the source, that did something, or did not. */
struct hd_rule_use {
    const char *text, *file;
    uint32_t line;
    uint64_t used;      /* findings hidden */
    const char *reason; /* as written behind reason: */
    const char *until;  /* "2026-12-31": the last day on which it holds */
    bool expired;       /* that day is over, and it hides nothing any more */
};

struct hd_report {
    struct hd_arena *arena;
    const char *tool_version;
    struct hd_texts program;  /* argv */
    uint64_t events, threads; /* of all recorded runs; the largest number of threads */
    uint64_t runs;
    double seconds; /* all together */
    double record_seconds, analyze_seconds, replay_seconds;
    /* Pairs of events. race counts findings before merging. */
    uint64_t race, impossible, undecided, skipped;
    uint64_t refuted;               /* hd_report_refuted, as written */
    struct hd_texts undecided_why;  /* "a.c:3 and b.c:5: the time ran out" */
    struct hd_texts unmodelled;     /* functions and calls */
    struct hd_texts uninstrumented; /* modules */
    struct hd_texts unseen;         /* what ran and was not looked at: the verdict is lower */
    struct hd_texts notes;          /* sentences for people */
    struct hd_texts search_notes;   /* the same about a search, made anew by each part of it */
    int exit_status;                /* of the recorded program; -1: it died by `signal` */
    int signal;
    struct hd_finding *findings;
    size_t n_findings;
    struct hd_rule_use *rules;
    size_t n_rules;
    uint64_t suppressed;  /* findings hidden by rules */
    const char *baseline; /* the report that this one was compared with; NULL: none */
    struct hd_gone *gone; /* by id */
    size_t n_gone;
    struct hd_part *parts; /* by id; empty unless the report is a merged one */
    size_t n_parts;
    const char *directory; /* where witnesses and traces are; not written to JSON */
    bool interrupted;      /* Ctrl-C: parts are missing */
    bool cut;              /* a recording is a part of its run only, or was analysed in part */
    bool allow_undecided;  /* what is not decided is no error */
    /* Not written to JSON. */
    uint64_t n_steps; /* of the schedules made for it so far */
    bool full_stacks; /* also the frames of libraries */
    bool whole;       /* all about each finding, on a terminal, too */
    bool brief;       /* some lines for each finding (brief.h), and what to do next */
    bool searched;    /* the report is that of a search over schedules or inputs */
    bool of_trace;    /* `program` is the name of a trace that was analysed: nothing can be run */
    bool late;        /* of it: the time was over before its end */
};

/* An empty report with its arena. */
struct hd_report *hd_report_new(void);
void hd_report_free(struct hd_report *r); /* NULL is fine */

/* Copies into the report's arena. text NULL gives NULL. */
const char *hd_report_text(struct hd_report *r, const char *text);
const char *hd_report_format(struct hd_report *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* n zeroed elements from the arena. */
void *hd_report_array(struct hd_report *r, size_t n, size_t size);
/* Appends a copy of text unless it is there already. */
void hd_report_add(struct hd_report *r, struct hd_texts *list, const char *text);

/* Puts the findings in order, confirmed first, then by effect and id, and merges those with the
 * same id: the best status, then the shortest schedule wins, and the others are counted in
 * `duplicates`. Findings whose ids are equal by chance get longer ones. */
void hd_report_settle(struct hd_report *r);

/* A copy of a finding, with all that it points to. */
struct hd_finding hd_report_copy(struct hd_report *to, const struct hd_finding *f);

/* Whether the finding counts as an error: confirmed, observed, or predicted and not contradicted;
 * and not known. */
bool hd_report_is_error(const struct hd_finding *f);
/* How many do. */
size_t hd_report_errors(const struct hd_report *r);
/* Predictions that a replay refuted and that are not known: no findings of a race. */
size_t hd_report_refuted(const struct hd_report *r);
/* Predictions that are neither errors nor refuted nor known. */
size_t hd_report_open(const struct hd_report *r);
/* Something is undecided, open, cut, interrupted or unread: that nothing was found does not say
 * that there is nothing. */
bool hd_report_unfinished(const struct hd_report *r);

#endif
