/* Writing the log (log/rt_log.h, log/rt_pack.h). Only the holder of the token may.
 *
 * When there is no log, or no more of it (a limit, a full disk, a forked child), records vanish;
 * events are counted all the same, because dependences name them by number.
 */
#ifndef HD_RT_CORE_RT_WRITER_H
#define HD_RT_CORE_RT_WRITER_H

#include "abi/rt_abi.h"
#include "log/rt_log.h"
#include "log/rt_pack_plain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_EXPORT      __attribute__((visibility("default")))
#define HD_HIDDEN      __attribute__((visibility("hidden")))
#define HD_LIKELY(x)   __builtin_expect(!!(x), 1)
#define HD_UNLIKELY(x) __builtin_expect(!!(x), 0)

struct hd_rt_log {
    uint8_t *pos, *end; /* of the chunk in use; both NULL: records vanish */
    uint8_t *quick;     /* from here on, records go the long way (hook_fast.h) */
    uint64_t *keys;     /* shared: keys of slots by number */
    uint8_t *chunks;    /* shared: the ring */
    uint32_t chunk;     /* number of the chunk in use */
};
extern struct hd_rt_log hd_rt_log HD_HIDDEN;
extern struct hd_pack hd_rt_pack HD_HIDDEN;

/* Takes over the log named in the environment. False: this process is not to be recorded. */
bool hd_rt_log_open(void);
void hd_rt_log_instrumented(void); /* this process has a module of heddle cc */
/* In a forked child: a log of its own, for the parent's n-th child. False: it has none, and the old
 * one is gone; hd_rt_log_off then. */
bool hd_rt_log_child(unsigned n);
bool hd_rt_log_is_target(void); /* this process is the one that a replay is about */
/* The n-th child will be that process, or an ancestor of it. */
bool hd_rt_log_leads_to_target(unsigned n);
void hd_rt_log_off(void);   /* nothing is logged any more */
void hd_rt_log_quiet(void); /* records vanish from here on */
void hd_rt_log_finish(
    void); /* at the end of the program: stores the number of events for the driver */

/* A record that had no room while rt.tapped: w are its words, count the event's number in its
 * thread. For ranges and what is written later, w is the address only. */
void hd_rt_steer_op(enum hd_log_kind kind, unsigned aux, uintptr_t pc, const uint64_t *w,
                    size_t size, uint32_t count);
/* The same for a packed record; does nothing when records are not tapped. */
void hd_rt_log_missed(uintptr_t place, unsigned shape, const uint64_t *w, uint32_t count);

/* The next chunk, if it takes n bytes; waits for the driver. NULL: records vanish. */
uint8_t *hd_rt_log_grow(size_t n);

/* Whether a function that we stand before has logged an event since it was entered; hooks do not
 * ask. */
unsigned hd_rt_joined(void);

#define HD_BIT(kind) (UINT64_C(1) << HD_LOG_##kind)
/* Operations after which a thread of policy sync gives up its turn: others may wait for them. */
#define HD_SYNC_KINDS                                                                              \
    (HD_BIT(AWRITE) | HD_BIT(RMW) | HD_BIT(REL) | HD_BIT(RREL) | HD_BIT(FORK) | HD_BIT(SIG) |      \
     HD_BIT(BCAST) | HD_BIT(POST) | HD_BIT(SET) | HD_BIT(REL_FOR) | HD_BIT(RREL_FOR))

/* Records of any kind; what a kind has is in HD_LOG_KINDS. */
void hd_rt_log_words(enum hd_log_kind kind, unsigned aux, uintptr_t pc, unsigned n,
                     const uint64_t *w);
/* A record with contents: the place for them, or NULL; hd_rt_log_end when they are there. */
uint8_t *hd_rt_log_begin(unsigned aux, uintptr_t pc, uint64_t word, size_t len);
void hd_rt_log_end(enum hd_log_kind kind, const uint8_t *contents_end);
void hd_rt_log_data(enum hd_log_kind kind, uintptr_t pc, uint64_t word, const void *data,
                    size_t len);
void hd_rt_log_text(enum hd_log_kind kind, uintptr_t pc, uint64_t word, const char *text);
void hd_rt_log_uses(uintptr_t at); /* the driver needs the names of the file that defines it */

static inline uint8_t *hd_rt_log_room(size_t n)
{
    if (HD_UNLIKELY(hd_rt_log.end - hd_rt_log.pos < (ptrdiff_t)n))
        return hd_rt_log_grow(n);
    return hd_rt_log.pos;
}

/* Before a record of a site; its table comes first (site_tables.h). One with an id has had one. */
void hd_rt_log_site(const struct hd_site *site);

/* The thread has its event with this id, which may be a read. */
static inline void hd_rt_counts(uint32_t id)
{
    __hd_flow.now = __hd_flow.last_read = hd_tok_range(id, id);
}

/* A packed record that is an event of the running thread. */
static inline __attribute__((always_inline)) void
hd_rt_put(uintptr_t place, unsigned shape, const uint64_t *w, hd_tok addr, hd_tok val)
{
    if (shape & HD_SHAPE_SITE && HD_UNLIKELY(!((const struct hd_site *)place)->id))
        hd_rt_log_site((const struct hd_site *)place);
    uint8_t *p = hd_rt_log_room(HD_PACK_ROOM);
    uint32_t count = __hd_flow.count;
    hd_rt_counts(count + 1);
    if (HD_LIKELY(p))
        hd_rt_log.pos =
            hd_put_packed(&hd_rt_pack, hd_rt_log.keys, p, place, shape, count, w, addr, val);
    else
        hd_rt_log_missed(place, shape, w, count + 1);
}

static inline void hd_rt_log1(enum hd_log_kind kind, uintptr_t pc, uint64_t a)
{
    hd_rt_log_words(kind, 0, pc, 1, &a);
}

static inline void hd_rt_log2(enum hd_log_kind kind, unsigned aux, uintptr_t pc, uint64_t a,
                              uint64_t b)
{
    hd_rt_log_words(kind, aux, pc, 2, (uint64_t[]){a, b});
}

static inline void hd_rt_log3(enum hd_log_kind kind, unsigned aux, uintptr_t pc, uint64_t a,
                              uint64_t b, uint64_t c)
{
    hd_rt_log_words(kind, aux, pc, 3, (uint64_t[]){a, b, c});
}

#define HD_LOGP(kind, pc, ptr) hd_rt_log1(kind, pc, (uintptr_t)(ptr))

#endif
