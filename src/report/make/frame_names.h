/* Which frames of a stack are the program's own, and how the names of C++ functions are shown.
 *
 * A reader looks for his own code. Frames of the C++ library, of libc and of the compiler's own
 * runtime stay in JSON, and behind `--full-stacks`, but are left out where people read.
 */
#ifndef HD_REPORT_MAKE_FRAME_NAMES_H
#define HD_REPORT_MAKE_FRAME_NAMES_H

#include "report/data/report.h"

struct hd_sources;

/* Whether the frame lies in a library that comes with the system. */
bool hd_frame_names_foreign(const struct hd_frame *f);
/* The innermost frame that is the program's own; n of the stack: there is none. */
size_t hd_frame_names_own(const struct hd_stack *s);
/* The frames that are shown when those of libraries are left out: all, when there are no others.
 * Calls see for each with its number. Returns how many were left out. */
size_t hd_frame_names_each(const struct hd_stack *s, bool all,
                           void (*see)(void *ctx, size_t number, const struct hd_frame *f),
                           void *ctx);

/* A demangled name without return type and parameters, and without template arguments when these
 * make it long: "std::vector<...>::push_back". out[size] is filled; returns out. */
const char *hd_frame_names_source(const char *function, char *out, size_t size);

/* The name of a variable, without template arguments when these make it long. */
const char *hd_frame_names_variable(const char *name, char *out, size_t size);

/* What a thread does, by the function that it starts with or the name that the program gave it;
 * NULL when that is the C++ library's, or "". */
const char *hd_frame_names_role(struct hd_report *r, const char *title);

/* Once its stacks are known: sets where in the program's own code the accesses, their locks and
 * their heap block are, with the source around them, and what the threads do. Ids do not change. */
void hd_frame_names_lift(struct hd_report *r, struct hd_finding *f, struct hd_sources *sources);

#endif
