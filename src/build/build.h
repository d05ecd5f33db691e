/* From a recording to a trace that docs/MODEL.md accepts.
 *
 * The log is walked twice. First every access marks the ends of its bytes (cells.h). The second
 * walk builds the trace and replays memory: a read that returns something else than memory holds
 * proves a write that was not logged (libc or the kernel on the program's behalf). Such a write
 * belongs right after the last access to the cell, by the same thread, at the place "outside"; on a
 * stack where others were before, by the owner, before its first fork since its last join, or right
 * before its read. With the first one the building stops, the walk goes on to find them all, and a
 * third one builds.
 *
 * Dependences: see docs/MODEL.md section 1 and the tokens of abi/rt_abi.h. If nothing in the log
 * comes from our pass, the trace is `control all`; otherwise records without knowledge get a branch
 * on all earlier reads before them.
 */
#ifndef HD_BUILD_BUILD_H
#define HD_BUILD_BUILD_H

#include "base/err.h"
#include "base/stop.h"
#include "base/vec.h"
#include "recording/remarks.h"
#include "trace/trace.h"

#include <stdbool.h>

#define HD_BUILD_OUTSIDE "outside" /* the place of a write that was not logged */

/* A thread that could not go on when the program deadlocked. Numbers are ids in info->words. */
struct hd_build_wait {
    uint32_t thread;
    uint32_t kind; /* "lock", "condition", ... */
    uint32_t object, place;
    struct hd_u32vec frames; /* pairs: function, place */
    struct hd_u32vec holds;
};

struct hd_build_info {
    uint64_t outside_writes; /* inserted for consistency */
    uint64_t events;         /* records in the log that are events */
    uint64_t limit;   /* the log stops after this many events, as asked for; 0: it does not */
    enum hd_stop cut; /* TIME or MEMORY: the rest of the log was not read (base/stop.h) */
    uint32_t lost;    /* errno: the rest of the log could not be written */
    bool broken;      /* the log ends in damage */
    bool deadlock;
    bool from_pass;
    unsigned stuck; /* times the token was taken away */
    struct hd_remarks remarks;
    struct hd_vec waits; /* struct hd_build_wait, when deadlock */
    struct hd_names words;
    struct hd_names rules; /* lines of suppressions that the program brings along */
};

/* How a recording is read. Progress is told now and then; the total is the kilobytes of the log,
 * each of which stands for all walks over it. */
struct hd_build_watch {
    void (*progress)(void *ctx, uint64_t done, uint64_t total); /* or NULL */
    void *ctx;
    bool mapped;      /* the recording is a file that is mapped to be read only: what was read of it
                         does not stay in memory */
    bool keep_all;    /* accesses to memory that threads do not share are events, too */
    bool keep_handed; /* the same of memory that is handed over, not by fork and join alone */
};

/* Whether these are the first bytes of a recording. */
bool hd_build_is_recording(const char *data, size_t len);
/* Builds the trace of a recording in memory; name is for messages, watch may be NULL. On success
 * the caller frees *trace; info always. HD_ERR_INPUT when the recording is damaged, HD_ERR_STOPPED
 * when the user interrupted. In a scope of base/stop.h with a bound the log is read as far as that
 * allows; info->cut says so. */
enum hd_status hd_build_trace(const char *name, const char *data, size_t len,
                              const struct hd_build_watch *watch, struct hd_trace **trace,
                              struct hd_build_info *info, struct hd_err *err);
/* Only counts the events. */
enum hd_status hd_build_count(const char *name, const char *data, size_t len,
                              const struct hd_build_watch *watch, struct hd_build_info *info,
                              struct hd_err *err);
void hd_build_info_fini(struct hd_build_info *info);

#endif
