#include "explore/guided.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "explore/freeze.h"
#include "explore/keep.h"
#include "explore/reach.h"
#include "log/rt_depend.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Executions of one search before others have their turn; twice as many each time round. */
#define QUOTA 32

/* A search from one candidate. Warnings share them. */
struct attempt {
    uint32_t event;
    bool released;
    uint32_t levels; /* searched to their end; UINT32_MAX: it could not be begun, or not go on */
    bool crowded;    /* because there are too many threads */
    struct hd_reach *reach;
};

struct warning {
    const struct hd_warning *w;
    struct hd_u32vec attempts;
    enum hd_guided_end how; /* OPEN until it is settled */
};

struct search {
    const struct hd_guided_options *o;
    struct hd_guided_result *result;
    struct hd_err *err;
    struct hd_leads *leads;
    struct hd_reach_env env;
    struct hd_exec *recorder; /* apart from those of the search, which may be busy */
    struct hd_keeper keeper;
    struct hd_vec attempts; /* struct attempt */
    struct hd_vec warnings; /* struct warning */
    struct hd_vec races;    /* struct hd_steer_op: accesses of races that were found */
    const struct attempt *now;
    bool hit;  /* the attempt in hand has found what it looks for */
    bool told; /* the execution in hand was recorded */
    enum hd_status status;
};

void hd_guided_key(const char *place1, const char *place2, uint32_t preemptions, char *text,
                   size_t size)
{
    snprintf(text, size, "%s %s %" PRIu32, place1, place2, preemptions);
}

/* ---- what is found ---- */

static bool same_access(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    return a->site == b->site && hd_steer_overlap(a, b);
}

/* Where the thread stands is known from the attempt that parks it; one that is released looks for
 * races on the same memory. Without knowing it, any race will do. */
static const struct hd_steer_op *access_of(const struct search *s, const struct attempt *a)
{
    for (size_t i = 0; i < s->attempts.len; i++) {
        const struct attempt *other = hd_vec_at(&s->attempts, i);
        if (other->event == a->event && !other->released && other->reach)
            return hd_reach_stands(other->reach);
    }
    return NULL;
}

static bool is_hit(const struct search *s, const struct hd_explore_finding *f)
{
    const struct hd_steer_op *stands = s->now ? access_of(s, s->now) : NULL;
    if (f->kind != HD_EXPLORE_RACE || !s->now)
        return false;
    if (!stands)
        return true;
    return hd_steer_overlap(stands, &f->ops[0]) || hd_steer_overlap(stands, &f->ops[1]);
}

/* The recording of what was found has been judged. A failure ends the search that is going on, too.
 */
static void see_result(struct search *s, const struct hd_explore_finding *f, bool led)
{
    for (int i = 0; i < 2 && led && f->kind == HD_EXPLORE_RACE; i++)
        *(struct hd_steer_op *)hd_vec_push(&s->races) = f->ops[i];
    s->hit = s->hit || (led && is_hit(s, f)) || s->status != HD_OK;
}

static void on_found(void *ctx, const struct hd_explore_finding *f)
{
    struct search *s = ctx;
    bool led = false;
    if (s->status != HD_OK)
        return;
    s->status = hd_keep(&s->keeper, f, &led, s->err);
    see_result(s, f, led);
    s->told = true;
}

/* The execution with a new pair of unguarded accesses, if it was not recorded for more. */
static void on_fresh(void *ctx, const struct hd_exec_run *run, const struct hd_steer_op *op)
{
    struct search *s = ctx;
    const struct hd_explore_finding f = {.kind = HD_EXPLORE_RACE, .ops = {*op, *op}};
    bool led = false;
    if (s->told || s->status != HD_OK)
        return;
    s->status = hd_keep_run(&s->keeper, s->recorder, run, &led, s->err);
    see_result(s, &f, led);
}

/* Findings are told once; this one may have been told to another attempt. */
static bool found_before(const struct search *s, const struct attempt *a)
{
    const struct hd_steer_op *stands = access_of(s, a);
    for (size_t i = 0; stands && i < s->races.len; i++)
        if (same_access(hd_vec_at(&s->races, i), stands))
            return true;
    return false;
}

/* ---- warnings and attempts ---- */

static uint32_t attempt_of(struct search *s, uint32_t event, bool released)
{
    for (uint32_t i = 0; i < s->attempts.len; i++) {
        const struct attempt *a = hd_vec_at(&s->attempts, i);
        if (a->event == event && a->released == released)
            return i;
    }
    *(struct attempt *)hd_vec_push(&s->attempts) =
        (struct attempt){.event = event, .released = released};
    return (uint32_t)(s->attempts.len - 1);
}

static bool is_settled(const struct search *s, const struct hd_warning *w)
{
    char key[1024];
    hd_guided_key(w->places[0], w->places[1], s->o->preemptions, key, sizeof key);
    return (s->o->settled && hd_names_find(s->o->settled, key, strlen(key), &(uint32_t){0})) ||
           s->o->known(s->o->ctx, w->places[0], w->places[1]);
}

static bool is_ours(const struct search *s, const struct hd_warning *w)
{
    const struct hd_schedule_share *share = &s->o->share;
    uint64_t hash = hd_hash_bytes(w->places[0], strlen(w->places[0]), 0);
    hash = hd_hash_bytes(w->places[1], strlen(w->places[1]), hash);
    return share->of < 2 || hash % share->of == share->number;
}

static void prepare(struct search *s)
{
    for (size_t i = 0; i < hd_leads_count(s->leads); i++) {
        struct warning *w = hd_vec_push(&s->warnings);
        *w = (struct warning){.w = hd_leads_warning(s->leads, i), .how = HD_GUIDED_OPEN};
        if (is_settled(s, w->w))
            w->how = HD_GUIDED_KNOWN;
        if (!is_ours(s, w->w)) {
            w->how = HD_GUIDED_ELSEWHERE;
            continue;
        }
        size_t n = w->w->candidates.len;
        const struct hd_candidate *c = w->w->candidates.data;
        for (size_t k = 0; k < n && s->o->aim == HD_AIM_PARKED; k++)
            hd_u32vec_push(&w->attempts, attempt_of(s, c[k].event, false));
        if (n)
            hd_u32vec_push(&w->attempts, attempt_of(s, c[n - 1].event, true));
    }
    s->result->warnings = s->warnings.len;
}

static void settle(struct search *s, struct warning *w, enum hd_guided_end how)
{
    w->how = how;
    HD_DEBUG_LINE(EXPLORE, "warning %s / %s settled: %d", w->w->places[0], w->w->places[1],
                  (int)how);
    s->o->settle(s->o->ctx, w->w->places[0], w->w->places[1], how);
}

/* ---- searching ---- */

static bool begin(struct search *s, size_t warning, size_t k, struct attempt *a)
{
    struct hd_lead lead;
    unsigned how = s->o->aim == HD_AIM_NONE ? 0 : HD_REACH_HINT;
    bool ok = hd_leads_make(s->leads, warning, k, &lead);
    if (ok)
        a->reach = hd_reach_new(&s->env, &lead, a->released ? how : how | HD_REACH_PARK);
    hd_lead_fini(&lead);
    a->levels = ok ? 0 : UINT32_MAX;
    return ok;
}

static void try_attempt(struct search *s, size_t i, size_t k, uint32_t level, uint64_t quota)
{
    struct warning *w = hd_vec_at(&s->warnings, i);
    struct attempt *a = hd_vec_at(&s->attempts, w->attempts.data[k]);
    size_t n = w->w->candidates.len;
    bool done = false;
    if (!a->reach && !begin(s, i, a->released ? n - 1 : k, a))
        return;
    s->hit = found_before(s, a);
    s->now = a;
    if (!s->hit) {
        enum hd_status status = hd_reach_level(a->reach, level, quota, &s->hit, &done, s->err);
        if (status == HD_ERR_LIMIT) { /* of threads or steps: others may have fewer */
            a->crowded = s->env.names.threads.len > HD_STEER_THREADS;
            a->levels = UINT32_MAX;
            status = HD_OK;
            done = false;
        }
        s->status = s->status == HD_OK ? status : s->status;
    }
    s->now = NULL;
    a->levels += done;
    if (s->status == HD_OK && (s->hit || found_before(s, a)))
        settle(s, w, HD_GUIDED_FOUND);
}

/* One turn of every attempt of a warning. Parked threads make for short searches, so they come
 * first; the one with no thread parked may then run as long as all of them together, since it is
 * the one that finds what they cannot. True: there is more to do on this level. */
static bool try_warning(struct search *s, size_t i, uint32_t level, uint64_t quota)
{
    const struct warning *w = hd_vec_at(&s->warnings, i);
    uint64_t start = s->env.executions;
    bool more = false;
    for (size_t k = 0; k < w->attempts.len && w->how == HD_GUIDED_OPEN; k++) {
        const struct attempt *a = hd_vec_at(&s->attempts, w->attempts.data[k]);
        uint64_t spent = s->env.executions - start;
        if (s->status != HD_OK || hd_reach_used_up(&s->env))
            return false;
        if (a->levels > level)
            continue;
        try_attempt(s, i, k, level, a->released && spent > quota ? spent : quota);
        more = more || a->levels <= level;
    }
    return more && w->how == HD_GUIDED_OPEN;
}

static void search_level(struct search *s, uint32_t level)
{
    bool more = true;
    for (uint64_t quota = QUOTA; more && s->status == HD_OK; quota *= 2) {
        more = false;
        for (size_t i = 0; i < s->warnings.len; i++)
            more = try_warning(s, i, level, quota) || more;
    }
}

static void on_execution(void *ctx)
{
    struct search *s = ctx;
    s->told = false;
    if (s->o->progress)
        s->o->progress(s->o->ctx, s->env.executions, s->env.states, s->env.open);
}

/* Why not all that the bound allows was searched for a warning; NULL: it was. */
static const char *loss(const struct search *s, const struct warning *w)
{
    for (size_t k = 0; k < w->attempts.len; k++) {
        const struct attempt *a = hd_vec_at(&s->attempts, w->attempts.data[k]);
        const char *why = a->reach ? hd_reach_lost(a->reach) : NULL;
        if (a->levels == UINT32_MAX)
            why = a->crowded ? HD_EXEC_CROWD_TEXT
                             : "an access is none that the search can start from";
        if (why)
            return why;
    }
    return NULL;
}

/* ---- in parts ---- */

#define FILE_KIND "HDWARN2"

/* What tells whether a file is about this search, and whether its addresses still mean the same. */
static bool freeze_head(struct search *s, struct hd_freezer *z)
{
    uint64_t mine[] = {hd_freeze_stamp(hd_exec_program(s->recorder)),
                       s->env.mark,
                       s->o->preemptions,
                       s->o->aim,
                       s->attempts.len,
                       s->o->share.number,
                       s->o->share.of};
    bool same = true;
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) {
        uint64_t value = mine[i];
        hd_freeze_u64(z, &value);
        same = same && value == mine[i];
    }
    return same;
}

static void freeze_findings(struct search *s, struct hd_freezer *z)
{
    struct hd_findings *f = &s->env.findings;
    struct hd_vec keys = z->writes ? f->keys : HD_VEC_INIT(uint64_t);
    hd_freeze_u64s(z, &keys);
    for (size_t i = 0; !z->writes && i < keys.len; i++)
        hd_findings_know(f, *(uint64_t *)hd_vec_at(&keys, i));
    if (!z->writes)
        hd_vec_fini(&keys);
    hd_freeze_len(z, &s->races);
    for (size_t i = 0; i < s->races.len; i++)
        hd_freeze_steer_op(z, hd_vec_at(&s->races, i));
}

static void freeze_attempts(struct search *s, struct hd_freezer *z)
{
    for (size_t i = 0; i < s->attempts.len && !z->bad; i++) {
        struct attempt *a = hd_vec_at(&s->attempts, i);
        bool begun = a->reach != NULL;
        hd_freeze_u32(z, &a->levels);
        hd_freeze_bool(z, &a->crowded);
        hd_freeze_bool(z, &begun);
        if (begun && z->writes)
            hd_reach_freeze(a->reach, z);
        else if (begun)
            a->reach = hd_reach_thaw(&s->env, z);
    }
}

static void freeze(struct search *s, struct hd_freezer *z)
{
    if (!z->writes) { /* the seed's are among those */
        hd_exec_names_fini(&s->env.names);
        hd_exec_names_init(&s->env.names);
        hd_guards_fini(&s->env.guards);
        hd_guards_init(&s->env.guards);
    }
    hd_freeze_u64(z, &s->env.states);
    hd_freeze_names(z, &s->env.names);
    hd_guards_freeze(&s->env.guards, z);
    freeze_findings(s, z);
    freeze_attempts(s, z);
}

/* A search of another program, or with another bound, starts from the beginning. */
static void thaw(struct search *s)
{
    struct hd_freezer z;
    if (hd_freeze_open(&z, s->o->state, false, FILE_KIND, s->err) != HD_OK) {
        s->status = HD_ERR_INPUT;
        return;
    }
    if (!freeze_head(s, &z)) {
        fclose(z.file);
        return;
    }
    freeze(s, &z);
    s->status = hd_freeze_close(&z, s->err);
}

static void save(struct search *s)
{
    struct hd_freezer z;
    struct hd_err err = {0};
    enum hd_status status = hd_freeze_open(&z, s->o->state, true, FILE_KIND, &err);
    if (status == HD_OK) {
        freeze_head(s, &z);
        freeze(s, &z);
        status = hd_freeze_close(&z, &err);
    }
    if (status != HD_OK) {
        s->status = status;
        *s->err = err;
    }
}

static void finish(struct search *s)
{
    bool whole = s->status == HD_OK && !hd_reach_used_up(&s->env);
    for (size_t i = 0; i < s->warnings.len; i++) {
        struct warning *w = hd_vec_at(&s->warnings, i);
        const char *why = w->how == HD_GUIDED_OPEN ? loss(s, w) : NULL;
        if (why && !s->result->why)
            s->result->why = why;
        if (w->how == HD_GUIDED_OPEN || w->how == HD_GUIDED_KNOWN)
            settle(s, w,
                   w->how == HD_GUIDED_KNOWN ? HD_GUIDED_KNOWN
                   : whole && !why           ? HD_GUIDED_NOT_REACHED
                                             : HD_GUIDED_OPEN);
        s->result->ends[w->how]++;
        hd_u32vec_fini(&w->attempts);
    }
    for (size_t i = 0; i < s->attempts.len; i++)
        hd_reach_free(((struct attempt *)hd_vec_at(&s->attempts, i))->reach);
    s->result->executions = s->env.executions;
    s->result->states = s->env.states;
    hd_vec_fini(&s->attempts);
    hd_vec_fini(&s->warnings);
    hd_vec_fini(&s->races);
}

static enum hd_status search(struct search *s, const struct hd_exec_opts *exec)
{
    s->status = hd_exec_open(exec, &s->env.names, &s->recorder, s->err);
    s->env.findings.found = on_found;
    s->env.findings.ctx = s;
    s->env.findings.exec = s->recorder;
    s->keeper = (struct hd_keeper){.dir = s->o->dir, .next = s->o->first, .taker = s->o->taker};
    s->env.progress = on_execution;
    s->env.fresh = on_fresh;
    s->env.ctx = s;
    s->env.max_executions = s->o->runs;
    s->env.max_level = s->o->preemptions;
    s->env.deadline = s->o->seconds > 0 ? hd_progress_now() + s->o->seconds : 0;
    prepare(s);
    if (s->status == HD_OK && s->warnings.len)
        s->status = hd_reach_env_seed(&s->env, s->err);
    bool seeded = s->status == HD_OK && s->warnings.len;
    if (seeded && s->o->resume)
        thaw(s);
    for (uint32_t level = 0; level <= s->o->preemptions && s->status == HD_OK; level++)
        search_level(s, level);
    s->result->open = s->env.open;
    s->result->recordings = s->keeper.next - s->o->first;
    if (seeded && s->o->state && (s->status == HD_OK || s->status == HD_ERR_STOPPED))
        save(s);
    finish(s);
    hd_exec_close(s->recorder);
    return s->status;
}

enum hd_status hd_guided(const struct hd_guided_options *o, struct hd_guided_result *result,
                         struct hd_err *err)
{
    struct search s = {.o = o,
                       .result = result,
                       .err = err,
                       .attempts = HD_VEC_INIT(struct attempt),
                       .warnings = HD_VEC_INIT(struct warning),
                       .races = HD_VEC_INIT(struct hd_steer_op)};
    struct hd_exec_opts exec = {
        .argv = o->argv, .input = o->input, .timeout = (uint32_t)(o->timeout * 1000)};
    *result = (struct hd_guided_result){0};
    enum hd_status status = hd_leads_new(o->trace, &s.leads, err);
    if (status == HD_OK) {
        status = hd_reach_env_init(&s.env, &exec, o->jobs, err);
        if (status == HD_OK)
            status = search(&s, &exec);
        hd_reach_env_fini(&s.env);
    }
    hd_leads_free(s.leads);
    return status;
}
