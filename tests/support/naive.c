#include "naive.h"
#include "naive_int.h"

#include <stdio.h>
#include <string.h>

bool nv_reads(enum hd_op op)
{
    return op == HD_OP_READ || op == HD_OP_AREAD || op == HD_OP_RMW;
}

bool nv_writes(enum hd_op op)
{
    return op == HD_OP_WRITE || op == HD_OP_AWRITE || op == HD_OP_RMW;
}

bool nv_access(enum hd_op op)
{
    return nv_reads(op) || nv_writes(op);
}

/* The initial value of x: given, or what the first read before all writes says. */
uint64_t nv_initial(const struct nv_trace *t, int x)
{
    if (t->init_given[x])
        return t->init[x];
    bool seen = false;
    for (int i = 0; i < t->n; i++) {
        const struct nv_event *e = &t->ev[i];
        if (!nv_access(e->op) || e->obj != x)
            continue;
        if (nv_reads(e->op) && e->has_value)
            return e->value;
        seen = seen || nv_reads(e->op);
        if (nv_writes(e->op))
            break;
    }
    return seen ? 5000 + (uint64_t)x : NV_UNKNOWN;
}

/* Gives omitted values: a write's is unique, a read's is that of the last write, or the initial
 * one. */
static void nv_settle(struct nv_trace *t)
{
    for (int i = 0; i < t->n; i++) {
        struct nv_event *e = &t->ev[i];
        if (!nv_access(e->op) || e->has_value)
            continue;
        uint64_t held = nv_initial(t, e->obj);
        for (int j = 0; j < i; j++)
            if (nv_writes(t->ev[j].op) && t->ev[j].obj == e->obj)
                held = t->ev[j].op == HD_OP_RMW ? t->ev[j].new_value : t->ev[j].value;
        if (nv_reads(e->op))
            e->value = held;
        if (nv_writes(e->op))
            *(e->op == HD_OP_RMW ? &e->new_value : &e->value) = 1000 + (uint64_t)i;
    }
}

static uint32_t nv_earlier_reads(const struct nv_trace *t, int i)
{
    uint32_t set = 0;
    for (int j = 0; j < i; j++)
        if (t->ev[j].thread == t->ev[i].thread && nv_reads(t->ev[j].op))
            set |= 1u << j;
    return set;
}

/* Runs memory along r. Returns the stale reads; *held is what memory has at x in the end. */
uint32_t nv_memory(const struct nv_trace *t, const struct nv_run *r, int x, uint64_t *held)
{
    uint64_t mem[NV_OBJS];
    uint32_t stale = 0;
    for (int y = 0; y < NV_OBJS; y++)
        mem[y] = nv_initial(t, y);
    for (int k = 0; k < r->n; k++) {
        int i = r->event[k];
        const struct nv_event *e = &t->ev[i];
        if (nv_reads(e->op) && (mem[e->obj] == NV_UNKNOWN || mem[e->obj] != e->value))
            stale |= 1u << i;
        if (nv_writes(e->op)) {
            uint32_t own = e->op == HD_OP_RMW ? 1u << i : 0;
            uint32_t on = e->deps_given ? e->deps : nv_earlier_reads(t, i) | own;
            uint64_t value = e->op == HD_OP_RMW ? e->new_value : e->value;
            mem[e->obj] = on & stale ? NV_UNKNOWN : value;
        }
    }
    *held = mem[x];
    return stale;
}

static int nv_depth(const struct nv_trace *t, const struct nv_run *r, int u, int l)
{
    int depth = 0, saved = 0;
    for (int k = 0; k < r->n; k++) {
        const struct nv_event *e = &t->ev[r->event[k]];
        if (e->thread != u)
            continue;
        if (e->op == HD_OP_ACQ && e->obj == l)
            depth++;
        if (e->op == HD_OP_REL && e->obj == l)
            depth--;
        if (e->op == HD_OP_WAIT && e->lock == l)
            saved = depth, depth = 0;
        if ((e->op == HD_OP_WAKE || e->op == HD_OP_TMO) && e->lock == l)
            depth = saved;
    }
    return depth;
}

static int nv_count(const struct nv_trace *t, const struct nv_run *r, int u, enum hd_op op, int obj)
{
    int count = 0;
    for (int k = 0; k < r->n; k++) {
        const struct nv_event *e = &t->ev[r->event[k]];
        count += e->op == op && e->obj == obj && (u < 0 || e->thread == u);
    }
    return count;
}

static int nv_read_holds(const struct nv_trace *t, const struct nv_run *r, int u, int l)
{
    return nv_count(t, r, u, HD_OP_RACQ, l) - nv_count(t, r, u, HD_OP_RREL, l);
}

/* Is u in the waiting set of c? */
bool nv_waiting(const struct nv_trace *t, const struct nv_run *r, int u, int c)
{
    bool in = false;
    for (int k = 0; k < r->n; k++) {
        const struct nv_event *e = &t->ev[r->event[k]];
        if (e->thread == u && e->op == HD_OP_WAIT && e->obj == c)
            in = true;
        if (e->thread == u && e->op == HD_OP_TMO && e->obj == c)
            in = false;
        if (e->op == HD_OP_BCAST && e->obj == c)
            in = false;
        if (e->op == HD_OP_SIG && e->obj == c && r->woken[k] == u)
            in = false;
    }
    return in;
}

/* The last event of u that has run, or -1. */
int nv_last(const struct nv_trace *t, const struct nv_run *r, int u)
{
    int last = -1;
    for (int k = 0; k < r->n; k++)
        if (t->ev[r->event[k]].thread == u)
            last = r->event[k];
    return last;
}

static bool nv_has_run(const struct nv_run *r, int i)
{
    for (int k = 0; k < r->n; k++)
        if (r->event[k] == i)
            return true;
    return false;
}

static bool nv_generation_complete(const struct nv_trace *t, const struct nv_run *r,
                                   const struct nv_event *e)
{
    int arrivals = 0, mine = -1;
    for (int k = 0; k < r->n; k++) {
        const struct nv_event *f = &t->ev[r->event[k]];
        if (f->op != HD_OP_BARIN || f->obj != e->obj)
            continue;
        if (f->thread == e->thread)
            mine = arrivals;
        arrivals++;
    }
    int size = (int)t->barrier[e->obj];
    return mine >= 0 && arrivals >= (mine / size + 1) * size;
}

static bool nv_lock_rule(const struct nv_trace *t, const struct nv_run *r, const struct nv_event *e)
{
    int u = e->thread, l = e->obj;
    bool else_owns = false, else_reads = false;
    for (int v = 0; v < t->threads; v++) {
        else_owns = else_owns || (v != u && nv_depth(t, r, v, l) > 0);
        else_reads = else_reads || (v != u && nv_read_holds(t, r, v, l) > 0);
    }
    if (e->op == HD_OP_ACQ)
        return !else_owns && !else_reads;
    if (e->op == HD_OP_RACQ)
        return !else_owns && nv_depth(t, r, u, l) == 0;
    if (e->op == HD_OP_TRYFAIL)
        return else_owns || else_reads;
    return e->op == HD_OP_REL ? nv_depth(t, r, u, l) > 0 : nv_read_holds(t, r, u, l) > 0;
}

static bool nv_return_rule(const struct nv_trace *t, const struct nv_run *r,
                           const struct nv_event *e)
{
    int last = nv_last(t, r, e->thread);
    if (last < 0 || t->ev[last].op != HD_OP_WAIT || t->ev[last].obj != e->obj ||
        t->ev[last].lock != e->lock)
        return false;
    for (int v = 0; v < t->threads; v++)
        if (nv_depth(t, r, v, e->lock) || nv_read_holds(t, r, v, e->lock))
            return false;
    return nv_waiting(t, r, e->thread, e->obj) == (e->op == HD_OP_TMO);
}

static bool nv_op_rule(const struct nv_trace *t, const struct nv_run *r, int i, uint32_t stale)
{
    const struct nv_event *e = &t->ev[i];
    switch (e->op) {
    case HD_OP_BRANCH:
        return !(stale & (e->deps_given ? e->deps : nv_earlier_reads(t, i)));
    case HD_OP_ACQ:
    case HD_OP_REL:
    case HD_OP_RACQ:
    case HD_OP_RREL:
    case HD_OP_TRYFAIL:
        return nv_lock_rule(t, r, e);
    case HD_OP_JOIN:
        for (int j = 0; j < t->n; j++)
            if (t->ev[j].thread == e->obj && !nv_has_run(r, j))
                return false;
        return true;
    case HD_OP_WAIT:
        return nv_depth(t, r, e->thread, e->lock) > 0;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        return nv_return_rule(t, r, e);
    case HD_OP_SEM:
        return (int64_t)t->sem[e->obj] + nv_count(t, r, -1, HD_OP_POST, e->obj) -
                   nv_count(t, r, -1, HD_OP_SEM, e->obj) >
               0;
    case HD_OP_BAROUT:
        return nv_generation_complete(t, r, e);
    case HD_OP_END: {
        int open = 0;
        for (int k = 0; k < r->n; k++)
            if (t->ev[r->event[k]].thread == e->thread)
                open +=
                    (t->ev[r->event[k]].op == HD_OP_BEGIN) - (t->ev[r->event[k]].op == HD_OP_END);
        return open > 0;
    }
    default:
        return !nv_access(e->op) || !(e->addr_given && (stale & e->addr));
    }
}

/* May event i run after r when exactly these reads are stale? */
bool nv_possible(const struct nv_trace *t, const struct nv_run *r, int i, uint32_t stale)
{
    const struct nv_event *e = &t->ev[i];
    if (nv_has_run(r, i))
        return false;
    for (int j = 0; j < t->n; j++) {
        if (j < i && t->ev[j].thread == e->thread && !nv_has_run(r, j))
            return false;
        if (t->ev[j].op == HD_OP_FORK && t->ev[j].obj == e->thread && !nv_has_run(r, j))
            return false;
    }
    if (t->control_all && (stale & nv_earlier_reads(t, i)))
        return false;
    int last = nv_last(t, r, e->thread);
    if (last >= 0 && t->ev[last].op == HD_OP_WAIT && e->op != HD_OP_WAKE && e->op != HD_OP_TMO)
        return false;
    return nv_op_rule(t, r, i, stale);
}

bool nv_enabled(const struct nv_trace *t, const struct nv_run *r, int i)
{
    uint64_t held;
    return nv_possible(t, r, i, nv_memory(t, r, 0, &held));
}

bool nv_conflict(const struct nv_event *a, const struct nv_event *b)
{
    bool plain =
        a->op == HD_OP_READ || a->op == HD_OP_WRITE || b->op == HD_OP_READ || b->op == HD_OP_WRITE;
    return nv_access(a->op) && nv_access(b->op) && a->thread != b->thread && a->obj == b->obj &&
           (nv_writes(a->op) || nv_writes(b->op)) && plain;
}

/* Calls itself for every way to go on; race[a][b] collects the pairs. */
void nv_explore(const struct nv_trace *t, struct nv_run *r, bool race[NV_MAX][NV_MAX])
{
    bool enabled[NV_MAX];
    for (int i = 0; i < t->n; i++)
        enabled[i] = nv_enabled(t, r, i);
    for (int a = 0; a < t->n; a++)
        for (int b = a + 1; b < t->n; b++)
            if (enabled[a] && enabled[b] && nv_conflict(&t->ev[a], &t->ev[b]))
                race[a][b] = true;
    for (int i = 0; i < t->n; i++) {
        if (!enabled[i])
            continue;
        bool waiters = false;
        for (int u = 0; u <= t->threads; u++) {
            bool choice =
                u < t->threads && t->ev[i].op == HD_OP_SIG && nv_waiting(t, r, u, t->ev[i].obj);
            waiters = waiters || choice;
            if (!choice && (u < t->threads || waiters))
                continue;
            r->event[r->n] = i;
            r->woken[r->n++] = choice ? u : -1;
            nv_explore(t, r, race);
            r->n--;
        }
    }
}

/* How many events can run in the observed order, every read returning what memory holds, for the
 * best choice of waiters. t->n: the trace is consistent. */
int nv_furthest(const struct nv_trace *t, struct nv_run *r)
{
    int i = r->n;
    if (i == t->n || !nv_enabled(t, r, i))
        return i;
    const struct nv_event *e = &t->ev[i];
    uint64_t held;
    nv_memory(t, r, nv_access(e->op) ? e->obj : 0, &held);
    if (nv_reads(e->op) && (held == NV_UNKNOWN || held != e->value))
        return i;
    int best = 0;
    bool waiters = false;
    for (int u = 0; u <= t->threads; u++) {
        bool choice = u < t->threads && e->op == HD_OP_SIG && nv_waiting(t, r, u, e->obj);
        waiters = waiters || choice;
        if (!choice && (u < t->threads || waiters))
            continue;
        r->event[r->n] = i;
        r->woken[r->n++] = choice ? u : -1;
        int far = nv_furthest(t, r);
        best = far > best ? far : best;
        r->n--;
    }
    return best;
}

int nv_pick(struct nv_random *rnd, int below)
{
    rnd->state = rnd->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((rnd->state >> 33) % (uint64_t)below);
}

static uint32_t nv_pick_set(struct nv_random *rnd, uint32_t of)
{
    uint32_t set = 0;
    for (int i = 0; i < 32; i++)
        if ((of >> i & 1) && nv_pick(rnd, 2))
            set |= 1u << i;
    return set;
}

static struct nv_event nv_propose(struct nv_random *rnd, const struct nv_shape *shape,
                                  const struct nv_trace *t, const struct nv_run *r)
{
    struct nv_event e = {.op = shape->ops[nv_pick(rnd, shape->n_ops)],
                         .thread = nv_pick(rnd, shape->threads),
                         .obj = nv_pick(rnd, shape->objs)};
    e.lock = nv_pick(rnd, shape->objs);
    int last = nv_last(t, r, e.thread);
    if (shape->own_locks && hd_op_info[e.op].kind == HD_OBJ_LOCK)
        e.obj = e.thread;
    if (shape->own_locks)
        e.lock = e.thread;
    if (last >= 0 && t->ev[last].op == HD_OP_WAIT) {
        e.op = nv_pick(rnd, 3) ? HD_OP_WAKE : HD_OP_TMO;
        e.obj = t->ev[last].obj;
        e.lock = t->ev[last].lock;
    }
    if (hd_op_info[e.op].kind == HD_OBJ_THREAD)
        e.obj = (e.thread + 1 + nv_pick(rnd, shape->threads - 1)) % shape->threads;
    while (shape->orders && (hd_op_is_atomic(e.op) || e.op == HD_OP_FENCE)) {
        e.order = (enum hd_mem_order)nv_pick(rnd, HD_ORDER_COUNT);
        if (hd_mem_order_fits(e.op, e.order))
            break;
    }
    e.has_value = nv_pick(rnd, 4) > 0;
    e.value = (uint64_t)nv_pick(rnd, 3);
    e.new_value = (uint64_t)nv_pick(rnd, 3);
    return e;
}

/* May the builder take it at all? A fork twice, or of a thread that has already run, is left out.
 */
static bool nv_takes(const struct nv_trace *t, const struct nv_event *e)
{
    for (int i = 0; i < t->n && e->op == HD_OP_FORK; i++)
        if ((t->ev[i].op == HD_OP_FORK && t->ev[i].obj == e->obj) || t->ev[i].thread == e->obj)
            return false;
    int last = -1;
    for (int i = 0; i < t->n; i++)
        if (t->ev[i].thread == e->thread)
            last = i;
    bool in_wait = last >= 0 && t->ev[last].op == HD_OP_WAIT;
    return in_wait == (e->op == HD_OP_WAKE || e->op == HD_OP_TMO);
}

/* Appends e if it can run here (or anyway, when wild); a read gets the value that memory holds. */
static bool nv_append(struct nv_random *rnd, struct nv_trace *t, struct nv_run *r,
                      struct nv_event e, bool wild)
{
    if (!nv_takes(t, &e))
        return false;
    for (int j = 0; j < t->n && !wild; j++) /* a joined thread has ended */
        if (t->ev[j].op == HD_OP_JOIN && t->ev[j].obj == e.thread)
            return false;
    int i = t->n++;
    t->ev[i] = e;
    uint32_t reads = nv_earlier_reads(t, i);
    struct nv_event *mine = &t->ev[i];
    mine->deps_given = (nv_writes(e.op) || e.op == HD_OP_BRANCH) && nv_pick(rnd, 2);
    mine->deps = nv_pick_set(rnd, reads | (e.op == HD_OP_RMW ? 1u << i : 0));
    mine->addr_given = nv_access(e.op) && nv_pick(rnd, 4) == 0;
    mine->addr = nv_pick_set(rnd, reads);
    nv_settle(t);
    uint64_t held;
    nv_memory(t, r, nv_access(e.op) ? e.obj : 0, &held);
    if (nv_reads(e.op) && held != mine->value && held < 1000 && !wild)
        mine->value = held;
    bool possible = nv_enabled(t, r, i) && (!nv_reads(e.op) || held == mine->value);
    if (!possible && !wild) {
        t->n--;
        return false;
    }
    int woken = -1;
    for (int u = 0; u < t->threads && e.op == HD_OP_SIG; u++)
        if (nv_waiting(t, r, u, e.obj) && (woken < 0 || nv_pick(rnd, 2)))
            woken = u;
    r->event[r->n] = i;
    r->woken[r->n++] = woken;
    return true;
}

/* Some locks that have acq and rel alone are exclusions. */
static void nv_exclusions(struct nv_random *rnd, struct nv_trace *t)
{
    for (int l = 0; l < NV_OBJS; l++) {
        bool fits = nv_pick(rnd, 2);
        for (int i = 0; i < t->n; i++)
            if ((hd_op_info[t->ev[i].op].kind == HD_OBJ_LOCK && t->ev[i].obj == l &&
                 t->ev[i].op != HD_OP_ACQ && t->ev[i].op != HD_OP_REL) ||
                (hd_op_info[t->ev[i].op].has_lock && t->ev[i].lock == l))
                fits = false;
        for (int i = 0; i < t->n && fits; i++)
            if ((t->ev[i].op == HD_OP_ACQ || t->ev[i].op == HD_OP_REL) && t->ev[i].obj == l)
                t->ev[i].order = HD_ORDER_RLX;
    }
}

void nv_random_trace(struct nv_random *rnd, const struct nv_shape *shape, struct nv_trace *t)
{
    memset(t, 0, sizeof *t);
    t->threads = shape->threads;
    t->control_all = nv_pick(rnd, 4) == 0;
    for (int x = 0; x < NV_OBJS; x++) {
        t->init_given[x] = nv_pick(rnd, 2);
        t->init[x] = (uint64_t)nv_pick(rnd, 3);
        t->sem[x] = (uint64_t)nv_pick(rnd, 2);
        t->barrier[x] = 1 + (uint64_t)nv_pick(rnd, 3);
    }
    struct nv_run r = {0};
    for (int tries = 0; t->n < shape->events && tries < 40 * shape->events; tries++)
        nv_append(rnd, t, &r, nv_propose(rnd, shape, t, &r),
                  shape->wild && nv_pick(rnd, shape->wild) == 0);
    if (shape->orders)
        nv_exclusions(rnd, t);
}

static uint32_t nv_list(uint32_t set, hd_eid *events)
{
    uint32_t n = 0;
    for (hd_eid i = 0; i < 32; i++)
        if (set >> i & 1)
            events[n++] = i;
    return n;
}

static uint32_t nv_obj(struct hd_builder *b, enum hd_obj_kind kind, int obj)
{
    static const char *letter[] = {"x", "l", "c", "s", "b"};
    char name[8];
    int len = snprintf(name, sizeof name, "%s%d", letter[kind], obj);
    return hd_builder_obj(b, kind, name, (size_t)len);
}

static struct hd_event nv_event(struct hd_builder *b, const struct nv_event *e, hd_eid *deps,
                                hd_eid *addr)
{
    enum hd_obj_kind kind = hd_op_info[e->op].kind;
    uint32_t obj = (uint32_t)e->obj;
    if (kind < HD_OBJ_THREAD)
        obj = nv_obj(b, kind, e->obj);
    return (struct hd_event){
        .op = e->op,
        .thread = (hd_tid)e->thread,
        .obj = obj,
        .lock = hd_op_info[e->op].has_lock ? nv_obj(b, HD_OBJ_LOCK, e->lock) : 0,
        .place = hd_builder_place(b, "p", 1),
        .has_value = e->has_value,
        .order = e->order,
        .value = e->value,
        .new_value = e->new_value,
        .deps = {e->deps_given, nv_list(e->deps, deps), deps},
        .addr = {e->addr_given, nv_list(e->addr, addr), addr},
    };
}

/* The same trace for the code under test, or NULL with err set. */
struct hd_trace *nv_build(const struct nv_trace *t, struct hd_err *err)
{
    struct hd_builder *b = hd_builder_new();
    struct hd_trace *trace = NULL;
    enum hd_status status = HD_OK;
    for (int u = 0; u < t->threads && status == HD_OK; u++) {
        char name[8];
        hd_tid id;
        int len = snprintf(name, sizeof name, "t%d", u);
        status = hd_builder_thread(b, name, (size_t)len, &id, err);
    }
    hd_builder_control(b, t->control_all ? HD_CONTROL_ALL : HD_CONTROL_BRANCHES, err);
    for (int x = 0; x < NV_OBJS && status == HD_OK; x++) {
        if (t->init_given[x])
            status = hd_builder_init(b, nv_obj(b, HD_OBJ_LOC, x), t->init[x], err);
        hd_builder_sem(b, nv_obj(b, HD_OBJ_SEM, x), t->sem[x], err);
        hd_builder_barrier(b, nv_obj(b, HD_OBJ_BARRIER, x), t->barrier[x], err);
    }
    for (int i = 0; i < t->n && status == HD_OK; i++) {
        hd_eid deps[32], addr[32];
        struct hd_event e = nv_event(b, &t->ev[i], deps, addr);
        status = hd_builder_add(b, &e, err);
    }
    if (status == HD_OK)
        hd_builder_finish(b, &trace, err);
    else
        hd_builder_free(b);
    return trace;
}

void nv_print(const struct nv_trace *t)
{
    for (int i = 0; i < t->n; i++) {
        const struct nv_event *e = &t->ev[i];
        fprintf(stderr, "%2d t%d|%s(%d,%d) value=%llu new=%llu%s deps=%s%x addr=%s%x\n", i + 1,
                e->thread, hd_op_info[e->op].text, e->obj, e->lock, (unsigned long long)e->value,
                (unsigned long long)e->new_value, e->has_value ? "" : " (omitted)",
                e->deps_given ? "" : "default ", e->deps, e->addr_given ? "" : "default ", e->addr);
    }
    fprintf(stderr, "control %s\n", t->control_all ? "all" : "branches");
}
