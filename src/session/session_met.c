/* Races that a replay of another finding came to.
 *
 * Where many findings have one access in common (a structure that one thread copies while another
 * one fills its fields), one replay can confirm all of them: that access waits while the other
 * threads run on, and each conflicting access that they make is a race that happened
 * (replay/met.c). A pair is known by the origins of its accesses (kind, module and site) and by the
 * object that the held one touches: the same code may work on others that no replay came to.
 */
#include "session/session_int.h"

#include "base/alloc.h"
#include "build/origin.h"

#include <string.h>

struct pair {
    struct hd_origin at[2];
    const char *object; /* name of a location of it; what follows a + is the place inside */
    const char *id;
};

struct hd_met {
    const struct hd_trace *t;
    const struct hd_vec *witnesses;
    struct hd_origins origins;
    struct hd_vec pairs; /* struct pair */
};

struct hd_met *hd_met_new(const struct hd_trace *t, const struct hd_vec *witnesses)
{
    struct hd_met *m = hd_calloc(1, sizeof *m);
    struct hd_err ignored;
    *m = (struct hd_met){.t = t, .witnesses = witnesses, .pairs = HD_VEC_INIT(struct pair)};
    /* Without origins nothing is replayed either. */
    if (hd_origins_load(t, &m->origins, &ignored) != HD_OK) {
        hd_origins_fini(&m->origins);
        m->origins = (struct hd_origins){0};
    }
    return m;
}

void hd_met_free(struct hd_met *m)
{
    if (!m)
        return;
    hd_origins_fini(&m->origins);
    hd_vec_fini(&m->pairs);
    hd_free(m, sizeof *m);
}

/* False: of another property, or it races only because nothing orders its accesses, whether or not
 * they can be made at once. */
static bool pair_of(const struct hd_met *m, const struct hd_witness *w, struct pair *out)
{
    const hd_eid e[2] = {w->a, w->b};
    if (w->property != HD_PROPERTY_RACE || w->unordered)
        return false;
    for (int i = 0; i < 2; i++) {
        uint32_t n = e[i] < m->origins.n_events ? m->origins.origin[e[i]] : HD_ORIGIN_NONE;
        if (n == HD_ORIGIN_NONE)
            return false;
        out->at[i] = *(const struct hd_origin *)hd_vec_at(&m->origins.table, n);
        if (out->at[i].module == UINT32_MAX)
            return false;
    }
    out->object = hd_names_text(&m->t->objs[HD_OBJ_LOC], m->t->obj[w->a]);
    return true;
}

static bool same(const struct hd_origin *x, const struct hd_origin *y)
{
    return x->offset == y->offset && x->module == y->module && x->kind == y->kind;
}

static bool same_object(const struct pair *x, const struct pair *y)
{
    size_t n = strcspn(x->object, "+");
    return n == strcspn(y->object, "+") && !memcmp(x->object, y->object, n);
}

static const char *find(const struct hd_met *m, const struct pair *x)
{
    for (size_t i = 0; i < m->pairs.len; i++) {
        const struct pair *p = hd_vec_at(&m->pairs, i);
        if (same_object(p, x) && ((same(&p->at[0], &x->at[0]) && same(&p->at[1], &x->at[1])) ||
                                  (same(&p->at[0], &x->at[1]) && same(&p->at[1], &x->at[0]))))
            return p->id;
    }
    return NULL;
}

const char *hd_met_find(const struct hd_met *m, const struct hd_witness *w)
{
    struct pair p;
    return m && pair_of(m, w, &p) ? find(m, &p) : NULL;
}

int hd_met_hold(const struct hd_met *m, const struct hd_witness *w)
{
    struct pair own, p;
    size_t n[2] = {0, 0};
    if (!m || !pair_of(m, w, &own))
        return -1;
    for (size_t i = 0; i < m->witnesses->len; i++) {
        const struct hd_witness *other = ((const struct hd_witness *const *)m->witnesses->data)[i];
        if ((other->a == w->a && other->b == w->b) || !pair_of(m, other, &p) ||
            !same_object(&own, &p) || find(m, &p))
            continue;
        for (int k = 0; k < 2; k++)
            n[k] += same(&own.at[k], &p.at[0]) || same(&own.at[k], &p.at[1]);
    }
    return !n[0] && !n[1] ? -1 : n[1] >= n[0];
}

static void add(struct hd_met *m, const struct pair *p)
{
    if (!find(m, p))
        *(struct pair *)hd_vec_push(&m->pairs) = *p;
}

void hd_met_add(struct hd_met *m, const struct hd_witness *w, int held, const struct hd_vec *others,
                const char *id)
{
    struct pair own;
    if (!m || !pair_of(m, w, &own))
        return;
    own.id = id;
    add(m, &own);
    for (size_t i = 0; held >= 0 && i < others->len; i++) {
        const struct hd_origin *met = hd_vec_at(others, i);
        add(m, &(struct pair){{own.at[held], *met}, own.object, id});
    }
}
