#include "report/make/merge.h"

#include "base/alloc.h"
#include "base/content.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/names.h"
#include "base/vec.h"
#include "report/format/relative.h"
#include "report/format/report_json.h"

#include <stdlib.h>
#include <string.h>

/* A finding, and its text once it was asked for. */
struct kept {
    struct hd_finding f;
    char *text; /* of open_memstream, or NULL */
};

struct hd_merge {
    struct hd_report *r;
    const char *directory;
    struct hd_vec parts;        /* struct hd_part */
    struct hd_names part_ids;   /* in the same order; of units, the tests */
    struct hd_vec marks;        /* struct mark, in the same order */
    struct hd_vec findings;     /* struct kept */
    struct hd_names identities; /* fingerprints, by which most findings are told apart */
    struct hd_u32vec by_identity;
    bool unnamed;        /* some finding has no fingerprint */
    struct hd_vec rules; /* struct hd_rule_use */
    struct hd_vec gone;  /* struct hd_gone */
    struct hd_merge_times times;
    bool begun;
};

/* Of a part that stands for units: what its id is made of, whatever their order. */
struct mark {
    uint64_t sum[2];
    bool units;
};

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* ---- digests ---- */

/* The caller frees it with free. */
static char *as_json(const struct hd_report *r, size_t *len)
{
    char *text = NULL;
    FILE *memory = open_memstream(&text, len);
    HD_ASSERT(memory);
    hd_report_json_write(memory, r);
    fclose(memory);
    return text;
}

static const char *digest_of(struct hd_report *to, const struct hd_report *r)
{
    char name[HD_CONTENT_SIZE];
    struct hd_content d;
    size_t len;
    char *text = as_json(r, &len);
    hd_content_init(&d);
    hd_content_add(&d, text, len);
    hd_content_text(&d, name);
    free(text);
    return hd_report_text(to, name);
}

/* ---- parts ---- */

static int by_part(const void *a, const void *b)
{
    const struct hd_seen *x = a, *y = b;
    return strcmp(x->part, y->part);
}

static struct hd_texts copy_program(struct hd_report *to, const struct hd_texts *from)
{
    struct hd_texts copy = {.items = hd_report_array(to, from->n, sizeof *copy.items),
                            .n = from->n};
    for (size_t i = 0; i < from->n; i++)
        copy.items[i] = hd_report_text(to, from->items[i]);
    return copy;
}

static struct hd_part part_of(struct hd_merge *m, const struct hd_report *r)
{
    return (struct hd_part){.id = digest_of(m->r, r),
                            .program = copy_program(m->r, &r->program),
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

/* The part of this name; a new one is empty and has no id yet. */
static struct hd_part *part_named(struct hd_merge *m, const char *name, struct mark **mark)
{
    uint32_t at = hd_names_add(&m->part_ids, name, strlen(name));
    if (at == m->parts.len) {
        *(struct hd_part *)hd_vec_push(&m->parts) = (struct hd_part){0};
        *(struct mark *)hd_vec_push(&m->marks) = (struct mark){{0}, false};
    }
    *mark = hd_vec_at(&m->marks, at);
    return hd_vec_at(&m->parts, at);
}

/* A part that is there already counts once. */
static const char *add_part(struct hd_merge *m, const struct hd_part *part)
{
    struct mark *mark;
    struct hd_part *p = part_named(m, part->id, &mark);
    if (!p->id) {
        *p = *part;
        p->id = hd_report_text(m->r, part->id);
        p->test = hd_report_text(m->r, part->test);
        p->program = copy_program(m->r, &part->program);
    }
    return p->id;
}

/* The units of one test are one part. */
static const char *add_unit(struct hd_merge *m, const struct hd_report *r,
                            const struct hd_merge_unit *unit)
{
    struct mark *mark;
    struct hd_part *p = part_named(m, unit->part, &mark);
    if (!p->id) {
        p->id = hd_report_text(m->r, unit->part);
        p->test = hd_report_text(m->r, unit->test);
        p->program = copy_program(m->r, &r->program);
    }
    mark->units = true;
    for (int k = 0; k < 2; k++) {
        char half[17];
        snprintf(half, sizeof half, "%.16s", unit->name + 16 * k);
        mark->sum[k] += hd_hash_mix(strtoull(half, NULL, 16));
    }
    p->units++;
    p->events += r->events;
    p->threads = r->threads > p->threads ? r->threads : p->threads;
    p->runs += r->runs;
    p->race += r->race;
    p->impossible += r->impossible;
    p->undecided += r->undecided;
    p->skipped += r->skipped;
    p->suppressed += r->suppressed;
    m->times.all += r->seconds;
    m->times.record += r->record_seconds;
    m->times.analyze += r->analyze_seconds;
    m->times.replay += r->replay_seconds;
    return p->id;
}

/* Parts that stand for units get an id that names these, so that more of them are not taken for the
 * same. Findings follow. */
static void name_units(struct hd_merge *m)
{
    for (size_t i = 0; i < m->parts.len; i++) {
        struct hd_part *p = hd_vec_at(&m->parts, i);
        const struct mark *mark = hd_vec_at(&m->marks, i);
        char name[HD_CONTENT_SIZE];
        struct hd_content d;
        if (!mark->units)
            continue;
        hd_content_init(&d);
        hd_content_add(&d, p->id, strlen(p->id));
        hd_content_add(&d, mark->sum, sizeof mark->sum);
        hd_content_text(&d, name);
        p->id = hd_report_text(m->r, name);
    }
    for (size_t i = 0; i < m->findings.len; i++) {
        struct hd_finding *f = &((struct kept *)hd_vec_at(&m->findings, i))->f;
        for (size_t k = 0; k < f->n_seen; k++) {
            uint32_t at;
            if (hd_names_find(&m->part_ids, f->seen[k].part, strlen(f->seen[k].part), &at))
                f->seen[k].part = ((struct hd_part *)hd_vec_at(&m->parts, at))->id;
        }
        if (f->n_seen)
            qsort(f->seen, f->n_seen, sizeof *f->seen, by_part);
    }
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
static void sum_parts(struct hd_merge *m)
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
static char *as_text(const struct hd_finding *f)
{
    struct hd_finding bare = *f;
    size_t len;
    bare.seen = NULL;
    bare.n_seen = 0;
    bare.duplicates = 0;
    bare.known = false;
    bare.id = "";
    return as_json(&(struct hd_report){.findings = &bare, .n_findings = 1}, &len);
}

/* Whether x is to replace the one that is kept: surer, then with replays of its own, then shorter.
 */
static bool is_better(const struct hd_finding *x, struct kept *old)
{
    const struct hd_finding *y = &old->f;
    bool sure = x->status != HD_FINDING_PREDICTED;
    if (sure != (y->status != HD_FINDING_PREDICTED))
        return sure;
    if (!sure && x->counts != y->counts)
        return x->counts > y->counts;
    if (!x->met_in != !y->met_in)
        return !x->met_in;
    uint64_t xs = x->n_steps + x->steps_left_out, ys = y->n_steps + y->steps_left_out;
    if (xs != ys)
        return xs < ys;
    if (x->switches != y->switches)
        return x->switches < y->switches;
    if (!old->text)
        old->text = as_text(y);
    char *text = as_text(x);
    bool better = strcmp(text, old->text) < 0;
    free(text);
    return better;
}

/* The place for one more, with room that is doubled at powers of two. */
static struct hd_seen *more_seen(struct hd_merge *m, struct hd_finding *f)
{
    if ((f->n_seen & (f->n_seen - 1)) == 0) {
        struct hd_seen *all = hd_report_array(m->r, f->n_seen ? 2 * f->n_seen : 1, sizeof *f->seen);
        if (f->n_seen)
            memcpy(all, f->seen, f->n_seen * sizeof *all);
        f->seen = all;
    }
    return &f->seen[f->n_seen++];
}

/* Where else it was seen. In the same part the larger number counts; units of one part add up. */
static void join_seen(struct hd_merge *m, struct hd_finding *into, const struct hd_seen *from,
                      size_t n, bool unit)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < into->n_seen && strcmp(into->seen[k].part, from[i].part))
            k++;
        struct hd_seen *to = k < into->n_seen ? &into->seen[k] : more_seen(m, into);
        if (!to->part)
            *to = (struct hd_seen){hd_report_text(m->r, from[i].part), from[i].times, from[i].units,
                                   hd_report_text(m->r, from[i].first)};
        else if (unit) {
            to->times += from[i].times;
            to->units += from[i].units;
        } else if (to->times < from[i].times) {
            to->times = from[i].times;
        }
    }
}

static struct kept *find_same(const struct hd_merge *m, const struct hd_finding *f)
{
    uint32_t id;
    if (f->fingerprint &&
        hd_names_find(&m->identities, f->fingerprint, strlen(f->fingerprint), &id))
        return hd_vec_at(&m->findings, m->by_identity.data[id]);
    for (size_t i = 0; i < m->findings.len && (m->unnamed || !f->fingerprint); i++) {
        struct kept *k = hd_vec_at(&m->findings, i);
        if (same_finding(&k->f, f))
            return k;
    }
    return NULL;
}

/* Where a finding was seen is kept apart from its content. */
static struct hd_finding adopt(struct hd_merge *m, const struct hd_finding *f)
{
    struct hd_finding bare = *f;
    bare.seen = NULL;
    bare.n_seen = 0;
    return hd_report_copy(m->r, &bare);
}

static void add_new(struct hd_merge *m, const struct hd_finding *f, bool unit)
{
    struct kept *k = hd_vec_push(&m->findings);
    *k = (struct kept){adopt(m, f), NULL};
    join_seen(m, &k->f, f->seen, f->n_seen, unit);
    m->unnamed = m->unnamed || !f->fingerprint;
    if (f->fingerprint) {
        hd_names_add(&m->identities, f->fingerprint, strlen(f->fingerprint));
        hd_u32vec_push(&m->by_identity, (uint32_t)(m->findings.len - 1));
    }
}

static void add_finding(struct hd_merge *m, const struct hd_finding *f, bool unit)
{
    struct kept *old = find_same(m, f);
    if (!old) {
        add_new(m, f, unit);
        return;
    }
    const char *id = strlen(f->id) > strlen(old->f.id) ? f->id : old->f.id;
    bool known = old->f.known && f->known;
    if (is_better(f, old)) {
        struct hd_finding was = old->f;
        old->f = adopt(m, f);
        old->f.seen = was.seen;
        old->f.n_seen = was.n_seen;
        free(old->text);
        old->text = NULL;
    }
    join_seen(m, &old->f, f->seen, f->n_seen, unit);
    old->f.known = known;
    old->f.id = hd_report_text(m->r, id); /* one that had to grow in one of them stays long */
}

static enum hd_status add_findings(struct hd_merge *m, const struct hd_report *r, const char *part,
                                   const struct hd_merge_unit *unit, const struct hd_relative *move,
                                   struct hd_err *err)
{
    struct hd_arena *paths = hd_arena_new();
    enum hd_status s = HD_OK;
    for (size_t i = 0; i < r->n_findings && s == HD_OK; i++) {
        struct hd_finding f = r->findings[i];
        struct hd_seen here = {part, 1 + f.duplicates, unit ? 1 : 0, unit ? unit->first : NULL};
        f.witness = hd_relative_path(move, paths, f.witness);
        f.trace = hd_relative_path(move, paths, f.trace);
        f.input = hd_relative_path(move, paths, f.input);
        if (!f.n_seen && !part) {
            s = hd_err_set(err, HD_ERR_INPUT, "finding %s of a merged report names no part", f.id);
        } else {
            f.seen = f.n_seen ? f.seen : &here;
            f.n_seen = f.n_seen ? f.n_seen : 1;
            add_finding(m, &f, unit != NULL);
        }
    }
    hd_arena_free(paths);
    return s;
}

/* ---- the rest ---- */

static int by_text(const void *a, const void *b)
{
    return compare_texts(*(const char *const *)a, *(const char *const *)b);
}

static void add_texts(struct hd_merge *m, struct hd_texts *to, const struct hd_texts *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (from->items[i])
            hd_report_add(m->r, to, from->items[i]);
}

static void add_rule(struct hd_merge *m, const struct hd_rule_use *rule)
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
    struct hd_rule_use *own = hd_vec_push(&m->rules);
    *own = *rule;
    own->text = hd_report_text(m->r, rule->text);
    own->file = hd_report_text(m->r, rule->file);
    own->reason = hd_report_text(m->r, rule->reason);
    own->until = hd_report_text(m->r, rule->until);
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

static struct hd_gone copy_gone(struct hd_report *to, const struct hd_gone *g)
{
    struct hd_gone copy = *g;
    copy.id = hd_report_text(to, g->id);
    copy.fingerprint = hd_report_text(to, g->fingerprint);
    copy.variable = hd_report_text(to, g->variable);
    copy.title = hd_report_text(to, g->title);
    return copy;
}

/* Of equals the one that reads first stays, so that the order of reports does not matter. */
static void add_gone(struct hd_merge *m, const struct hd_gone *g)
{
    for (size_t i = 0; i < m->gone.len; i++) {
        struct hd_gone *old = hd_vec_at(&m->gone, i);
        if (!same_gone(old, g->fingerprint, g->id))
            continue;
        int order = (int)g->status - (int)old->status;
        order = order ? order : compare_texts(g->title, old->title);
        if (order < 0)
            *old = copy_gone(m->r, g);
        return;
    }
    *(struct hd_gone *)hd_vec_push(&m->gone) = copy_gone(m->r, g);
}

static int by_gone_id(const void *a, const void *b)
{
    const struct hd_gone *x = a, *y = b;
    return compare_texts(x->id, y->id);
}

/* Gone is what no part has found. */
static void keep_gone(struct hd_merge *m)
{
    struct hd_report *r = m->r;
    r->gone = hd_report_array(r, m->gone.len, sizeof *r->gone);
    for (size_t i = 0; i < m->gone.len; i++) {
        const struct hd_gone *g = hd_vec_at(&m->gone, i);
        bool found = false;
        for (size_t k = 0; k < m->findings.len && !found; k++) {
            const struct hd_finding *f = &((struct kept *)hd_vec_at(&m->findings, k))->f;
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

static void add_rest(struct hd_merge *m, const struct hd_report *r)
{
    add_texts(m, &m->r->undecided_why, &r->undecided_why);
    add_texts(m, &m->r->unmodelled, &r->unmodelled);
    add_texts(m, &m->r->uninstrumented, &r->uninstrumented);
    add_texts(m, &m->r->unseen, &r->unseen);
    add_texts(m, &m->r->notes, &r->notes);
    add_texts(m, &m->r->search_notes, &r->search_notes);
    for (size_t i = 0; i < r->n_rules; i++)
        add_rule(m, &r->rules[i]);
    for (size_t i = 0; i < r->n_gone; i++)
        add_gone(m, &r->gone[i]);
    if (r->baseline && (!m->r->baseline || strcmp(r->baseline, m->r->baseline) < 0))
        m->r->baseline = hd_report_text(m->r, r->baseline);
    add_end(m->r, r);
    m->r->interrupted = m->r->interrupted || r->interrupted;
    m->r->cut = m->r->cut || r->cut;
    m->r->allow_undecided = m->r->allow_undecided || r->allow_undecided;
    if (compare_texts(r->tool_version, m->r->tool_version) > 0)
        m->r->tool_version = hd_report_text(m->r, r->tool_version);
}

struct hd_merge *hd_merge_new(const char *directory)
{
    struct hd_merge *m = hd_calloc(1, sizeof *m);
    m->r = hd_report_new();
    m->directory = directory;
    m->parts = HD_VEC_INIT(struct hd_part);
    m->marks = HD_VEC_INIT(struct mark);
    m->findings = HD_VEC_INIT(struct kept);
    m->rules = HD_VEC_INIT(struct hd_rule_use);
    m->gone = HD_VEC_INIT(struct hd_gone);
    return m;
}

enum hd_status hd_merge_add(struct hd_merge *m, const struct hd_report *r,
                            const struct hd_merge_unit *unit, struct hd_err *err)
{
    struct hd_relative move;
    struct hd_arena *paths = hd_arena_new();
    const char *part = NULL;
    enum hd_status s = hd_relative_init(&move, r->directory, m->directory, paths, err);
    if (s == HD_OK) {
        if (!m->begun) {
            m->r->exit_status = r->exit_status;
            m->r->signal = r->signal;
            m->begun = true;
        }
        for (size_t i = 0; i < r->n_parts; i++)
            add_part(m, &r->parts[i]);
        if (unit) {
            part = add_unit(m, r, unit);
        } else if (!r->n_parts) {
            struct hd_part own = part_of(m, r);
            part = add_part(m, &own);
        }
        s = add_findings(m, r, part, unit, &move, err);
        add_rest(m, r);
    }
    hd_arena_free(paths);
    return s;
}

static void sum_seen(struct hd_finding *f)
{
    f->duplicates = 0;
    for (size_t i = 0; i < f->n_seen; i++)
        f->duplicates += f->seen[i].times;
    f->duplicates -= f->duplicates > 0;
}

static void finish(struct hd_merge *m)
{
    struct hd_report *r = m->r;
    struct hd_texts *lists[] = {&r->undecided_why, &r->unmodelled, &r->uninstrumented,
                                &r->unseen,        &r->notes,      &r->search_notes};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i]->n)
            qsort(lists[i]->items, lists[i]->n, sizeof *lists[i]->items, by_text);
    name_units(m);
    sum_parts(m);
    r->n_findings = m->findings.len;
    r->findings = hd_report_array(r, r->n_findings, sizeof *r->findings);
    for (size_t i = 0; i < r->n_findings; i++) {
        r->findings[i] = ((struct kept *)hd_vec_at(&m->findings, i))->f;
        sum_seen(&r->findings[i]);
    }
    keep_gone(m);
    r->n_rules = m->rules.len;
    r->rules = hd_report_array(r, r->n_rules, sizeof *r->rules);
    if (r->n_rules) {
        qsort(m->rules.data, r->n_rules, sizeof *r->rules, by_rule);
        memcpy(r->rules, m->rules.data, r->n_rules * sizeof *r->rules);
    }
    hd_report_settle(r);
}

struct hd_report *hd_merge_end(struct hd_merge *m, struct hd_merge_times *times)
{
    struct hd_report *r = NULL;
    HD_DEBUG_LINE(REPORT, "merged %zu parts: %zu findings", m->parts.len, m->findings.len);
    if (m->parts.len) {
        finish(m);
        r = m->r;
        m->r = NULL;
    }
    if (times)
        *times = m->times;
    for (size_t i = 0; i < m->findings.len; i++)
        free(((struct kept *)hd_vec_at(&m->findings, i))->text);
    hd_report_free(m->r);
    hd_vec_fini(&m->parts);
    hd_vec_fini(&m->marks);
    hd_vec_fini(&m->findings);
    hd_vec_fini(&m->rules);
    hd_vec_fini(&m->gone);
    hd_names_fini(&m->part_ids);
    hd_names_fini(&m->identities);
    hd_u32vec_fini(&m->by_identity);
    hd_free(m, sizeof *m);
    return r;
}
