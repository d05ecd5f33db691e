/* Task reductions: each task adds to a copy of its own, and the end of the group adds them up. */
#include "openmp/omp_team.h"

#include <stdlib.h>
#include <string.h>

struct hd_omp_reduced { /* as the compiler lays it out */
    void *shared, *original;
    size_t size;
    void (*init)(void *copy, void *original);
    void (*fini)(void *copy);
    void (*combine)(void *into, void *copy);
    uint32_t flags;
};

struct copy {
    struct copy *next;
    struct hd_omp_thread *owner;
    char data[];
};

struct hd_omp_reduction {
    struct hd_omp_reduction *next;
    struct hd_omp_reduced item;
    struct copy *copies; /* under the lock of the group */
};

void *__kmpc_taskred_init(int32_t gtid, int32_t n, void *items);
void *__kmpc_taskred_init(int32_t gtid, int32_t n, void *items)
{
    struct hd_omp_group *g = hd_omp_self()->group;
    const struct hd_omp_reduced *item = items;
    (void)gtid;
    for (int32_t i = 0; g && i < n; i++) {
        struct hd_omp_reduction *r = hd_omp_alloc(sizeof *r);
        *r = (struct hd_omp_reduction){g->reductions, item[i], NULL};
        g->reductions = r;
    }
    return g;
}

static struct copy *copy_for(struct hd_omp_group *g, struct hd_omp_reduction *r,
                             struct hd_omp_thread *me)
{
    pthread_mutex_lock(&g->lock);
    struct copy *c = r->copies;
    while (c && c->owner != me)
        c = c->next;
    if (!c) {
        c = hd_omp_alloc(sizeof *c + r->item.size);
        *c = (struct copy){r->copies, me};
        r->copies = c;
        if (r->item.init)
            r->item.init(c->data, r->item.original ? r->item.original : r->item.shared);
    }
    pthread_mutex_unlock(&g->lock);
    return c;
}

/* `data` is the variable, or another task's copy of it. */
static bool is_about(const struct hd_omp_reduction *r, const void *data)
{
    if (r->item.shared == data)
        return true;
    for (const struct copy *c = r->copies; c; c = c->next)
        if (c->data == data)
            return true;
    return false;
}

void *__kmpc_task_reduction_get_th_data(int32_t gtid, void *group, void *data);
void *__kmpc_task_reduction_get_th_data(int32_t gtid, void *group, void *data)
{
    struct hd_omp_thread *me = hd_omp_self();
    (void)gtid;
    for (struct hd_omp_group *g = group ? group : me->group; g; g = g->outer)
        for (struct hd_omp_reduction *r = g->reductions; r; r = r->next) {
            pthread_mutex_lock(&g->lock);
            bool found = is_about(r, data);
            pthread_mutex_unlock(&g->lock);
            if (found)
                return copy_for(g, r, me)->data;
        }
    return data;
}

void hd_omp_end_reductions(struct hd_omp_group *g)
{
    while (g->reductions) {
        struct hd_omp_reduction *r = g->reductions;
        while (r->copies) {
            struct copy *c = r->copies;
            pthread_mutex_lock(&g->team->lock);
            r->item.combine(r->item.shared, c->data);
            pthread_mutex_unlock(&g->team->lock);
            if (r->item.fini)
                r->item.fini(c->data);
            r->copies = c->next;
            free(c);
        }
        g->reductions = r->next;
        free(r);
    }
}

/* reduction(task, ...) of a region or a loop: a group for each thread. */
void *__kmpc_taskred_modifier_init(hd_omp_ident *loc, int32_t gtid, int32_t loop, int32_t n,
                                   void *items);
void *__kmpc_taskred_modifier_init(hd_omp_ident *loc, int32_t gtid, int32_t loop, int32_t n,
                                   void *items)
{
    (void)loop;
    __kmpc_taskgroup(loc, gtid);
    return __kmpc_taskred_init(gtid, n, items);
}

void __kmpc_task_reduction_modifier_fini(hd_omp_ident *loc, int32_t gtid, int32_t loop);
void __kmpc_task_reduction_modifier_fini(hd_omp_ident *loc, int32_t gtid, int32_t loop)
{
    (void)loop;
    __kmpc_end_taskgroup(loc, gtid);
}
