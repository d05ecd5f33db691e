/* The progress line.
 *
 * On a terminal: one line on stderr that rewrites itself, shown once a job has run for half a
 * second, with rate, time left and how to stop. Elsewhere (a file, a CI log): a plain line each
 * five seconds. Quiet: nothing. hd_progress_update is cheap enough for each few thousand units of
 * work, not for each unit. One thread at a time uses a struct hd_progress.
 */
#ifndef HD_BASE_PROGRESS_H
#define HD_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hd_progress {
    FILE *out; /* NULL: quiet */
    bool live;
    const char *label; /* "enumerating", not owned */
    const char *unit;  /* "states", not owned */
    uint64_t total;    /* 0: not known, no time left is given */
    double started, next;
    bool shown;
    int least;        /* percent that were shown: when work is added they do not fall */
    uint64_t most;    /* units that were shown */
    const char *hint; /* "press Ctrl-C for partial results", or NULL; not owned */
};

/* live: the stream can rewrite a line (hd_term_is_live). */
void hd_progress_begin(struct hd_progress *p, FILE *out, bool live, const char *label,
                       const char *unit, uint64_t total);
void hd_progress_update(struct hd_progress *p, uint64_t done);
void hd_progress_end(struct hd_progress *p); /* wipes the line */

/* The text of one line without \r or newline; for tests and for hd_progress_update. */
void hd_progress_format(const struct hd_progress *p, uint64_t done, double elapsed, char *text,
                        size_t size);

double hd_progress_now(void); /* monotonic seconds */

#endif
