#include "report/make/variable.h"

#include "abi/rt_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "__aligned_membuf<int>._M_storage[4]": what a library calls its own parts tells users nothing. */
static bool is_reserved(const char *name)
{
    bool own = name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
    return own || strstr(name, "._M_");
}

/* How much a name at an access tells: a variable's own name most, `*p` nothing. */
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

void hd_variable_of(struct hd_report *r, const struct hd_trace *t, const struct hd_details *d,
                    const hd_eid *events, size_t n, struct hd_variable *out)
{
    const char *own = hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[events[0]]);
    struct hd_detail best = {.function = "", .name = ""}, one;
    for (size_t i = 0; i < n; i++)
        if (hd_details_at(d, events[i], &one) && worth(&one) > worth(&best))
            best = one;
    if (starts(own, "heap#")) {
        on_heap(r, d, own, &best, out);
        return;
    }
    if (starts(own, "stack:")) {
        on_stack(r, own, &best, out);
        return;
    }
    bool global = best.flags & HD_SITE_NAME_GLOBAL;
    out->location = starts(own, "map#")       ? hd_report_format(r, "mapping %s", own + 3)
                    : global || !worth(&best) ? "global"
                                              : hd_report_format(r, "global %s", own);
    out->name = hd_report_text(r, worth(&best) ? best.name : own);
    out->stable = out->name;
}
