#include "report/make/variable.h"

#include "abi/rt_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "__aligned_membuf<int>._M_storage[4]": what a library calls its own parts shows users nothing. */
static bool is_reserved(const char *name)
{
    bool own = name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
    return own || strstr(name, "._M_");
}

/* How much a name at an access shows: a variable's own name most, `*p` nothing. */
static int worth(const struct hd_detail *d)
{
    if (!*d->name || *d->name == '*')
        return 0;
    if (d->flags & HD_SITE_NAME_FIELD && is_reserved(d->name))
        return 0;
    if (d->flags & HD_SITE_NAME_GLOBAL)
        return 4;
    if (d->flags & HD_SITE_NAME_LOCAL)
        return 3;
    return d->flags & HD_SITE_NAME_FIELD ? 2 : 1;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void on_heap(struct hd_report *r, const struct hd_details *d, const char *own,
                    const struct hd_detail *best, struct hd_variable *out)
{
    struct hd_block_origin block;
    const char *maker = "";
    out->location = hd_report_format(r, "heap block %s", own + strlen("heap"));
    if (hd_details_block(d, strtoull(own + strlen("heap#"), NULL, 10), &block)) {
        maker = block.function;
        out->location =
            hd_report_format(r, "heap block (%llu bytes) from %s", (unsigned long long)block.bytes,
                             *block.place ? block.place : "an unknown place");
    }
    out->name = worth(best) ? hd_report_text(r, best->name) : out->location;
    out->stable =
        worth(best) ? out->name : hd_report_format(r, "heap of %s", *maker ? maker : "unknown");
}

/* A local that ends: where it does is known, and often its name. */
static void on_end(struct hd_report *r, const struct hd_detail *end, struct hd_variable *out)
{
    const char *name = worth(end) ? end->name : "a local";
    out->location = hd_report_format(r, "local of %s", end->function);
    out->name = hd_report_format(r, "%s of %s", name, end->function);
    out->stable = out->name;
}

static void on_stack(struct hd_report *r, const char *own, const struct hd_detail *best,
                     struct hd_variable *out)
{
    const char *dash = strrchr(own, '-');
    int len = dash ? (int)(dash - own) : (int)strlen(own);
    int skip = (int)strlen("stack:");
    out->location = best->flags & HD_SITE_NAME_LOCAL
                        ? hd_report_format(r, "local of %s", best->function)
                    : strstr(best->function, ".omp_")
                        ? hd_report_text(r, "shared by an OpenMP region")
                        : hd_report_format(r, "stack of %.*s", len - skip, own + skip);
    out->name = worth(best) ? hd_report_text(r, best->name) : out->location;
    out->stable = hd_report_format(r, "%s of %s", worth(best) ? best->name : "local",
                                   best->flags & HD_SITE_NAME_LOCAL ? best->function : "unknown");
}

/* The lock, condition or the like that a call uses: its event stands beside the access to its
 * memory, with a branch between. NULL: it has no name of its own. */
static const char *object_of_call(const struct hd_trace *t, hd_eid e, bool behind)
{
    size_t n, at = t->pos[e];
    const hd_eid *events = hd_trace_thread_events(t, t->thread[e], &n);
    do
        at += behind ? SIZE_MAX : 1;
    while (at < n && t->op[events[at]] == HD_OP_BRANCH);
    if (at >= n || t->place[events[at]] != t->place[e])
        return NULL;
    enum hd_op op = t->op[events[at]];
    enum hd_obj_kind kind = behind ? HD_OBJ_LOCK : hd_op_info[op].kind;
    if (kind == HD_OBJ_LOC || kind == HD_OBJ_THREAD || kind == HD_OBJ_NONE ||
        (behind && !hd_op_info[op].has_lock))
        return NULL;
    const char *name =
        hd_trace_obj_name(t, kind, behind ? hd_trace_lock(t, events[at]) : t->obj[events[at]]);
    return starts(name, "heap#") || starts(name, "stack:") ? NULL : name;
}

/* A race of calls that use or end a lock: it is called what the lock is called. */
static void name_object(struct hd_report *r, const struct hd_trace *t, const struct hd_details *d,
                        const hd_eid *events, size_t n, struct hd_variable *out)
{
    struct hd_detail one;
    for (size_t i = 0; i < n; i++) {
        bool uses = hd_op_is_access(t->op[events[i]]) && hd_details_at(d, events[i], &one) &&
                    one.call && !hd_details_call_ends(one.call);
        const char *name =
            uses ? object_of_call(t, events[i], hd_details_call_behind(one.call)) : NULL;
        if (name) {
            out->name = out->stable = hd_report_text(r, name);
            return;
        }
    }
}

static void variable_of(struct hd_report *r, const struct hd_trace *t, const struct hd_details *d,
                        const hd_eid *events, size_t n, struct hd_variable *out)
{
    const char *own = hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[events[0]]);
    struct hd_detail best = {.function = "", .name = ""}, end = best, one;
    for (size_t i = 0; i < n; i++) {
        bool known = hd_details_at(d, events[i], &one);
        if (known && worth(&one) > worth(&best))
            best = one;
        if (known && hd_op_is_access(t->op[events[i]]) && hd_details_call_leaves(one.call))
            end = one;
    }
    if (starts(own, "heap#")) {
        on_heap(r, d, own, &best, out);
        return;
    }
    if (*end.function) {
        on_end(r, &end, out);
        return;
    }
    if (starts(own, "stack:")) {
        on_stack(r, own, &best, out);
        return;
    }
    bool global = best.flags & HD_SITE_NAME_GLOBAL;
    out->location = starts(own, "shared#")    ? hd_report_format(r, "shared memory %s", own + 6)
                    : starts(own, "map#")     ? hd_report_format(r, "mapping %s", own + 3)
                    : global || !worth(&best) ? "global"
                                              : hd_report_format(r, "global %s", own);
    out->name = hd_report_text(r, worth(&best) ? best.name : own);
    out->stable = out->name;
}

void hd_variable_of(struct hd_report *r, const struct hd_trace *t, const struct hd_details *d,
                    const hd_eid *events, size_t n, struct hd_variable *out)
{
    variable_of(r, t, d, events, n, out);
    name_object(r, t, d, events, n, out);
}
