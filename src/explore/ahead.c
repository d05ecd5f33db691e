#include "explore/ahead.h"

#include "base/alloc.h"

struct member {
    struct hd_exec *exec;
    bool runs;     /* an execution that was started ahead */
    uint64_t plan; /* of it */
    uint64_t turn; /* when it was started */
};

/* The first member runs what is asked for; the others run ahead. */
struct hd_ahead {
    struct member *members;
    uint32_t n;
    uint64_t turns;
};

static uint64_t number_of(const struct hd_plan *p)
{
    uint64_t h = hd_hash_bytes(p->choices, p->n_choices * sizeof *p->choices, p->n_choices);
    h = hd_hash_bytes(p->sleepers, p->n_sleepers * sizeof *p->sleepers, h);
    return hd_hash_bytes(p->ops, p->n_ops * sizeof *p->ops, h);
}

enum hd_status hd_ahead_new(const struct hd_exec_opts *opts, struct hd_exec_names *names,
                            uint32_t jobs, struct hd_ahead **ahead, struct hd_err *err)
{
    struct hd_ahead *c = *ahead = hd_calloc(1, sizeof *c);
    c->members = hd_calloc(jobs, sizeof *c->members);
    c->n = jobs;
    enum hd_status s = HD_OK;
    for (uint32_t i = 0; s == HD_OK && i < jobs; i++)
        s = hd_exec_open(opts, names, &c->members[i].exec, err);
    return s;
}

void hd_ahead_free(struct hd_ahead *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->n; i++)
        hd_exec_close(c->members[i].exec);
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

bool hd_ahead_idle(const struct hd_ahead *c)
{
    for (uint32_t i = 1; i < c->n; i++)
        if (!c->members[i].runs)
            return true;
    return false;
}

void hd_ahead_start(struct hd_ahead *c, const struct hd_plan *plan)
{
    uint64_t number = number_of(plan);
    struct hd_err ignored;
    for (uint32_t i = 1; i < c->n && !find(c, number); i++) {
        struct member *m = &c->members[i];
        if (m->runs)
            continue;
        m->plan = number;
        m->turn = c->turns;
        m->runs = hd_exec_start(m->exec, plan, &ignored) == HD_OK;
        return;
    }
}

/* Nobody asked for it for so long that nobody will. */
#define PATIENCE 50

static void drop_old(struct hd_ahead *c)
{
    for (uint32_t i = 1; i < c->n; i++) {
        struct member *m = &c->members[i];
        struct hd_run run;
        struct hd_err ignored;
        if (!m->runs || c->turns - m->turn < PATIENCE)
            continue;
        hd_exec_finish(m->exec, &run, &ignored);
        hd_run_fini(&run);
        m->runs = false;
    }
}

enum hd_status hd_ahead_run(struct hd_ahead *c, const struct hd_plan *plan, struct hd_run *run,
                            struct hd_err *err)
{
    struct member *m = find(c, number_of(plan));
    c->turns++;
    drop_old(c);
    if (!m || !m->runs)
        return hd_exec_run(c->members[0].exec, plan, run, err);
    m->runs = false;
    return hd_exec_finish(m->exec, run, err);
}

struct hd_exec *hd_ahead_exec(struct hd_ahead *c)
{
    return c->members[0].exec;
}
