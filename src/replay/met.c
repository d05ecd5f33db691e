/* What other threads accessed while a replay held one thread before its access (follow_hold.c).
 *
 * Both calls are about to be made whenever another thread comes to an access there, so each that
 * overlaps the held one, and is no read beside a read and no atomic beside an atomic, is a race
 * that happened. Each place counts once. */
#include "replay/outcome.h"

#include "base/hash.h"
#include "build/walk.h"
#include "recording/rawlog.h"

#include <string.h>

#define MOST 4096 /* places that are kept */

struct window {
    struct hd_walk w;         /* its log and modules only */
    struct hd_regions memory; /* for the views of shared memory */
    struct hd_map seen;       /* site << 8 | kind */
    const struct hd_origins *origins;
    const struct hd_replay_access *held;
    struct hd_vec *met; /* struct hd_origin */
    uint64_t thread;    /* that is held */
    uint32_t current;
    bool open;
};

/* Module i of the replay, as the trace numbers it; UINT32_MAX: it has none. */
static uint32_t module_in_trace(const struct window *v, uint32_t i)
{
    const struct hd_origin_module *ours = hd_vec_at(&v->w.in.modules, i);
    for (uint32_t k = i ? 1 : 0; k < v->origins->modules.len; k++) {
        const struct hd_origin_module *m = hd_vec_at(&v->origins->modules, k);
        if (!i || !strcmp(m->path, ours->path)) /* the first is the program, whatever its path */
            return k;
    }
    return UINT32_MAX;
}

static void keep(struct window *v, const struct hd_raw *rec)
{
    bool fresh;
    hd_map_put(&v->seen, rec->site << 8 | rec->kind, &fresh);
    uint32_t own = rec->site ? hd_origin_module_of(&v->w.in.modules, rec->site) : UINT32_MAX;
    uint32_t module = own == UINT32_MAX ? own : module_in_trace(v, own);
    if (!fresh || module == UINT32_MAX || v->met->len == MOST)
        return;
    const struct hd_origin_module *m = hd_vec_at(&v->w.in.modules, own);
    *(struct hd_origin *)hd_vec_push(v->met) = (struct hd_origin){
        .offset = rec->site - m->bias, .module = module, .kind = (uint8_t)rec->kind};
}

static void on_access(struct window *v, const struct hd_raw *rec)
{
    struct hd_replay_access a = {0};
    const struct hd_replay_access *held = v->held;
    if (v->current == v->thread || !hd_outcome_access(&v->memory, rec, &a))
        return;
    bool overlap = a.byte < held->byte + held->size && held->byte < a.byte + a.size;
    if (overlap && (a.writes || held->writes) && !(a.atomic && held->atomic))
        keep(v, rec);
}

/* False: the window is closed. */
static bool on_record(struct window *v, const struct hd_raw *rec)
{
    struct hd_follow_stands h;
    if (rec->kind == HD_LOG_SWITCH) {
        v->current = (uint32_t)rec->w[0];
        v->open = v->open && v->current != v->thread;
    }
    hd_outcome_memory(&v->memory, rec);
    if (v->open)
        on_access(v, rec);
    if (rec->kind != HD_LOG_FOLLOW)
        return true;
    if (rec->w[0] == HD_FOLLOW_STANDS && rec->len >= sizeof h) {
        memcpy(&h, rec->data, sizeof h);
        v->thread = h.which == 1 ? h.thread : v->thread;
        v->open = h.which == 1;
    }
    return rec->w[0] != HD_FOLLOW_RELEASED;
}

enum hd_status hd_outcome_met(const char *data, size_t len, const struct hd_origins *o,
                              const struct hd_replay_access *held, struct hd_vec *met,
                              struct hd_err *err)
{
    struct window v = {.origins = o, .held = held, .met = met};
    struct hd_build_info info = {0};
    struct hd_raw rec;
    if (!held->happened || !held->fixed)
        return HD_OK;
    enum hd_status s = hd_walk_open(&v.w, "replay", data, len, &info, err);
    hd_regions_init(&v.memory);
    if (s == HD_OK) {
        hd_rawlog_rewind(&v.w.log);
        while (hd_rawlog_next(&v.w.log, &rec) && on_record(&v, &rec))
            ;
    }
    hd_regions_fini(&v.memory);
    hd_map_fini(&v.seen);
    hd_walk_close(&v.w);
    return s;
}
