#include "report/make/merge.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "report/format/report_json.h"
#include "report/format/relative.h"

#include <stdlib.h>
#include <string.h>

struct merge {
    struct hd_report *r;
    struct hd_vec parts;    /* struct hd_part */
    struct hd_vec findings; /* struct hd_finding */
    struct hd_vec rules;    /* struct hd_rule_use */
    struct hd_vec gone;     /* struct hd_gone */
};

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* ---- digests ---- */

static const char *as_json(const struct hd_report *r, struct hd_arena *a)
{
    char *text = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&text, &len);
    HD_ASSERT(memory);
    hd_report_write_json(memory, r);
    fclose(memory);
    const char *copy = hd_arena_strndup(a, text, len);
    free(text);
    return copy;
}

/* 128 bits of the content, the same on every machine. It guards against mistakes, not malice. */
static const char *digest_of(struct hd_report *to, const struct hd_report *r)
{
    uint64_t h[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4)};
    for (const char *p = as_json(r, to->arena); *p; p++)
        for (int k = 0; k < 2; k++)
            h[k] = (h[k] ^ (unsigned char)*p) * UINT64_C(0x100000001b3) + (uint64_t)k;
    return hd_report_format(to, "%016llx%016llx", (unsigned long long)hd_hash_mix(h[0]),
                            (unsigned long long)hd_hash_mix(h[1]));
}

/* ---- parts ---- */

static struct hd_part part_of(struct merge *m, const struct hd_report *r)
{
    return (struct hd_part){.id = digest_of(m->r, r),
                            .program = r->program,
                            .events = r->events,
                            .threads = r->threads,
                            .runs = r->runs,
                            .seconds = r->seconds,
                            .record_seconds = r->record_seconds,
                            .analyze_seconds = r->analyze_seconds,
                            .replay_seconds = r->replay_seconds,
                            .race = r->race,
                            .impossible = r->impossible,
                            .undecided = r->undecided,
                            .skipped = r->skipped,
                            .suppressed = r->suppressed};
}

static void add_part(struct merge *m, const struct hd_part *part)
{
    for (size_t i = 0; i < m->parts.len; i++)
        if (!strcmp(((struct hd_part *)hd_vec_at(&m->parts, i))->id, part->id))
            return;
    *(struct hd_part *)hd_vec_push(&m->parts) = *part;
}

static int by_part_id(const void *a, const void *b)
{
    const struct hd_part *x = a, *y = b;
    return strcmp(x->id, y->id);
}

static int compare_programs(const struct hd_texts *a, const struct hd_texts *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        int order = compare_texts(a->items[i], b->items[i]);
        if (order)
            return order;
    }
    return (a->n > b->n) - (a->n < b->n);
}

/* Figures are sums over the parts; the program is that of the first part by name. */
static void sum_parts(struct merge *m)
{
    struct hd_report *r = m->r;
    qsort(m->parts.data, m->parts.len, sizeof(struct hd_part), by_part_id);
    r->n_parts = m->parts.len;
    r->parts = hd_report_array(r, r->n_parts, sizeof *r->parts);
    memcpy(r->parts, m->parts.data, r->n_parts * sizeof *r->parts);
    r->program = r->parts[0].program;
    for (size_t i = 0; i < r->n_parts; i++) {
        const struct hd_part *p = &r->parts[i];
        r->events += p->events;
        r->threads = p->threads > r->threads ? p->threads : r->threads;
        r->runs += p->runs;
        r->seconds += p->seconds;
        r->record_seconds += p->record_seconds;
        r->analyze_seconds += p->analyze_seconds;
        r->replay_seconds += p->replay_seconds;
        r->race += p->race;
        r->impossible += p->impossible;
        r->undecided += p->undecided;
        r->skipped += p->skipped;
        r->suppressed += p->suppressed;
        if (compare_programs(&p->program, &r->program) < 0)
            r->program = p->program;
    }
}

/* ---- findings ---- */

static bool same_finding(const struct hd_finding *x, const struct hd_finding *y)
{
    if (x->fingerprint && y->fingerprint)
        return !strcmp(x->fingerprint, y->fingerprint);
    return !strcmp(x->id, y->id);
}

/* A finding as a text, without what merging changes. Decides between equals. */
static const char *as_text(struct merge *m, const struct hd_finding *f)
{
    struct hd_finding bare = *f;
    bare.seen = NULL;
    bare.n_seen = 0;
    bare.duplicates = 0;
    bare.known = false;
    bare.id = "";
    return as_json(&(struct hd_report){.findings = &bare, .n_findings = 1}, m->r->arena);
}

static bool is_better(struct merge *m, const struct hd_finding *x, const struct hd_finding *y)
{
    bool sure = x->status != HD_FINDING_PREDICTED;
    if (sure != (y->status != HD_FINDING_PREDICTED))
        return sure;
    if (!sure && x->counts != y->counts)
        return x->counts > y->counts;
    if (x->n_steps != y->n_steps)
        return x->n_steps < y->n_steps;
    if (x->switches != y->switches)
        return x->switches < y->switches;
    return strcmp(as_text(m, x), as_text(m, y)) < 0;
}

static int by_part(const void *a, const void *b)
{
    const struct hd_seen *x = a, *y = b;
    return strcmp(x->part, y->part);
}

/* The union of where two were seen; in the same part it was seen as often as the larger says. */
static void join_seen(struct merge *m, struct hd_finding *into, const struct hd_finding *from)
{
    struct hd_seen *all = hd_report_array(m->r, into->n_seen + from->n_seen, sizeof *all);
    size_t n = into->n_seen;
    if (n)
        memcpy(all, into->seen, n * sizeof *all);
    for (size_t i = 0; i < from->n_seen; i++) {
        size_t k = 0;
        while (k < n && strcmp(all[k].part, from->seen[i].part))
            k++;
        if (k == n)
            all[n++] = from->seen[i];
        else if (all[k].times < from->seen[i].times)
            all[k].times = from->seen[i].times;
    }
    if (n)
        qsort(all, n, sizeof *all, by_part);
    into->seen = all;
    into->n_seen = n;
    into->duplicates = 0;
    for (size_t i = 0; i < n; i++)
        into->duplicates += all[i].times;
    into->duplicates -= into->duplicates > 0;
}

static void add_finding(struct merge *m, const struct hd_finding *f)
{
    struct hd_finding *old = NULL;
    for (size_t i = 0; i < m->findings.len && !old; i++)
        if (same_finding(hd_vec_at(&m->findings, i), f))
            old = hd_vec_at(&m->findings, i);
    if (!old) {
        *(struct hd_finding *)hd_vec_push(&m->findings) = *f;
        return;
    }
    struct hd_finding other = *f;
    if (is_better(m, f, old)) {
        other = *old;
        *old = *f;
    }
    join_seen(m, old, &other);
    old->known = old->known && other.known;
    /* An id that had to grow in one of them stays long. */
    if (strlen(other.id) > strlen(old->id))
        old->id = other.id;
}

static enum hd_status add_findings(struct merge *m, const struct hd_report *r, const char *part,
                                   const struct hd_relative *move, struct hd_err *err)
{
    for (size_t i = 0; i < r->n_findings; i++) {
        struct hd_finding f = r->findings[i];
        f.witness = hd_relative_path(move, m->r->arena, f.witness);
        f.trace = hd_relative_path(move, m->r->arena, f.trace);
        f.input = hd_relative_path(move, m->r->arena, f.input);
        if (!f.n_seen) {
            if (!part)
                return hd_err_set(err, HD_ERR_INPUT, "finding %s of a merged report names no part",
                                  f.id);
            f.seen = hd_report_array(m->r, 1, sizeof *f.seen);
            f.seen[0] = (struct hd_seen){part, 1 + f.duplicates};
            f.n_seen = 1;
        }
        add_finding(m, &f);
    }
    return HD_OK;
}

/* ---- the rest ---- */

static int by_text(const void *a, const void *b)
{
    return compare_texts(*(const char *const *)a, *(const char *const *)b);
}

static void add_texts(struct merge *m, struct hd_texts *to, const struct hd_texts *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (from->items[i])
            hd_report_add(m->r, to, from->items[i]);
}

static void add_rule(struct merge *m, const struct hd_rule_use *rule)
{
    for (size_t i = 0; i < m->rules.len; i++) {
        struct hd_rule_use *old = hd_vec_at(&m->rules, i);
        if (!compare_texts(old->text, rule->text) && !compare_texts(old->file, rule->file) &&
            old->line == rule->line) {
            old->used = rule->used > old->used ? rule->used : old->used;
            old->expired = old->expired && rule->expired;
            return;
        }
    }
    *(struct hd_rule_use *)hd_vec_push(&m->rules) = *rule;
}

static int by_rule(const void *a, const void *b)
{
    const struct hd_rule_use *x = a, *y = b;
    int order = compare_texts(x->file, y->file);
    if (!order)
        order = (x->line > y->line) - (x->line < y->line);
    return order ? order : compare_texts(x->text, y->text);
}

static bool same_gone(const struct hd_gone *x, const char *fingerprint, const char *id)
{
    return x->fingerprint && fingerprint ? !strcmp(x->fingerprint, fingerprint)
                                         : !strcmp(x->id, id);
}

/* Of equals the one that reads first stays, so that the order of reports does not matter. */
static void add_gone(struct merge *m, const struct hd_gone *g)
{
    for (size_t i = 0; i < m->gone.len; i++) {
        struct hd_gone *old = hd_vec_at(&m->gone, i);
        if (!same_gone(old, g->fingerprint, g->id))
            continue;
        int order = (int)g->status - (int)old->status;
        order = order ? order : compare_texts(g->title, old->title);
        if (order < 0)
            *old = *g;
        return;
    }
    *(struct hd_gone *)hd_vec_push(&m->gone) = *g;
}

static int by_gone_id(const void *a, const void *b)
{
    const struct hd_gone *x = a, *y = b;
    return compare_texts(x->id, y->id);
}

/* Gone is what no part has found. */
static void keep_gone(struct merge *m)
{
    struct hd_report *r = m->r;
    r->gone = hd_report_array(r, m->gone.len, sizeof *r->gone);
    for (size_t i = 0; i < m->gone.len; i++) {
        const struct hd_gone *g = hd_vec_at(&m->gone, i);
        bool found = false;
        for (size_t k = 0; k < m->findings.len && !found; k++) {
            const struct hd_finding *f = hd_vec_at(&m->findings, k);
            found = same_gone(g, f->fingerprint, f->id);
        }
        if (!found)
            r->gone[r->n_gone++] = *g;
    }
    if (r->n_gone)
        qsort(r->gone, r->n_gone, sizeof *r->gone, by_gone_id);
}

/* The worst end of any: a signal before an exit status. */
static void add_end(struct hd_report *to, const struct hd_report *from)
{
    if (from->signal > to->signal) {
        to->signal = from->signal;
        to->exit_status = from->exit_status;
    } else if (from->signal == to->signal && from->exit_status > to->exit_status) {
        to->exit_status = from->exit_status;
    }
}

static enum hd_status add_report(struct merge *m, const struct hd_report *r, const char *directory,
                                 struct hd_err *err)
{
    struct hd_relative move;
    const char *part = NULL;
    enum hd_status s = hd_relative_init(&move, r->directory, directory, m->r->arena, err);
    if (s != HD_OK)
        return s;
    for (size_t i = 0; i < r->n_parts; i++)
        add_part(m, &r->parts[i]);
    if (!r->n_parts) {
        struct hd_part own = part_of(m, r);
        add_part(m, &own);
        part = own.id;
    }
    s = add_findings(m, r, part, &move, err);
    add_texts(m, &m->r->undecided_why, &r->undecided_why);
    add_texts(m, &m->r->unmodelled, &r->unmodelled);
    add_texts(m, &m->r->uninstrumented, &r->uninstrumented);
    add_texts(m, &m->r->notes, &r->notes);
    for (size_t i = 0; i < r->n_rules; i++)
        add_rule(m, &r->rules[i]);
    for (size_t i = 0; i < r->n_gone; i++)
        add_gone(m, &r->gone[i]);
    if (r->baseline && (!m->r->baseline || strcmp(r->baseline, m->r->baseline) < 0))
        m->r->baseline = r->baseline;
    add_end(m->r, r);
    m->r->interrupted = m->r->interrupted || r->interrupted;
    m->r->cut = m->r->cut || r->cut;
    m->r->allow_undecided = m->r->allow_undecided || r->allow_undecided;
    if (compare_texts(r->tool_version, m->r->tool_version) > 0)
        m->r->tool_version = r->tool_version;
    return s;
}

static void finish(struct merge *m)
{
    struct hd_report *r = m->r;
    struct hd_texts *lists[] = {&r->undecided_why, &r->unmodelled, &r->uninstrumented, &r->notes};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i]->n)
            qsort(lists[i]->items, lists[i]->n, sizeof *lists[i]->items, by_text);
    sum_parts(m);
    r->n_findings = m->findings.len;
    r->findings = hd_report_array(r, r->n_findings, sizeof *r->findings);
    if (r->n_findings)
        memcpy(r->findings, m->findings.data, r->n_findings * sizeof *r->findings);
    keep_gone(m);
    r->n_rules = m->rules.len;
    r->rules = hd_report_array(r, r->n_rules, sizeof *r->rules);
    if (r->n_rules) {
        qsort(m->rules.data, r->n_rules, sizeof *r->rules, by_rule);
        memcpy(r->rules, m->rules.data, r->n_rules * sizeof *r->rules);
    }
    hd_report_settle(r);
}

enum hd_status hd_report_merge(struct hd_report *const *inputs, size_t n, const char *directory,
                               struct hd_report **merged, struct hd_err *err)
{
    struct merge m = {.r = hd_report_new(),
                      .parts = HD_VEC_INIT(struct hd_part),
                      .findings = HD_VEC_INIT(struct hd_finding),
                      .rules = HD_VEC_INIT(struct hd_rule_use),
                      .gone = HD_VEC_INIT(struct hd_gone)};
    enum hd_status s = HD_OK;
    *merged = NULL;
    HD_ASSERT(n > 0);
    m.r->exit_status = inputs[0]->exit_status;
    m.r->signal = inputs[0]->signal;
    for (size_t i = 0; i < n && s == HD_OK; i++)
        s = add_report(&m, inputs[i], directory, err);
    if (s == HD_OK)
        finish(&m);
    hd_vec_fini(&m.parts);
    hd_vec_fini(&m.findings);
    hd_vec_fini(&m.rules);
    hd_vec_fini(&m.gone);
    if (s == HD_OK)
        *merged = m.r;
    else
        hd_report_free(m.r);
    return s;
}
