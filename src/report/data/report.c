#include "report/data/report.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hd_finding_status_names[HD_FINDING_STATUSES] = {"confirmed", "predicted",
                                                                  "observed"};
const char *const hd_finding_counts_names[HD_COUNTS] = {"no", "open", "error"};

struct hd_report *hd_report_new(void)
{
    struct hd_report *r = hd_calloc(1, sizeof *r);
    r->arena = hd_arena_new();
    return r;
}

void hd_report_free(struct hd_report *r)
{
    if (!r)
        return;
    hd_arena_free(r->arena);
    hd_free(r, sizeof *r);
}

const char *hd_report_text(struct hd_report *r, const char *text)
{
    return text ? hd_arena_strndup(r->arena, text, strlen(text)) : NULL;
}

const char *hd_report_format(struct hd_report *r, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = hd_arena_alloc(r->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

void *hd_report_array(struct hd_report *r, size_t n, size_t size)
{
    return n ? hd_arena_calloc(r->arena, n, size) : NULL;
}

void hd_report_add(struct hd_report *r, struct hd_texts *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->items[i], text))
            return;
    /* Room is doubled at powers of two; what is left behind dies with the arena. */
    if ((list->n & (list->n - 1)) == 0) {
        const char **more = hd_report_array(r, list->n ? 2 * list->n : 1, sizeof *more);
        if (list->n)
            memcpy(more, list->items, list->n * sizeof *more);
        list->items = more;
    }
    list->items[list->n++] = hd_report_text(r, text);
}

static int rank(const struct hd_finding *f)
{
    return f->status == HD_FINDING_PREDICTED;
}

/* Of two equal ones, the one that counts more comes first. */
static int weight(const struct hd_finding *f)
{
    return rank(f) ? HD_COUNTS_ERROR - (int)f->counts + 2 : f->met_in != NULL;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Equal ones are the same finding. */
static int same_finding(const struct hd_finding *x, const struct hd_finding *y)
{
    int order = strcmp(or_empty(x->fingerprint), or_empty(y->fingerprint));
    return order || x->fingerprint ? order : strcmp(x->id, y->id);
}

static int by_identity(const void *a, const void *b)
{
    const struct hd_finding *x = a, *y = b;
    int order = same_finding(x, y);
    if (order)
        return order;
    if (weight(x) != weight(y))
        return weight(x) - weight(y);
    order = strcmp(or_empty(x->form), or_empty(y->form)); /* simultaneous before unordered */
    if (order)
        return order;
    uint64_t xs = x->n_steps + x->steps_left_out, ys = y->n_steps + y->steps_left_out;
    if (xs != ys)
        return xs < ys ? -1 : 1;
    return strcmp(or_empty(x->witness), or_empty(y->witness));
}

static bool is_bad(const struct hd_effect *e)
{
    return e->signal || e->assertion || e->deadlock || e->timeout;
}

/* What the orders did: 0 one of them ends in a crash or the like, 1 other output, 2 both fail,
 * which may have another reason, 3 nothing that shows. */
static int harm(const struct hd_finding *f)
{
    const struct hd_effect *e = f->effects;
    if (is_bad(&e[0]) != is_bad(&e[1]))
        return 0;
    if (e[0].output_diff || e[1].output_diff)
        return 1;
    return is_bad(&e[0]) ? 2 : 3;
}

static int by_place_in_report(const void *a, const void *b)
{
    const struct hd_finding *x = a, *y = b;
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    if (harm(x) != harm(y))
        return harm(x) - harm(y);
    return strcmp(x->id, y->id);
}

/* Different findings, same id: both get more digits. 24 bits are enough for most reports. */
static void lengthen_ids(struct hd_report *r)
{
    for (size_t i = 0; i + 1 < r->n_findings; i++) { /* by fingerprint: equal ids are neighbours */
        struct hd_finding *x = &r->findings[i], *y = x + 1;
        for (int digits = 8; digits <= 16 && !strcmp(x->id, y->id); digits += 2) {
            x->id = hd_report_format(r, "R-%.*s", digits, or_empty(x->fingerprint));
            y->id = hd_report_format(r, "R-%.*s", digits, or_empty(y->fingerprint));
        }
    }
}

#ifdef HD_DEBUG
/* Every finding has an id of its own: heddle show and links go by it. What it looks like, a report
 * that was read decides. */
static void check_ids(const struct hd_report *r)
{
    for (size_t i = 1; i < r->n_findings; i++)
        HD_ASSERT(strcmp(r->findings[i - 1].id, r->findings[i].id) != 0);
}
#endif

void hd_report_settle(struct hd_report *r)
{
    if (!r->n_findings)
        return;
    qsort(r->findings, r->n_findings, sizeof *r->findings, by_identity);
    size_t kept = 0;
    for (size_t i = 1; i < r->n_findings; i++) {
        struct hd_finding *last = &r->findings[kept];
        if (!same_finding(last, &r->findings[i]))
            last->duplicates += 1 + r->findings[i].duplicates;
        else
            r->findings[++kept] = r->findings[i];
    }
    r->n_findings = kept + 1;
    lengthen_ids(r);
    HD_SELF_CHECK(check_ids(r));
    qsort(r->findings, r->n_findings, sizeof *r->findings, by_place_in_report);
}

bool hd_report_is_error(const struct hd_finding *f)
{
    return (f->status != HD_FINDING_PREDICTED || f->counts == HD_COUNTS_ERROR) && !f->known;
}

/* The operation of an access; HD_OP_COUNT: it is none of memory. */
static enum hd_op op_of(const struct hd_access *a)
{
    for (int op = 0; a->kind && op < HD_OP_COUNT; op++)
        if (hd_op_is_access((enum hd_op)op) && !strcmp(a->kind, hd_op_info[op].words))
            return (enum hd_op)op;
    return HD_OP_COUNT;
}

bool hd_access_frees(const struct hd_access *a)
{
    return a->kind && !strcmp(a->kind, HD_ACCESS_FREE);
}

bool hd_access_ends(const struct hd_access *a)
{
    return a->kind && !strncmp(a->kind, "destroy ", 8);
}

bool hd_access_leaves(const struct hd_access *a)
{
    return a->kind && !strcmp(a->kind, HD_ACCESS_LEAVE);
}

bool hd_access_only_reads(const struct hd_access *a)
{
    enum hd_op op = op_of(a);
    return hd_op_reads(op) && !hd_op_writes(op);
}

bool hd_access_only_writes(const struct hd_access *a)
{
    enum hd_op op = op_of(a);
    return hd_op_writes(op) && !hd_op_reads(op);
}

bool hd_access_updates(const struct hd_access *a)
{
    return op_of(a) == HD_OP_RMW;
}

size_t hd_report_errors(const struct hd_report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_findings; i++)
        n += hd_report_is_error(&r->findings[i]);
    return n;
}

size_t hd_report_refuted(const struct hd_report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_findings; i++)
        n += r->findings[i].refuted && !r->findings[i].known;
    return n;
}

size_t hd_report_open(const struct hd_report *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_findings; i++)
        n += r->findings[i].status == HD_FINDING_PREDICTED && !r->findings[i].known &&
             r->findings[i].counts == HD_COUNTS_OPEN;
    return n;
}

bool hd_report_unfinished(const struct hd_report *r)
{
    return r->undecided || r->interrupted || r->cut || hd_report_open(r) || r->unseen.n;
}
