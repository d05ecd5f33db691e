/* The sentences that several formats share: what a finding is, where, and what to do about it.
 *
 * Texts are made in the given arena and hold what the program's names hold: any bytes. Each format
 * escapes them for itself (report_escape.h). None of them ends with a full stop unless its
 * comment states it.
 */
#ifndef HD_REPORT_FORMAT_WORDS_H
#define HD_REPORT_FORMAT_WORDS_H

#include "report/data/report.h"

const char *hd_words_format(struct hd_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether it is a race of the unordered form. */
bool hd_words_unordered(const struct hd_finding *f);
/* "data race", "use after free", "unordered race", "deadlock". */
const char *hd_words_kind(const struct hd_finding *f);
/* The same; "concurrent push_back and size" of a race inside an object of the C++ library. */
const char *hd_words_what(struct hd_arena *a, const struct hd_finding *f);
const char *hd_words_joint(const struct hd_finding *f); /* between that and the variable: " on " */
/* "confirmed 3 of 3", "predicted, not confirmed", "predicted, refuted by replay"; in `text`. */
const char *hd_words_proof(const struct hd_finding *f, char *text, size_t size);
/* "worker (T1.2)"; without a role "T1.2". */
const char *hd_words_thread(struct hd_arena *a, const struct hd_finding *f, const char *thread);
/* "write by worker (T1.2) in push queue.c:12:5". */
const char *hd_words_access(struct hd_arena *a, const struct hd_finding *f,
                            const struct hd_access *x);
/* "Data race on 'x'", "Unordered race on 'x'". */
const char *hd_words_heading(struct hd_arena *a, const struct hd_finding *f);
/* "Data race on 'x': write in deposit (T1.1) and read in audit (T1.2)". */
const char *hd_words_title(struct hd_arena *a, const struct hd_finding *f);
/* "confirmed by 20 of 20 replays", "predicted, not confirmed: the time ran out". */
const char *hd_words_status(struct hd_arena *a, const struct hd_finding *f);
/* "bank.c:12:5", "libc.so.6+0x12", "an unknown place". A column or line of 0 is left out. */
/* Why "nothing found" is not the whole truth; NULL: everything is decided. */
const char *hd_words_unfinished(struct hd_arena *a, const struct hd_report *r);
const char *hd_words_spot(struct hd_arena *a, const struct hd_spot *at);
const char *hd_words_frame(struct hd_arena *a, const struct hd_frame *f);
/* "lock m", "write x = 5", "create thread T1.2". */
const char *hd_words_step(struct hd_arena *a, const struct hd_schedule_step *s);
/* "m, rw (read side)", or "none". */
const char *hd_words_locks(struct hd_arena *a, const struct hd_access *x);
/* Two sentences with full stops: which lock the accesses hold, where to take it. NULL when
 * there is nothing to say. */
const char *hd_words_advice(struct hd_arena *a, const struct hd_finding *f);
/* What order `which` (0 or 1) did, "not run" when it was not. */
const char *hd_words_effect(const struct hd_finding *f, int which);
/* What both orders did in one sentence, the worse one first; NULL: none was run. */
const char *hd_words_effects(struct hd_arena *a, const struct hd_finding *f);
/* One word for a shell, quoted when it must be. */
const char *hd_words_shell(struct hd_arena *a, const char *word);
/* The command that replays the finding, ready for a shell; option may be "". NULL: no witness. */
const char *hd_words_replay(struct hd_arena *a, const struct hd_report *r,
                            const struct hd_finding *f, const char *option);
/* The command with this verb for the report's program, ready for a shell: `run` made the report. */
const char *hd_words_command(struct hd_arena *a, const struct hd_report *r, const char *verb);
/* The file as seen from the folder `root` (NULL: none), when it lies below it. */
const char *hd_words_path(const char *root, const char *file);
/* A line for a suppression file. */
const char *hd_words_suppression(struct hd_arena *a, const struct hd_finding *f);

/* What the stack of a lock shows: "made" or "first taken". */
const char *hd_words_lock_made(const struct hd_lock_made *l);

/* Why the threads of a deadlock cannot go on, why the accesses of an atomicity violation do not
 * stay together. NULL: the finding is another one. */
const char *hd_words_why(struct hd_arena *a, const struct hd_finding *f);

#endif
