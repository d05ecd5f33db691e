#include "explore/trail.h"

#include "log/rt_depend.h"

#include <string.h>

#define MAX_SPAN 4096 /* bytes of a range that are kept apart */

void hd_trail_init(struct hd_trail *t)
{
    *t = (struct hd_trail){.values = HD_VEC_INIT(uint64_t)};
}

void hd_trail_fini(struct hd_trail *t)
{
    hd_map_fini(&t->cells);
    hd_vec_fini(&t->values);
}

void hd_trail_restart(struct hd_trail *t)
{
    hd_map_clear(&t->cells);
    t->values.len = 0;
    t->sum = 0;
    memset(t->seen, 0, sizeof t->seen);
}

static uint64_t join(uint64_t h, uint64_t next)
{
    return hd_hash_mix(h ^ (next + UINT64_C(0x9e3779b97f4a7c15)));
}

static void set(struct hd_trail *t, uint64_t key, uint64_t value)
{
    bool fresh;
    uint32_t *at = hd_map_put(&t->cells, key, &fresh);
    if (fresh) {
        *at = (uint32_t)t->values.len;
        *(uint64_t *)hd_vec_push(&t->values) = 0;
    }
    uint64_t *cell = hd_vec_at(&t->values, *at);
    t->sum -= *cell ? join(key, *cell) : 0;
    *cell = value;
    t->sum += value ? join(key, value) : 0;
}

static uint64_t get(const struct hd_trail *t, uint64_t key)
{
    uint32_t at;
    return hd_map_get(&t->cells, key, &at) ? *(uint64_t *)hd_vec_at(&t->values, at) : 0;
}

/* Bytes of plain accesses are known; of others only that they depend on who wrote them, when. Bytes
 * are kept plus 1, so that 0 means: never written. */
static void write_bytes(struct hd_trail *t, const struct hd_steer_op *o, uint64_t seen)
{
    bool known = o->size <= 8 && !(o->flags & HD_STEER_NO_VALUE);
    uint32_t n = o->size < MAX_SPAN ? o->size : MAX_SPAN;
    for (uint32_t i = 0; i < n; i++)
        set(t, o->addr + i, known ? (o->value >> (8 * i) & 0xff) + 1 : join(seen, i) | 512);
}

/* What a range that is read holds, as far as it was written. */
static uint64_t bytes_mark(const struct hd_trail *t, const struct hd_steer_op *o)
{
    uint64_t h = o->size;
    for (uint32_t i = 0; i < o->size && i < MAX_SPAN; i++)
        h = join(h, get(t, o->addr + i));
    return h;
}

static void see(struct hd_trail *t, const struct hd_steer_op *o)
{
    uint64_t *seen = &t->seen[o->thread];
    *seen = join(*seen, o->site + o->kind);
    *seen = join(*seen, o->addr);
    if (o->kind == HD_LOG_RMW)
        *seen = join(*seen, o->other);
    else if (o->kind != HD_LOG_WRITE && o->kind != HD_LOG_AWRITE)
        *seen = join(*seen, o->flags & HD_STEER_NO_VALUE ? bytes_mark(t, o) : o->value);
    if (hd_steer_is_access(o->kind) && hd_steer_writes(o->kind))
        write_bytes(t, o, *seen);
    if (hd_steer_of_cond(o->kind))
        set(t, ~o->addr,
            join(get(t, ~o->addr), (uint64_t)o->wakes << 32 | o->thread << 8 | o->kind) | 1);
}

void hd_trail_step(struct hd_trail *t, const struct hd_exec_run *run, const struct hd_exec_step *s)
{
    for (uint32_t k = s->first; k < s->first + s->n; k++) {
        const struct hd_steer_op *o = &hd_run_op(run, k)->op;
        if (o->thread < HD_STEER_THREADS && o->kind != HD_STEER_STEP)
            see(t, o);
    }
}

uint64_t hd_trail_mark(const struct hd_trail *t)
{
    uint64_t sum = t->sum;
    for (unsigned i = 0; i < HD_STEER_THREADS; i++)
        sum += t->seen[i] ? join(i, t->seen[i]) : 0;
    return sum;
}
