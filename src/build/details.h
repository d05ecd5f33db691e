/* What a recording knows about an event beyond its place: column, function, the name and size of
 * what is accessed; and where heap blocks come from. For people only: nothing here is part of the
 * model. It travels with the trace under the META key "details" (docs/TRACE_FORMAT.md section 9)
 * and is absent from traces that come from elsewhere.
 *
 * One place of the trace ("file.c:12") can hold several sites. The details list the sites of each
 * place; an event costs one byte, the number of its site within its place. The 256th and later
 * sites of a place are taken for the 256th.
 */
#ifndef HD_BUILD_DETAILS_H
#define HD_BUILD_DETAILS_H

#include "trace/trace.h"

struct hd_detail {
    const char *function; /* "": not known */
    const char *name;     /* variable or field, "": not known */
    uint32_t column, size;
    uint8_t flags; /* HD_SITE_NAME_* of abi/rt_abi.h */
    bool frees;    /* the event stands for a call of free */
    uint8_t call;  /* for a call that uses or ends a lock or the like: see hd_details_call */
};

/* What a record of the log does with the memory of a lock or the like (lock_memory.c), as `call` of
 * its site; 0: nothing. what: an enum hd_destroyed, for one that ends it. */
uint8_t hd_details_call(unsigned log_kind, uint64_t what);
const char *hd_details_call_words(uint8_t call); /* "lock", "destroy mutex"; NULL: none */
bool hd_details_call_ends(uint8_t call);
bool hd_details_call_leaves(uint8_t call); /* it is no call: the life of a local ends */
bool hd_details_call_behind(uint8_t call); /* the access stands behind the event of the call */

struct hd_block_origin {
    uint64_t bytes;
    const char *place, *function; /* of the call that allocated it; "": not known */
};

/* Reading. NULL when the trace has no details or they are damaged. The trace must outlive it. */
struct hd_details;
struct hd_details *hd_details_open(const struct hd_trace *t);
void hd_details_close(struct hd_details *d); /* NULL is fine */
/* False, and *out has empty texts, when nothing is known; d may be NULL. */
bool hd_details_at(const struct hd_details *d, hd_eid e, struct hd_detail *out);
/* By event: equal numbers say that the source place and the name of what is accessed are equal, so
 * that what one line does to two variables can be told apart. NULL when the trace has no details.
 * The caller frees it (hd_free, one uint32_t for each event). */
uint32_t *hd_details_spots(const struct hd_trace *t);
/* What the program calls the thread, or the function that it starts with; "": not known. */
const char *hd_details_title(const struct hd_trace *t, hd_tid thread);
/* The heap block with this number, as in "heap#3+8". */
bool hd_details_block(const struct hd_details *d, uint64_t number, struct hd_block_origin *out);

/* Writing. Sites are added as they come up, then each event in trace order. */
struct hd_details_writer;
struct hd_details_writer *hd_details_writer_new(void);
void hd_details_writer_free(struct hd_details_writer *w); /* NULL is fine */
/* Forgets events and blocks; sites and origins stay what they are called. */
void hd_details_restart(struct hd_details_writer *w);
/* A new site of a place; the result names it for hd_details_event. Texts are copied. */
uint32_t hd_details_site(struct hd_details_writer *w, uint32_t place, const struct hd_detail *site);
void hd_details_event(struct hd_details_writer *w, uint32_t site); /* UINT32_MAX: not known */
/* Heap block `number`, the one after the last; origin: see hd_details_origin. */
void hd_details_add_block(struct hd_details_writer *w, uint64_t bytes, uint32_t origin);
uint32_t hd_details_origin(struct hd_details_writer *w, const char *place, const char *function);
/* Puts all into the trace. */
void hd_details_finish(struct hd_details_writer *w, struct hd_trace *t);

#endif
