/* Locks, waits, semaphores and barriers in the encoding. */
#include "base/alloc.h"
#include "predict/smt/encode_int.h"

/* ---- locks ---- */

/* Two sections that exclude each other: not both begun, or one ended before the other began. */
static void exclude(struct hd_encoder *e, const struct hd_section *x, const struct hd_section *y)
{
    bool has_x = hd_enc_has(e, x->close), has_y = hd_enc_has(e, y->close);
    hd_lit x_first = has_x ? hd_encode_before(e, x->close, y->open) : HD_LIT_FALSE;
    if (x_first == HD_LIT_TRUE)
        return;
    hd_lit y_first = has_y ? hd_encode_before(e, y->close, x->open) : HD_LIT_FALSE;
    if (y_first == HD_LIT_TRUE)
        return;
    hd_lit choice_x = HD_LIT_FALSE, choice_y = HD_LIT_FALSE;
    if (x_first != HD_LIT_FALSE) {
        choice_x = hd_solver_bool(e->s);
        hd_encode_implies(e, choice_x, x_first);
        hd_encode_implies(e, choice_x, hd_enc_inc(e, x->close));
    }
    if (y_first != HD_LIT_FALSE) {
        choice_y = hd_solver_bool(e->s);
        hd_encode_implies(e, choice_y, y_first);
        hd_encode_implies(e, choice_y, hd_enc_inc(e, y->close));
    }
    hd_encode_implies3(e, hd_enc_inc(e, x->open), -hd_enc_inc(e, y->open), choice_x, choice_y);
}

/* A failed try-lock: another thread's section is open around it. */
static void encode_tryfail(struct hd_encoder *e, hd_eid x)
{
    const struct hd_trace *t = e->w->t;
    const struct hd_sections *s = e->w->sections;
    struct hd_vec holders = HD_VEC_INIT(hd_lit);
    *(hd_lit *)hd_vec_push(&holders) = -hd_enc_inc(e, x);
    for (uint32_t i = s->user_start[t->obj[x]]; i < s->user_start[t->obj[x] + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&s->users, i);
        for (uint32_t k = user->start; k < user->end && user->thread != t->thread[x]; k++) {
            const struct hd_section *section = hd_section_at(s, s->order[k]);
            if (!hd_enc_has(e, section->open))
                break;
            hd_lit holds = hd_solver_bool(e->s);
            *(hd_lit *)hd_vec_push(&holders) = holds;
            hd_encode_implies(e, holds, hd_enc_inc(e, section->open));
            hd_encode_implies(e, holds, hd_encode_before(e, section->open, x));
            if (hd_enc_has(e, section->close))
                hd_encode_implies3(e, holds, -hd_enc_inc(e, section->close),
                                   hd_encode_before(e, x, section->close), HD_LIT_FALSE);
        }
    }
    hd_solver_clause(e->s, holders.data, holders.len);
    hd_vec_fini(&holders);
}

void hd_encode_locks(struct hd_encoder *e)
{
    const struct hd_trace *t = e->w->t;
    const struct hd_sections *s = e->w->sections;
    for (uint32_t lock = 0; lock < s->n_locks; lock++) {
        struct hd_u32vec begun = {0};
        for (uint32_t i = s->user_start[lock]; i < s->user_start[lock + 1]; i++) {
            const struct hd_lock_user *user = hd_vec_at(&s->users, i);
            for (uint32_t k = user->start; k < user->end; k++)
                if (hd_enc_has(e, hd_section_at(s, s->order[k])->open))
                    hd_u32vec_push(&begun, s->order[k]);
        }
        for (size_t i = 0; i < begun.len; i++)
            for (size_t k = i + 1; k < begun.len; k++) {
                const struct hd_section *x = hd_section_at(s, begun.data[i]);
                const struct hd_section *y = hd_section_at(s, begun.data[k]);
                if (hd_section_excludes(x, y))
                    exclude(e, x, y);
            }
        hd_u32vec_fini(&begun);
        if (lock >= s->n_real)
            continue;
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOCK, lock, &n);
        for (size_t i = 0; i < n; i++)
            if (t->op[events[i]] == HD_OP_TRYFAIL && hd_enc_has(e, events[i]))
                encode_tryfail(e, events[i]);
    }
}

/* ---- waits ---- */

/* One stay in a waiting set. */
struct stay {
    hd_eid wait;
    hd_eid leave; /* wake or tmo below the cut, or HD_EID_NONE */
    bool timed_out;
};

struct cond {
    struct hd_encoder *e;
    struct hd_vec stays; /* struct stay */
    struct hd_u32vec sigs, bcasts;
    struct hd_vec picks; /* hd_lit by sig * stays: this sig notifies this stay */
};

static const struct stay *stay_at(const struct cond *c, size_t i)
{
    return hd_vec_at(&c->stays, i);
}

static hd_lit pick(const struct cond *c, size_t sig, size_t stay)
{
    return *(hd_lit *)hd_vec_at(&c->picks, sig * c->stays.len + stay);
}

static void gather_cond(struct cond *c, uint32_t cond)
{
    struct hd_encoder *e = c->e;
    const struct hd_trace *t = e->w->t;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, cond, &n);
    for (size_t i = 0; i < n; i++) {
        hd_eid x = events[i];
        if (!hd_enc_has(e, x))
            continue;
        if (t->op[x] == HD_OP_SIG)
            hd_u32vec_push(&c->sigs, x);
        if (t->op[x] == HD_OP_BCAST)
            hd_u32vec_push(&c->bcasts, x);
        if (t->op[x] != HD_OP_WAIT)
            continue;
        struct stay *stay = hd_vec_push(&c->stays);
        *stay = (struct stay){x, HD_EID_NONE, false};
        if (t->pos[x] + 1 < e->cut[t->thread[x]]) {
            stay->leave = hd_world_event(e->w, t->thread[x], t->pos[x] + 1);
            stay->timed_out = t->op[stay->leave] == HD_OP_TMO;
        }
    }
}

/* "sig s notifies this stay": it is in the set then, and no thread has notified it before. */
static void encode_pick(struct cond *c, size_t sig, size_t i)
{
    struct hd_encoder *e = c->e;
    const struct stay *stay = stay_at(c, i);
    hd_eid s = c->sigs.data[sig];
    hd_lit lit = pick(c, sig, i);
    if (lit == HD_LIT_FALSE)
        return;
    hd_encode_implies(e, lit, hd_enc_inc(e, s));
    hd_encode_implies(e, lit, hd_enc_inc(e, stay->wait));
    hd_encode_implies(e, lit, hd_encode_before(e, stay->wait, s));
    if (stay->leave != HD_EID_NONE)
        hd_encode_implies3(e, lit, -hd_enc_inc(e, stay->leave),
                           stay->timed_out ? HD_LIT_FALSE : hd_encode_before(e, s, stay->leave),
                           HD_LIT_FALSE);
    for (size_t k = 0; k < c->bcasts.len; k++)
        hd_encode_implies3(e, lit, -hd_enc_inc(e, c->bcasts.data[k]),
                           hd_encode_before(e, c->bcasts.data[k], stay->wait),
                           hd_encode_before(e, s, c->bcasts.data[k]));
    for (size_t k = 0; k < i; k++)
        hd_encode_implies(e, lit, -pick(c, sig, k));
    for (size_t k = 0; k < sig; k++)
        hd_encode_implies(e, lit, -pick(c, k, i));
}

static void encode_picks(struct cond *c)
{
    const struct hd_trace *t = c->e->w->t;
    for (size_t sig = 0; sig < c->sigs.len; sig++)
        for (size_t i = 0; i < c->stays.len; i++) {
            bool same = t->thread[c->sigs.data[sig]] == t->thread[stay_at(c, i)->wait];
            *(hd_lit *)hd_vec_push(&c->picks) = same ? HD_LIT_FALSE : hd_solver_bool(c->e->s);
        }
    for (size_t sig = 0; sig < c->sigs.len; sig++)
        for (size_t i = 0; i < c->stays.len; i++)
            encode_pick(c, sig, i);
}

/* A wake: one of the sigs picked it, or a bcast came while it waited. */
static void encode_wake(struct cond *c, size_t i)
{
    struct hd_encoder *e = c->e;
    const struct stay *stay = stay_at(c, i);
    struct hd_vec notified = HD_VEC_INIT(hd_lit);
    *(hd_lit *)hd_vec_push(&notified) = -hd_enc_inc(e, stay->leave);
    for (size_t sig = 0; sig < c->sigs.len; sig++)
        if (pick(c, sig, i) != HD_LIT_FALSE)
            *(hd_lit *)hd_vec_push(&notified) = pick(c, sig, i);
    for (size_t k = 0; k < c->bcasts.len; k++) {
        hd_lit lit = hd_solver_bool(e->s);
        *(hd_lit *)hd_vec_push(&notified) = lit;
        hd_encode_implies(e, lit, hd_enc_inc(e, c->bcasts.data[k]));
        hd_encode_implies(e, lit, hd_encode_before(e, stay->wait, c->bcasts.data[k]));
        hd_encode_implies(e, lit, hd_encode_before(e, c->bcasts.data[k], stay->leave));
    }
    hd_solver_clause(e->s, notified.data, notified.len);
    hd_vec_fini(&notified);
}

/* A time-out: no bcast came while it waited, and every sig that did picked another thread. */
static void encode_timeout(struct cond *c, size_t i)
{
    struct hd_encoder *e = c->e;
    const struct stay *stay = stay_at(c, i);
    for (size_t k = 0; k < c->bcasts.len; k++)
        hd_encode_implies3(e, hd_enc_inc(e, stay->leave), -hd_enc_inc(e, c->bcasts.data[k]),
                           hd_encode_before(e, c->bcasts.data[k], stay->wait),
                           hd_encode_before(e, stay->leave, c->bcasts.data[k]));
    for (size_t sig = 0; sig < c->sigs.len; sig++) {
        hd_eid s = c->sigs.data[sig];
        hd_encode_begin(e);
        hd_encode_add(e, -hd_enc_inc(e, stay->leave));
        hd_encode_add(e, -hd_enc_inc(e, s));
        hd_encode_add(e, hd_encode_before(e, s, stay->wait));
        hd_encode_add(e, hd_encode_before(e, stay->leave, s));
        for (size_t k = 0; k < c->stays.len; k++)
            if (k != i)
                hd_encode_add(e, pick(c, sig, k));
        hd_encode_end(e);
    }
}

void hd_encode_waits(struct hd_encoder *e)
{
    for (uint32_t cond = 0; cond < hd_trace_n_objs(e->w->t, HD_OBJ_COND); cond++) {
        struct cond c = {.e = e, .stays = HD_VEC_INIT(struct stay), .picks = HD_VEC_INIT(hd_lit)};
        gather_cond(&c, cond);
        encode_picks(&c);
        for (size_t i = 0; i < c.stays.len; i++) {
            if (stay_at(&c, i)->leave == HD_EID_NONE)
                continue;
            if (stay_at(&c, i)->timed_out)
                encode_timeout(&c, i);
            else
                encode_wake(&c, i);
        }
        hd_vec_fini(&c.stays);
        hd_vec_fini(&c.picks);
        hd_u32vec_fini(&c.sigs);
        hd_u32vec_fini(&c.bcasts);
    }
}

/* ---- semaphores and barriers ---- */

/* The literals "this one of the events runs, and before x", for all events of one op on an object.
 */
static void earlier_ones(struct hd_encoder *e, enum hd_obj_kind kind, enum hd_op op, hd_eid x,
                         bool negate, struct hd_vec *out)
{
    const struct hd_trace *t = e->w->t;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, kind, t->obj[x], &n);
    for (size_t i = 0; i < n; i++) {
        hd_eid y = events[i];
        if (t->op[y] != op || y == x || !hd_enc_has(e, y))
            continue;
        hd_lit lit = hd_solver_bool(e->s);
        if (negate) { /* lit may be true only if y does not come before x */
            hd_encode_implies3(e, lit, -hd_enc_inc(e, y), hd_encode_before(e, x, y), HD_LIT_FALSE);
        } else {
            hd_encode_implies(e, lit, hd_enc_inc(e, y));
            hd_encode_implies(e, lit, hd_encode_before(e, y, x));
        }
        *(hd_lit *)hd_vec_push(out) = lit;
    }
}

/* P needs initial count + posts before it - P operations before it >= 1. With "not before" literals
 * for the P operations this is one counting constraint, used positively: posts before + others not
 * before
 * >= others + 1 - initial. */
void hd_encode_sems(struct hd_encoder *e)
{
    const struct hd_trace *t = e->w->t;
    for (uint32_t sem = 0; sem < hd_trace_n_objs(t, HD_OBJ_SEM); sem++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_SEM, sem, &n);
        for (size_t i = 0; i < n; i++) {
            hd_eid x = events[i];
            if (t->op[x] != HD_OP_SEM || !hd_enc_has(e, x))
                continue;
            struct hd_vec lits = HD_VEC_INIT(hd_lit);
            earlier_ones(e, HD_OBJ_SEM, HD_OP_SEM, x, true, &lits);
            uint64_t others = lits.len, initial = t->sem_init[sem];
            earlier_ones(e, HD_OBJ_SEM, HD_OP_POST, x, false, &lits);
            if (others + 1 > initial)
                hd_encode_implies(e, hd_enc_inc(e, x),
                                  hd_solver_at_least(e->s, lits.data, lits.len,
                                                     (uint32_t)(others + 1 - initial)));
            hd_vec_fini(&lits);
        }
    }
}

/* The arrival that a departure belongs to: the last one of the thread before it. */
static hd_eid arrival_of(const struct hd_encoder *e, hd_eid out)
{
    const struct hd_trace *t = e->w->t;
    hd_eid x = out;
    while (t->op[x] != HD_OP_BARIN || t->obj[x] != t->obj[out])
        x = hd_trace_back(t, x, 1);
    return x;
}

/* A departure whose arrival is in round g: at most (g + 1) * size - 1 others arrived before that
 * arrival, and at least (g + 1) * size arrived before the departure. One round or another must fit;
 * a smaller rank than assumed only makes the departure wait for more than it has to, so the lower
 * bound of the rank need not be said. */
static void encode_departure(struct hd_encoder *e, hd_eid out)
{
    const struct hd_trace *t = e->w->t;
    uint64_t size = t->barrier_size[t->obj[out]];
    hd_eid in = arrival_of(e, out);
    struct hd_vec not_before = HD_VEC_INIT(hd_lit), arrived = HD_VEC_INIT(hd_lit);
    struct hd_vec rounds = HD_VEC_INIT(hd_lit);
    earlier_ones(e, HD_OBJ_BARRIER, HD_OP_BARIN, in, true, &not_before);
    earlier_ones(e, HD_OBJ_BARRIER, HD_OP_BARIN, out, false, &arrived);
    *(hd_lit *)hd_vec_push(&rounds) = -hd_enc_inc(e, out);
    uint64_t others = not_before.len;
    for (uint64_t end = size; end <= arrived.len; end += size) {
        hd_lit round = hd_solver_bool(e->s);
        uint64_t late = others + 1 > end ? others + 1 - end : 0;
        hd_encode_implies(e, round,
                          hd_solver_at_least(e->s, not_before.data, others, (uint32_t)late));
        hd_encode_implies(e, round,
                          hd_solver_at_least(e->s, arrived.data, arrived.len, (uint32_t)end));
        *(hd_lit *)hd_vec_push(&rounds) = round;
    }
    hd_solver_clause(e->s, rounds.data, rounds.len);
    hd_vec_fini(&not_before);
    hd_vec_fini(&arrived);
    hd_vec_fini(&rounds);
}

void hd_encode_barriers(struct hd_encoder *e)
{
    const struct hd_trace *t = e->w->t;
    for (uint32_t barrier = 0; barrier < hd_trace_n_objs(t, HD_OBJ_BARRIER); barrier++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_BARRIER, barrier, &n);
        for (size_t i = 0; i < n; i++)
            if (t->op[events[i]] == HD_OP_BAROUT && hd_enc_has(e, events[i]))
                encode_departure(e, events[i]);
    }
}
