#include "session/idle.h"

#include "base/alloc.h"
#include "base/log.h"
#include "log/rt_omp.h"

#include <stdio.h>
#include <string.h>

#define NAMED 8 /* threads that a list names */

void hd_idle_init(struct hd_idle *idle)
{
    *idle = (struct hd_idle){.worked = HD_VEC_INIT(bool)};
}

void hd_idle_fini(struct hd_idle *idle)
{
    hd_names_fini(&idle->names);
    hd_vec_fini(&idle->worked);
}

static bool is_shared(const struct hd_trace *t, uint32_t loc)
{
    size_t n;
    const hd_eid *list = hd_trace_obj_events(t, HD_OBJ_LOC, loc, &n);
    for (size_t i = 1; i < n; i++)
        if (t->thread[list[i]] != t->thread[list[0]])
            return true;
    return false;
}

static bool *shared_locations(const struct hd_trace *t)
{
    size_t n = hd_trace_n_objs(t, HD_OBJ_LOC);
    bool *shared = hd_calloc(n + 1, sizeof *shared);
    for (size_t i = 0; i < n; i++)
        shared[i] = is_shared(t, (uint32_t)i);
    return shared;
}

static bool did_work(const struct hd_trace *t, const bool *shared, hd_tid thread)
{
    size_t n, locks = 0;
    const hd_eid *list = hd_trace_thread_events(t, thread, &n);
    for (size_t i = 0; i < n; i++) {
        enum hd_op op = t->op[list[i]];
        if (op == HD_OP_ACQ || op == HD_OP_RACQ)
            locks++;
        else if (op == HD_OP_REL || op == HD_OP_RREL)
            locks -= locks > 0;
        else if (hd_op_is_access(op) && shared[t->obj[list[i]]] && (hd_op_writes(op) || !locks))
            return true;
    }
    return false;
}

static void note(struct hd_idle *idle, const char *name, bool worked)
{
    uint32_t id = hd_names_add(&idle->names, name, strlen(name));
    while (idle->worked.len <= id)
        *(bool *)hd_vec_push(&idle->worked) = false;
    *(bool *)hd_vec_at(&idle->worked, id) |= worked;
}

/* All teams of OpenMP are forked at one place of ours: that shows nothing about their work. */
static bool is_comparable(const struct hd_trace *t, size_t thread)
{
    hd_eid fork = t->fork_of[thread];
    return fork != HD_EID_NONE && strncmp(hd_names_text(&t->places, t->place[fork]), HD_OMP_SOURCES,
                                          sizeof HD_OMP_SOURCES - 1) != 0;
}

void hd_idle_look(struct hd_idle *idle, const struct hd_trace *t)
{
    size_t n = hd_trace_n_threads(t), places = t->places.count;
    bool *shared = shared_locations(t);
    bool *worked = hd_calloc(n + 1, sizeof *worked), *busy = hd_calloc(places + 1, sizeof *busy);
    for (size_t i = 0; i < n; i++)
        if (t->fork_of[i] != HD_EID_NONE) {
            worked[i] = did_work(t, shared, (hd_tid)i);
            busy[t->place[t->fork_of[i]]] |= worked[i];
        }
    for (size_t i = 0; i < n; i++)
        if (is_comparable(t, i) && busy[t->place[t->fork_of[i]]])
            note(idle, hd_names_text(&t->threads, (uint32_t)i), worked[i]);
    for (size_t i = 0; i < n; i++)
        if (t->fork_of[i] != HD_EID_NONE && !worked[i])
            HD_DEBUG_LINE(SESSION, "thread %s had no work",
                          hd_names_text(&t->threads, (uint32_t)i));
    hd_free(shared, (hd_trace_n_objs(t, HD_OBJ_LOC) + 1) * sizeof *shared);
    hd_free(worked, (n + 1) * sizeof *worked);
    hd_free(busy, (places + 1) * sizeof *busy);
}

bool hd_idle_list(const struct hd_idle *idle, char *out, size_t size)
{
    size_t n = 0, named = 0, at = 0;
    for (size_t i = 0; i < idle->worked.len; i++)
        n += !*(const bool *)hd_vec_at(&idle->worked, i);
    for (uint32_t i = 0; i < idle->worked.len && named < NAMED && at < size; i++) {
        if (*(const bool *)hd_vec_at(&idle->worked, i))
            continue;
        named++;
        const char *before = named == 1 ? "" : named == n ? " and " : ", ";
        int len = snprintf(out + at, size - at, "%s%s", before, hd_names_text(&idle->names, i));
        at += len > 0 ? (size_t)len : 0;
    }
    if (n > named && at < size)
        snprintf(out + at, size - at, " and %zu more", n - named);
    return n > 0;
}
