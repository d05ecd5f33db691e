#include "explore/ahead.h"

#include "base/alloc.h"

struct member {
    struct hd_exec *exec;
    bool runs;     /* an execution that was started ahead */
    uint64_t plan; /* of it */
    uint64_t turn; /* when it was started */
};

/* An execution that has ended and was not asked for yet. */
struct kept {
    uint64_t plan;
    uint64_t turn; /* 0: none */
    struct hd_exec_left left;
};

#define KEPT 128

/* The first member runs what is asked for; the others run ahead. */
struct hd_ahead {
    struct member *members;
    uint32_t n;
    uint64_t turns;
    struct kept kept[KEPT];
};

static uint64_t number_of(const struct hd_exec_plan *p)
{
    uint64_t h = hd_hash_bytes(p->choices, p->n_choices * sizeof *p->choices, p->n_choices);
    h = hd_hash_bytes(p->sleepers, p->n_sleepers * sizeof *p->sleepers, h);
    return hd_hash_bytes(p->ops, p->n_ops * sizeof *p->ops, h);
}

enum hd_status hd_ahead_new(const struct hd_exec_opts *opts, struct hd_exec_names *names,
                            uint32_t jobs, struct hd_ahead **ahead, struct hd_err *err)
{
    struct hd_ahead *c = *ahead = hd_calloc(1, sizeof *c);
    /* Mostly the first one has nothing to do: what is asked for runs already. */
    c->n = jobs > 1 ? jobs + 1 : 1;
    c->members = hd_calloc(c->n, sizeof *c->members);
    c->turns = 1;
    enum hd_status s = HD_OK;
    for (uint32_t i = 0; s == HD_OK && i < c->n; i++)
        s = hd_exec_open(opts, names, &c->members[i].exec, err);
    return s;
}

void hd_ahead_free(struct hd_ahead *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->n; i++)
        hd_exec_close(c->members[i].exec);
    for (unsigned i = 0; i < KEPT; i++)
        hd_exec_left_fini(&c->kept[i].left);
    hd_free(c->members, c->n * sizeof *c->members);
    hd_free(c, sizeof *c);
}

static struct member *find(const struct hd_ahead *c, uint64_t plan)
{
    for (uint32_t i = 1; i < c->n; i++)
        if (c->members[i].runs && c->members[i].plan == plan)
            return &c->members[i];
    return NULL;
}

static struct kept *find_kept(struct hd_ahead *c, uint64_t plan)
{
    for (unsigned i = 0; i < KEPT; i++)
        if (c->kept[i].turn && c->kept[i].plan == plan)
            return &c->kept[i];
    return NULL;
}

/* What a member has done goes to a place that is free, or to that of the oldest. */
static void keep(struct hd_ahead *c, struct member *m)
{
    struct kept *to = &c->kept[0];
    struct hd_err ignored;
    for (unsigned i = 1; i < KEPT; i++)
        to = c->kept[i].turn < to->turn ? &c->kept[i] : to;
    hd_exec_left_fini(&to->left);
    to->plan = m->plan;
    to->turn = hd_exec_collect(m->exec, &to->left, &ignored) == HD_OK ? m->turn : 0;
    m->runs = false;
}

/* It was not asked for for so long that it is waited for. */
#define PATIENCE 50

static void keep_ended(struct hd_ahead *c)
{
    for (uint32_t i = 1; i < c->n; i++) {
        struct member *m = &c->members[i];
        if (m->runs && (hd_exec_ready(m->exec) || c->turns - m->turn > PATIENCE))
            keep(c, m);
    }
}

bool hd_ahead_idle(struct hd_ahead *c)
{
    keep_ended(c);
    for (uint32_t i = 1; i < c->n; i++)
        if (!c->members[i].runs)
            return true;
    return false;
}

void hd_ahead_start(struct hd_ahead *c, const struct hd_exec_plan *plan)
{
    uint64_t number = number_of(plan);
    struct hd_err ignored;
    if (find(c, number) || find_kept(c, number))
        return;
    for (uint32_t i = 1; i < c->n; i++) {
        struct member *m = &c->members[i];
        if (m->runs)
            continue;
        m->plan = number;
        m->turn = c->turns;
        m->runs = hd_exec_start(m->exec, plan, &ignored) == HD_OK;
        return;
    }
}

enum hd_status hd_ahead_run(struct hd_ahead *c, const struct hd_exec_plan *plan,
                            struct hd_exec_run *run, struct hd_err *err)
{
    uint64_t number = number_of(plan);
    struct member *m = find(c, number);
    struct kept *k = m ? NULL : find_kept(c, number);
    c->turns++;
    if (k) {
        enum hd_status s = hd_exec_read(c->members[0].exec, &k->left, run, err);
        hd_exec_left_fini(&k->left);
        k->turn = 0;
        return s;
    }
    if (!m)
        return hd_exec_run(c->members[0].exec, plan, run, err);
    m->runs = false;
    return hd_exec_finish(m->exec, run, err);
}

struct hd_exec *hd_ahead_exec(struct hd_ahead *c)
{
    return c->members[0].exec;
}
