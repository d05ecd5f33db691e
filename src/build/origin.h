/* Where the events of a trace come from: which event of the runtime each one is a part of.
 *
 * The runtime numbers the events of a thread from 1: the `step`. One of them may become several
 * events of the trace (an access that covers several cells, a branch put before it) or none, and
 * build.c adds writes from outside, which have step 0. An *origin* is what a step is known by when
 * the program runs again: its kind of record, and its site or code address as an offset into a
 * module. `joined`: the runtime makes it in the same call as the thread's last step that
 * has an event, without a chance for another thread to run in between.
 *
 * Stored in META chunks of .hdt files (docs/TRACE_FORMAT.md section 9); text has no place for them.
 */
#ifndef HD_BUILD_ORIGIN_H
#define HD_BUILD_ORIGIN_H

#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "base/bytes.h"
#include "recording/rawlog.h"
#include "trace/trace.h"

#define HD_ORIGIN_NONE 0u

struct hd_origin {
    uint64_t offset; /* in the module */
    uint32_t module; /* index, or UINT32_MAX */
    uint8_t kind;    /* enum hd_log_kind */
    bool joined;
};

/* While a trace is built. A zeroed struct is empty. */
struct hd_origin_log {
    struct hd_bytes codes;
    struct hd_bytes raw;        /* keys by number, from 1 */
    struct hd_map ids;          /* key: site, kind, joined */
    struct hd_u32vec last_step; /* by thread */
    struct hd_u32vec guess;     /* by place */
    uint32_t count;
};

/* The next event of the trace; rec NULL and step 0 when it has no origin. */
void hd_origin_add(struct hd_origin_log *o, hd_tid thread, uint32_t place, uint32_t step,
                   const struct hd_raw *rec, bool joined);
void hd_origin_fini(struct hd_origin_log *o);

/* A module of the program, in the order in which it was loaded; the first is the program. */
struct hd_origin_module {
    char *path;
    char *id; /* what distinguishes this build of the file from others; "" when it could not be read
               */
    uint64_t bias;
};

/* The module with the highest load address that is not above; UINT32_MAX: there is none. */
uint32_t hd_origin_module_of(const struct hd_vec *modules, uint64_t addr);

/* Puts everything into the trace. modules: struct hd_origin_module. */
void hd_origin_save(const struct hd_origin_log *o, const struct hd_vec *modules,
                    struct hd_trace *t);
void hd_origin_modules_fini(struct hd_vec *modules);

/* Back from a trace. */
struct hd_origins {
    uint32_t *step;   /* by event; 0: none */
    uint32_t *origin; /* by event: index into table, HD_ORIGIN_NONE */
    size_t n_events;
    struct hd_vec table;   /* struct hd_origin; entry 0 is no origin */
    struct hd_vec modules; /* struct hd_origin_module without bias */
};

/* HD_ERR_INPUT: the trace has none (a text, or not recorded by heddle record), or they are damaged.
 * The caller ends *o with hd_origins_fini in any case. */
enum hd_status hd_origins_load(const struct hd_trace *t, struct hd_origins *o, struct hd_err *err);
void hd_origins_fini(struct hd_origins *o);

/* build-id of an ELF file in hexadecimal, or its size and a checksum; "" when it cannot be read. */
void hd_origin_module_id(const char *path, char *out, size_t size);

#endif
