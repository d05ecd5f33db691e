#include "report/make/frame_names.h"

#include "log/rt_omp.h"
#include "report/make/source.h"
#include "report/make/stepsource.h"
#include "report/format/words.h"

#include <stdio.h>
#include <string.h>

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool starts_with_one(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (starts(text, *list))
            return true;
    return false;
}

bool hd_frame_names_foreign(const struct hd_frame *f)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/c++/",
                                          HD_OMP_SOURCES, NULL};
    static const char *const modules[] = {"libstdc++.so",
                                          "libc++.so",
                                          "libc++abi.so",
                                          "libc.so",
                                          "libpthread.so",
                                          "ld-linux",
                                          "libgcc_s.so",
                                          "libm.so",
                                          "libgomp.so",
                                          "libomp.so",
                                          NULL};
    static const char *const names[] = {"std::",        "__gnu_cxx::",     "__gthread",
                                        "operator new", "operator delete", NULL};
    char name[160];
    if (f->at.file)
        return starts_with_one(f->at.file, folders) || strstr(f->at.file, "/include/c++/") ||
               strstr(f->at.file, "/heddle/libstdcxx/"); /* include/heddle/libstdcxx of this tree */
    if (f->module && starts_with_one(f->module, modules))
        return true;
    return f->at.function &&
           starts_with_one(hd_frame_names_source(f->at.function, name, sizeof name), names);
}

size_t hd_frame_names_own(const struct hd_stack *s)
{
    size_t k = 0;
    while (k < s->n && hd_frame_names_foreign(&s->frames[k]))
        k++;
    return k;
}

size_t hd_frame_names_each(const struct hd_stack *s, bool all,
                           void (*see)(void *ctx, size_t number, const struct hd_frame *f),
                           void *ctx)
{
    size_t left = 0;
    all = all || hd_frame_names_own(s) == s->n;
    for (size_t k = 0; k < s->n; k++)
        if (all || !hd_frame_names_foreign(&s->frames[k]))
            see(ctx, k, &s->frames[k]);
        else
            left++;
    return left;
}

/* ---- names ---- */

enum { LONG = 48 }; /* a name of more characters loses its template arguments */

struct name {
    char *out;
    size_t len, size;
};

static void add(struct name *n, const char *text, size_t len)
{
    if (len > n->size - 1 - n->len)
        len = n->size - 1 - n->len;
    memcpy(n->out + n->len, text, len);
    n->len += len;
    n->out[n->len] = 0;
}

/* Behind the template arguments that begin at `text`; their brackets may stand in an arrow. */
static const char *skip_arguments(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += *text == '<';
        if (*text == '>' && text[-1] != '-' && --depth == 0)
            return text + 1;
    }
    return text;
}

/* "operator<<", "operator()", "operator new": how long the name at text is. */
static size_t operator_length(const char *text)
{
    static const char *const signs[] = {
        "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&",
        "||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|=", "->", "+",
        "-",   "*",   "/",   "%",   "^",  "&",  "|",  "~",  "!",  "=",  "<",  ">",  ","};
    size_t n = strlen("operator");
    if (!starts(text, "operator") || !text[n])
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) /* "operator-<int>" has arguments */
        if (starts(text + n, signs[i]))
            return n + strlen(signs[i]);
    return text[n] == ' ' ? n + 1 + strcspn(text + n + 1, "(<") : 0;
}

/* The type of the result may be an expression: "decltype (...) std::construct_at<...>". */
static const char *skip_decltype(const char *text)
{
    int depth = 0;
    if (!starts(text, "decltype"))
        return text;
    for (const char *p = text; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p == ')' && depth == 0)
            return p + 1 + (p[1] == ' ');
    }
    return text;
}

/* keep: with template arguments. */
static void shorten(const char *text, bool keep, struct name *n)
{
    static const char hidden[] = "(anonymous namespace)";
    n->len = 0;
    n->out[0] = 0;
    text = skip_decltype(text);
    while (*text) {
        size_t op = operator_length(text);
        if (op || starts(text, hidden)) {
            op = op ? op : strlen(hidden);
            add(n, text, op);
            text += op;
        } else if (*text == '<') {
            const char *end = skip_arguments(text);
            add(n, keep ? text : "<...>", keep ? (size_t)(end - text) : 5);
            text = end;
        } else if (*text == '(') {
            return; /* parameters */
        } else {
            if (*text == ' ' && text[1] != '<')
                n->len = 0; /* that was the type of the result */
            else if (*text != ' ')
                add(n, text, 1);
            text++;
        }
    }
}

/* The compiler makes a function of each region: ".omp_outlined._debug__.3", or
 * "main.omp_outlined". */
static bool name_region(const char *function, char *out, size_t size)
{
    const char *mark = strstr(function, ".omp_outlined");
    if (!mark && !strncmp(function, ".omp_task", 9))
        mark = function;
    if (!mark)
        return false;
    snprintf(out, size, "OpenMP region%s%.*s", mark > function ? " of " : "",
             (int)(mark - function), function);
    return true;
}

/* "main::$_0::operator()() const", "main::{lambda(int)#1}::operator()(int) const": "lambda in
 * main". */
static bool name_lambda(const char *function, char *out, size_t size)
{
    static const char *const marks[] = {"::$_", "::{lambda("};
    const char *mark = NULL;
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(function, marks[i]);
        mark = at && (!mark || at < mark) ? at : mark;
    }
    if (!mark || !strstr(mark, "::operator()"))
        return false;
    char outer[400], name[400];
    snprintf(outer, sizeof outer, "%.*s", (int)(mark - function), function);
    snprintf(out, size, "lambda in %s", hd_frame_names_source(outer, name, sizeof name));
    return true;
}

const char *hd_frame_names_source(const char *function, char *out, size_t size)
{
    struct name n = {out, 0, size};
    if (name_region(function, out, size) || name_lambda(function, out, size))
        return out;
    shorten(function, true, &n);
    if (n.len > LONG)
        shorten(function, false, &n);
    if (!n.len)
        add(&n, function, strlen(function));
    return out;
}

/* ---- threads ---- */

const char *hd_frame_names_variable(const char *name, char *out, size_t size)
{
    struct name n = {out, 0, size};
    bool keep = strlen(name) <= LONG;
    out[0] = 0;
    while (*name) {
        size_t len = 1;
        if (*name == '<' && !keep && skip_arguments(name) > name + 2) {
            len = (size_t)(skip_arguments(name) - name);
            add(&n, "<...>", 5);
        } else {
            add(&n, name, 1);
        }
        name += len;
    }
    return out;
}

const char *hd_frame_names_role(struct hd_report *r, const char *title)
{
    static const char *const foreign[] = {"execute_native_thread_routine", "std::", "__", "??",
                                          NULL};
    char name[400];
    if (!*title)
        return NULL;
    hd_frame_names_source(title, name, sizeof name);
    return starts_with_one(name, foreign) || starts_with_one(title, foreign)
               ? NULL
               : hd_report_text(r, name);
}

/* The outermost of the program's own functions. */
static const char *first_function(const struct hd_stack *s)
{
    for (size_t k = s->n; k-- > 0;)
        if (s->frames[k].at.function && s->frames[k].at.file &&
            !hd_frame_names_foreign(&s->frames[k]))
            return s->frames[k].at.function;
    return NULL;
}

static void lift_role(struct hd_report *r, const struct hd_finding *f, struct hd_thread_made *t)
{
    for (size_t i = 0; i < f->n_accesses && !t->role; i++) {
        const struct hd_access *a = &f->accesses[i];
        const char *first =
            !strcmp(a->thread, t->name) && !f->stacks ? first_function(&a->stack) : NULL;
        t->role = first ? hd_frame_names_role(r, first) : NULL;
    }
}

/* ---- places ---- */

/* The place of the innermost own frame, when the innermost of all is not one. */
static const struct hd_spot *own_place(const struct hd_stack *s)
{
    size_t k = hd_frame_names_own(s);
    return k > 0 && k < s->n && s->frames[k].at.file ? &s->frames[k].at : NULL;
}

static void lift_steps(struct hd_finding *f, uint64_t event, const struct hd_spot *at)
{
    for (size_t i = 0; at && event && i < f->n_steps; i++)
        if (f->steps[i].event == event)
            f->steps[i].at = *at;
}

static void lift_access(struct hd_report *r, struct hd_finding *f, struct hd_access *a,
                        struct hd_sources *sources)
{
    const struct hd_spot *at = own_place(&a->stack);
    if (at) {
        a->at = *at;
        hd_sources_snippet(sources, r, at, &a->source);
    } else if (a->stack.n && a->stack.frames[0].at.function) {
        a->at.function = a->stack.frames[0].at.function; /* with its class */
    }
    lift_steps(f, a->event, at);
    for (size_t k = 0; k < a->n_locks; k++) {
        at = own_place(&a->locks[k].stack);
        if (at)
            a->locks[k].taken = *at;
        lift_steps(f, a->locks[k].event, at);
    }
}

/* operator new is where every block comes from. */
static void lift_block(struct hd_report *r, struct hd_finding *f)
{
    static const char from[] = " from ";
    const struct hd_spot *at = own_place(&f->block_stack);
    const char *end = at && f->location ? strstr(f->location, from) : NULL;
    if (!end || !starts(f->location, "heap block"))
        return;
    bool named = strcmp(f->variable, f->location) != 0;
    f->location = hd_report_format(r, "%.*s%s:%u", (int)(end - f->location) + (int)strlen(from),
                                   f->location, at->file, at->line);
    if (!named)
        f->variable = f->location;
}

void hd_frame_names_lift(struct hd_report *r, struct hd_finding *f, struct hd_sources *sources)
{
    for (size_t i = 0; i < f->n_accesses; i++)
        lift_access(r, f, &f->accesses[i], sources);
    for (size_t i = 0; i < f->n_threads; i++) {
        const struct hd_spot *at = own_place(&f->threads[i].stack);
        if (at)
            f->threads[i].at = *at;
        lift_role(r, f, &f->threads[i]);
        lift_steps(f, f->threads[i].event, at);
    }
    for (size_t i = 0; i < f->n_locks; i++) {
        const struct hd_spot *at = own_place(&f->locks[i].stack);
        if (at)
            f->locks[i].at = *at;
    }
    lift_block(r, f);
    f->n_sources = 0;
    hd_stepsource_set(r, f, sources);
    const char *why = f->n_threads ? hd_words_why(r->arena, f) : NULL;
    f->why = why ? why : f->why;
}
