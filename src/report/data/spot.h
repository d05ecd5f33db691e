/* The small parts that a report is made of: texts, places, stacks, source lines, threads and locks.
 * See report.h for who owns them.
 */
#ifndef HD_REPORT_DATA_SPOT_H
#define HD_REPORT_DATA_SPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_texts {
    const char **items;
    size_t n;
};

/* A place in the source. */
struct hd_spot {
    const char *file; /* as the compiler was given it */
    uint32_t line, column;
    const char *function;
};

struct hd_frame {
    struct hd_spot at;
    const char *module; /* "libc.so.6+0x12a0" */
};

struct hd_stack {
    struct hd_frame *frames; /* innermost first */
    size_t n;                /* 0: not known */
};

/* A lock that a thread holds. */
struct hd_held {
    const char *name;
    bool shared; /* the read side of a rwlock */
    struct hd_spot taken;
    uint64_t event;        /* that taking; 0: not known */
    struct hd_stack stack; /* the same */
};

/* Source lines around a place, as they were when the report was made. */
struct hd_snippet {
    uint32_t first;        /* number of the first line */
    struct hd_texts lines; /* without line ends; none when not available: `missing` gives why */
    const char *missing;
};

/* A piece of a file that a step of the schedule is in. */
struct hd_source {
    const char *file;
    struct hd_snippet text;
};

/* A thread that occurs in the finding. */
struct hd_thread_made {
    const char *name, *parent; /* parent NULL: the main thread */
    const char *role;          /* what the program calls it, or its first function; or NULL */
    struct hd_spot at;         /* where it was created */
    uint64_t event;            /* that creation; 0: not known */
    struct hd_stack stack;     /* the same as `at` */
};

/* A lock that occurs in the finding. */
struct hd_lock_made {
    const char *name;
    bool made;             /* stack: of the call that made it; else of its first use */
    struct hd_spot at;     /* its first use */
    uint64_t event;        /* the same */
    struct hd_stack stack; /* empty: only the first use is known */
};

#endif
