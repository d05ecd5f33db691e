/* A plan: the units of a campaign, one line of a file each.
 *
 * A unit is one command of ours on one program (or trace), with everything that decides what it
 * gives: words, environment, folder, input, and which build of the program. Its name is a digest of
 * all that, so a unit is the same unit wherever and however often it runs. The last line of the
 * file is a digest of all lines before it: a plan that was edited or cut is refused. A plan depends
 * on its sources alone, not on when or where it is made.
 */
#ifndef HD_CAMPAIGN_UNITPLAN_H
#define HD_CAMPAIGN_UNITPLAN_H

#include "base/arena.h"
#include "base/content.h"
#include "base/err.h"
#include "base/vec.h"
#include "report/data/spot.h"

#define HD_PLAN_FILE "plan.jsonl"

struct hd_unit {
    const char *name;            /* 32 hexadecimal digits */
    const char *part;            /* the same for its test: all units of it count together */
    const char *test;            /* what people call the test */
    const char *how;             /* and this unit of it: "pct, seed 7" */
    struct hd_texts tool;        /* words for heddle: the command and its options */
    struct hd_texts program;     /* and behind --; empty: the command needs none */
    struct hd_texts environment; /* NAME=VALUE, beside those of the plan */
    const char *folder;          /* where it runs: an absolute path */
    const char *input;           /* its standard input: an absolute path, or NULL */
    const char *file;            /* what must be the same everywhere: program or trace */
    const char *build;           /* which one: hd_unitplan_build */
};

struct hd_unitplan {
    struct hd_arena *arena;
    const char *version;          /* of the tool that made it */
    struct hd_texts environment;  /* NAME=VALUE: all that units see */
    struct hd_vec units;          /* struct hd_unit */
    char digest[HD_CONTENT_SIZE]; /* of the whole plan, once written or read */
};

/* An empty plan of this version of the tool. */
void hd_unitplan_init(struct hd_unitplan *p);
void hd_unitplan_fini(struct hd_unitplan *p);

const char *hd_unitplan_text(struct hd_unitplan *p, const char *text); /* copies; NULL gives NULL */
const char *hd_unitplan_format(struct hd_unitplan *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void hd_unitplan_word(struct hd_unitplan *p, struct hd_texts *words,
                      const char *word); /* appends a copy */
void hd_unitplan_words(struct hd_unitplan *p, struct hd_texts *words, const struct hd_texts *more);

/* Takes variables of this process: those that any program may need (PATH, HOME, LANG, ...), and
 * what `more` asks for: NAME, or NAME=VALUE. */
void hd_unitplan_environment(struct hd_unitplan *p, const char *const *more, size_t n);

/* Names the unit and adds it; all else must be set. Equal ones become one when the plan is saved.
 */
void hd_unitplan_add(struct hd_unitplan *p, struct hd_unit *u);
static inline const struct hd_unit *hd_unitplan_unit(const struct hd_unitplan *p, size_t i)
{
    return hd_vec_at(&p->units, i);
}

/* Which build of a program a file is: its build id, or a digest of its content. HD_ERR_INPUT: it
 * cannot be read. */
enum hd_status hd_unitplan_build(const char *path, char text[80], struct hd_err *err);

/* Writes the plan into a campaign's folder. */
enum hd_status hd_unitplan_save(struct hd_unitplan *p, const char *dir, struct hd_err *err);
/* Reads it back. HD_ERR_INPUT: there is none, it was changed, or it is of another version of the
 * tool. hd_unitplan_fini in any case. */
enum hd_status hd_unitplan_load(struct hd_unitplan *p, const char *dir, struct hd_err *err);

#endif
