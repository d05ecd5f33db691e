#include "report/make/openmp_advice.h"

#include "report/make/constructs.h"

#include <ctype.h>
#include <string.h>

struct side {
    const struct hd_spot *at;
    struct hd_construct around[HD_CONSTRUCTS_MOST];
    size_t n;
    const char *text; /* the line without spaces */
    bool writes;
};

struct advice {
    struct hd_report *r;
    struct side side[2];
    char name[64];                     /* of the variable, without index and what follows */
    bool element;                      /* of an array */
    const struct hd_construct *common; /* the innermost around both; NULL: none */
};

/* ---- what the source shows ---- */

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The variable as a whole word of the line, from `from` on. */
static const char *find_name(const struct advice *a, const char *line, const char *from)
{
    size_t n = strlen(a->name);
    for (const char *at = strstr(from, a->name); n && at; at = strstr(at + 1, a->name))
        if ((at == line || !is_name_char(at[-1])) && !is_name_char(at[n]))
            return at;
    return NULL;
}

/* Behind the variable and its index. */
static const char *behind(const struct advice *a, const char *at)
{
    int depth = 0;
    for (at += strlen(a->name); *at == '[' || (depth && *at); at++) {
        depth += *at == '[';
        depth -= *at == ']';
    }
    return at;
}

/* The operator of "sum += x", "sum++", "sum = sum + x"; 0: the line does nothing like that. */
static char update_of(const struct advice *a, const char *line)
{
    static const char operators[] = "+-*&|^";
    for (const char *at = find_name(a, line, line); at; at = find_name(a, line, at + 1)) {
        const char *next = behind(a, at);
        if (*next && strchr(operators, *next) && (next[1] == '=' || next[1] == *next))
            return next[1] == '=' ? *next : '+';
        if (at >= line + 2 && at[-1] == at[-2] && (at[-1] == '+' || at[-1] == '-'))
            return '+';
        if (next[0] != '=' || next[1] == '=')
            continue;
        const char *again = find_name(a, line, next);
        const char *after = again ? behind(a, again) : NULL;
        bool same = after && after - again == next - at && !strncmp(at, again, (size_t)(next - at));
        if (same && *after && strchr(operators, *after))
            return *after;
    }
    return 0;
}

static bool assigns(const struct advice *a, const char *line)
{
    for (const char *at = find_name(a, line, line); at; at = find_name(a, line, at + 1)) {
        const char *next = behind(a, at);
        if (next[0] == '=' && next[1] != '=')
            return true;
    }
    return false;
}

/* "max" or "min" for a comparison with the variable beside an assignment to it; NULL: neither. */
static const char *extreme_of(const struct advice *a, const char *line)
{
    for (const char *at = find_name(a, line, line); at; at = find_name(a, line, at + 1)) {
        char before = at > line ? at[-1] : 0, next = *behind(a, at);
        if (before == '>' || next == '<')
            return "max";
        if (before == '<' || next == '>')
            return "min";
    }
    return NULL;
}

static const char *place(const struct advice *a, uint32_t line)
{
    const char *file = a->side[0].at->file, *slash = strrchr(file, '/');
    return hd_report_format(a->r, "%s:%u", slash ? slash + 1 : file, line);
}

/* ---- constructs ---- */

/* The innermost around the side that has one of these words. */
static const struct hd_construct *with(const struct side *s, unsigned words)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->around[i].words & words)
            return &s->around[i];
    return NULL;
}

static bool encloses(const struct side *s, const struct hd_construct *c)
{
    return c->line < s->at->line && s->at->line <= c->end;
}

static const char *kind_of(const struct hd_construct *c)
{
    static const struct {
        unsigned words;
        const char *name;
    } kinds[] = {{HD_OMP_PARALLEL | HD_OMP_LOOP, "parallel loop"},
                 {HD_OMP_TASK | HD_OMP_LOOP, "taskloop"},
                 {HD_OMP_TASK, "task"},
                 {HD_OMP_LOOP, "loop"},
                 {HD_OMP_SECTIONS, "sections construct"},
                 {HD_OMP_SINGLE, "single construct"},
                 {HD_OMP_MASTER, "master construct"},
                 {HD_OMP_PARALLEL, "parallel region"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((c->words & kinds[i].words) == kinds[i].words)
            return kinds[i].name;
    return "construct";
}

/* ---- advice ---- */

static const char *for_update(const struct advice *a)
{
    const char *extreme = NULL;
    char op = 0;
    for (int i = 0; i < 2 && !op; i++)
        op = update_of(a, a->side[i].text);
    for (int i = 0; i < 2 && !op && !extreme; i++)
        extreme = assigns(a, a->side[0].text) || assigns(a, a->side[1].text)
                      ? extreme_of(a, a->side[i].text)
                      : NULL;
    if (!op && !extreme)
        return NULL;
    bool tasks = with(&a->side[0], HD_OMP_TASK) || with(&a->side[1], HD_OMP_TASK);
    const char *atomic = op ? "#pragma omp atomic" : "#pragma omp critical";
    if (tasks || a->element || !a->common)
        return hd_report_format(a->r, "Put '%s' before the update of %s.", atomic, a->name);
    return hd_report_format(a->r,
                            "Add reduction(%.*s:%s) to the %s at %s, or '%s' before the "
                            "update.",
                            op ? 1 : 3, op ? &op : extreme, a->name, kind_of(a->common),
                            place(a, a->common->line), atomic);
}

static const char *for_tasks(const struct advice *a)
{
    const struct hd_construct *t[2] = {with(&a->side[0], HD_OMP_TASK),
                                       with(&a->side[1], HD_OMP_TASK)};
    if (!t[0] && !t[1])
        return NULL;
    if (t[0] && t[1])
        return hd_report_format(a->r,
                                "Order the tasks: depend(out: %s) at the one that writes and "
                                "depend(in: %s) at the other, or '#pragma omp taskwait' between "
                                "them.",
                                a->name, a->name);
    return hd_report_format(a->r,
                            "Put '#pragma omp taskwait' before %s: the task at %s may still "
                            "run.",
                            place(a, a->side[t[0] != NULL].at->line),
                            place(a, t[t[0] == NULL]->line));
}

/* A construct without a barrier at its end has one access and not the other. */
static const char *for_missing_barrier(const struct advice *a)
{
    for (int i = 0; i < 2; i++) {
        const struct hd_construct *master = with(&a->side[i], HD_OMP_MASTER);
        if (master && !encloses(&a->side[1 - i], master))
            return hd_report_format(a->r,
                                    "Put '#pragma omp barrier' behind the master construct at %s, "
                                    "which has none, or use single.",
                                    place(a, master->line));
        const struct hd_construct *c = with(&a->side[i], HD_OMP_NOWAIT);
        if (c && !encloses(&a->side[1 - i], c))
            return hd_report_format(a->r,
                                    "The %s at %s has nowait: remove it, or put '#pragma omp "
                                    "barrier' before %s.",
                                    kind_of(c), place(a, c->line),
                                    place(a, a->side[1 - i].at->line));
    }
    return NULL;
}

static const char *for_loop(const struct advice *a)
{
    if (!a->common || !(a->common->words & (HD_OMP_LOOP | HD_OMP_PARALLEL)))
        return NULL;
    if (a->element && a->common->words & HD_OMP_LOOP)
        return hd_report_format(a->r,
                                "Iterations of the %s at %s use what others write: write to "
                                "another array, or order them (ordered, depend(sink: ...)).",
                                kind_of(a->common), place(a, a->common->line));
    bool both = true;
    for (int i = 0; i < 2; i++)
        both = both && (!a->side[i].writes || assigns(a, a->side[i].text));
    if (a->element || !both)
        return NULL;
    return hd_report_format(a->r,
                            "Give each thread its own: private(%s) in the %s at %s, or declare it "
                            "inside.",
                            a->name, kind_of(a->common), place(a, a->common->line));
}

static const char *text_of(const struct advice *a)
{
    const char *text = for_missing_barrier(a);
    text = text ? text : for_update(a);
    text = text ? text : for_tasks(a);
    text = text ? text : for_loop(a);
    return text ? text
                : hd_report_format(a->r,
                                   "Put '#pragma omp critical' around both accesses to %s, or a "
                                   "barrier between them.",
                                   a->name);
}

/* ---- the finding ---- */

static void take_name(struct advice *a, const char *variable)
{
    size_t n = 0;
    while (is_name_char(variable[n]) && n < sizeof a->name - 1)
        n++;
    memcpy(a->name, variable, n);
    a->name[n] = 0;
    a->element = variable[n] == '[';
}

static bool take_side(struct hd_sources *s, const struct hd_access *from, struct side *out)
{
    out->at = &from->at;
    out->n = hd_constructs_around(s, &from->at, out->around);
    out->text = hd_sources_squeezed(s, from->at.file, from->at.line);
    out->writes = hd_access_only_writes(from);
    /* Without -fopenmp the directives mean nothing, and nothing is outlined. */
    return out->n > 0 && out->text && from->at.function && strstr(from->at.function, ".omp_");
}

void hd_openmp_advice_set(struct hd_report *r, struct hd_sources *s, struct hd_finding *f)
{
    struct advice a = {.r = r};
    bool same_file = f->n_accesses == 2 && f->accesses[0].at.file && f->accesses[1].at.file &&
                     !strcmp(f->accesses[0].at.file, f->accesses[1].at.file);
    if (!same_file || !f->variable)
        return;
    for (int i = 0; i < 2; i++)
        if (!take_side(s, &f->accesses[i], &a.side[i]))
            return;
    take_name(&a, f->variable);
    if (!*a.name)
        return;
    for (size_t i = 0; i < a.side[0].n && !a.common; i++)
        if (encloses(&a.side[1], &a.side[0].around[i]))
            a.common = &a.side[0].around[i];
    f->advice_text = text_of(&a);
    if (a.common && f->location && !strstr(f->location, ", shared in the "))
        f->location = hd_report_format(r, "%s, shared in the %s at %s", f->location,
                                       kind_of(a.common), place(&a, a.common->line));
}
