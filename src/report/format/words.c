#include "report/format/words.h"

#include "report/make/frame_names.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *hd_words_format(struct hd_arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = hd_arena_alloc(a, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

static const char *property(enum hd_property p)
{
    static const char *const names[HD_PROPERTIES] = {"Data race", "Atomicity violation", "Deadlock",
                                                     "Failure"};
    return names[p];
}

bool hd_words_unordered(const struct hd_finding *f)
{
    return f->form && !strcmp(f->form, hd_race_forms[1]);
}

/* ---- what kind of race ---- */

/* What a race is for users. */
enum hd_race_shape {
    HD_SHAPE_PLAIN,
    HD_SHAPE_FREED,       /* with the free of the memory */
    HD_SHAPE_FREED_TWICE, /* of two frees */
    HD_SHAPE_LEFT,        /* with the end of a local's life */
    HD_SHAPE_ENDED,       /* with the call that destroys a lock or the like */
    HD_SHAPE_ENDED_TWICE,
    HD_SHAPE_DESTROYED, /* on the pointer to the virtual functions */
    HD_SHAPE_BITS,      /* bit-fields in the same bytes */
    HD_SHAPE_CONTAINER, /* inside an object of the C++ library */
};

static enum hd_race_shape shape_of(const struct hd_finding *f)
{
    int frees = 0, ends = 0, leaves = 0;
    if (f->property != HD_PROPERTY_RACE)
        return HD_SHAPE_PLAIN;
    for (size_t i = 0; i < f->n_accesses; i++) {
        frees += hd_access_frees(&f->accesses[i]);
        ends += hd_access_ends(&f->accesses[i]);
        leaves += hd_access_leaves(&f->accesses[i]);
    }
    if (frees)
        return frees == 1 ? HD_SHAPE_FREED : HD_SHAPE_FREED_TWICE;
    if (leaves)
        return HD_SHAPE_LEFT;
    if (ends)
        return ends == 1 ? HD_SHAPE_ENDED : HD_SHAPE_ENDED_TWICE;
    if (strstr(f->variable, "(vtable pointer)") || strstr(f->variable, "._vptr$"))
        return HD_SHAPE_DESTROYED;
    if (f->location && strstr(f->location, ", bit-fields"))
        return HD_SHAPE_BITS;
    return f->location && strstr(f->location, ", a std::") && !strstr(f->location, "std::atomic")
               ? HD_SHAPE_CONTAINER
               : HD_SHAPE_PLAIN;
}

#define ENDED(word)                                                                                \
    {                                                                                              \
        "destroy " word, "use of destroyed " word, "double destroy of " word                       \
    }

static const char *kind_of_ended(const struct hd_finding *f, enum hd_race_shape shape)
{
    static const struct {
        const char *access, *used, *twice;
    } kinds[] = {ENDED("mutex"),     ENDED("rwlock"),
                 ENDED("spinlock"),  ENDED("condition variable"),
                 ENDED("semaphore"), ENDED("barrier")};
    for (size_t i = 0; i < f->n_accesses; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (!strcmp(f->accesses[i].kind, kinds[k].access))
                return shape == HD_SHAPE_ENDED ? kinds[k].used : kinds[k].twice;
    return shape == HD_SHAPE_ENDED ? "use of a destroyed object" : "double destroy";
}

/* ---- calls into an object of the C++ library ---- */

/* "push_back" of "std::vector<int>::push_back(int&&)". */
static const char *member_of(struct hd_arena *a, const char *function)
{
    char name[400];
    const char *text = hd_frame_names_source(function, name, sizeof name), *start = text;
    int depth = 0;
    for (const char *p = text; *p && (*p != '(' || depth); p++) {
        bool is_operator = !strncmp(start, "operator", 8);
        depth += is_operator ? 0 : (*p == '<') - (*p == '>');
        if (!depth && p[0] == ':' && p[1] == ':')
            start = p + 2;
    }
    size_t n = strcspn(start, strncmp(start, "operator", 8) ? "(<" : "(");
    return n ? hd_words_format(a, "%.*s", (int)n, start) : NULL;
}

/* What the program called of the library; NULL: not known. */
static const char *called_by(struct hd_arena *a, const struct hd_access *x)
{
    for (size_t i = 1; i < x->stack.n; i++)
        if (!hd_frame_names_foreign(&x->stack.frames[i])) {
            const struct hd_frame *last = &x->stack.frames[i - 1];
            bool known = hd_frame_names_foreign(last) && last->at.function;
            return known ? member_of(a, last->at.function) : NULL;
        }
    return NULL;
}

const char *hd_words_what(struct hd_arena *a, const struct hd_finding *f)
{
    if (shape_of(f) != HD_SHAPE_CONTAINER || f->n_accesses != 2 || hd_words_unordered(f))
        return hd_words_kind(f);
    const char *first = called_by(a, &f->accesses[0]), *second = called_by(a, &f->accesses[1]);
    if (!first || !second)
        return hd_words_kind(f);
    bool same = !strcmp(first, second);
    return hd_words_format(a, "concurrent %s%s%s", first, same ? "" : " and ", same ? "" : second);
}

const char *hd_words_joint(const struct hd_finding *f)
{
    switch (shape_of(f)) {
    case HD_SHAPE_FREED:
    case HD_SHAPE_FREED_TWICE:
        return " of ";
    case HD_SHAPE_LEFT:
        return ": ";
    case HD_SHAPE_ENDED:
    case HD_SHAPE_ENDED_TWICE:
        return " ";
    default:
        return " on ";
    }
}

const char *hd_words_kind(const struct hd_finding *f)
{
    static const char *const names[HD_PROPERTIES] = {"data race", "atomicity violation", "deadlock",
                                                     "failure"};
    static const char *const shapes[] = {[HD_SHAPE_FREED] = "use after free",
                                         [HD_SHAPE_FREED_TWICE] = "double free",
                                         [HD_SHAPE_LEFT] = "use of a dead stack frame",
                                         [HD_SHAPE_DESTROYED] = "virtual call during destruction"};
    enum hd_race_shape shape = shape_of(f);
    if (shape < sizeof shapes / sizeof *shapes && shapes[shape])
        return shapes[shape];
    if (shape == HD_SHAPE_ENDED || shape == HD_SHAPE_ENDED_TWICE)
        return kind_of_ended(f, shape);
    return hd_words_unordered(f) ? "unordered race" : names[f->property];
}

const char *hd_words_proof(const struct hd_finding *f, char *text, size_t size)
{
    if (f->status == HD_FINDING_CONFIRMED && f->met_in)
        snprintf(text, size, "confirmed with %.40s", f->met_in);
    else if (f->status == HD_FINDING_CONFIRMED)
        snprintf(text, size, "confirmed %u of %u", f->replays_confirmed, f->replays_tried);
    else
        snprintf(text, size, "%s",
                 f->status == HD_FINDING_OBSERVED ? "observed"
                 : f->refuted                     ? "predicted, refuted by replay"
                                                  : "predicted, not confirmed");
    return text;
}

/* What the thread does, when that is known. */
static const char *role_of(const struct hd_finding *f, const char *thread)
{
    for (size_t i = 0; i < f->n_threads; i++)
        if (!strcmp(f->threads[i].name, thread))
            return f->threads[i].role;
    return NULL;
}

const char *hd_words_thread(struct hd_arena *a, const struct hd_finding *f, const char *thread)
{
    const char *role = role_of(f, thread);
    return role ? hd_words_format(a, "%s (%s)", role, thread) : thread;
}

/* "write in deposit (T1.1)". */
static const char *title_words(struct hd_arena *a, const struct hd_access *x)
{
    char name[400];
    if (x->at.function)
        return hd_words_format(a, "%s in %s (%s)", x->kind,
                               hd_frame_names_source(x->at.function, name, sizeof name), x->thread);
    return hd_words_format(a, "%s at %s (%s)", x->kind, hd_words_spot(a, &x->at), x->thread);
}

const char *hd_words_heading(struct hd_arena *a, const struct hd_finding *f)
{
    if (f->property == HD_PROPERTY_FAILURE && f->effects[0].summary)
        return hd_words_format(a, "Failure: %s", f->effects[0].summary);
    enum hd_race_shape shape = shape_of(f);
    const char *kind = hd_words_kind(f);
    if (shape == HD_SHAPE_FREED || shape == HD_SHAPE_FREED_TWICE || shape == HD_SHAPE_DESTROYED)
        return hd_words_format(a, "%c%s of '%s'", toupper((unsigned char)*kind), kind + 1,
                               f->variable);
    if (shape == HD_SHAPE_LEFT)
        return hd_words_format(a, "%c%s: '%s'", toupper((unsigned char)*kind), kind + 1,
                               f->variable);
    if (shape == HD_SHAPE_ENDED || shape == HD_SHAPE_ENDED_TWICE)
        return hd_words_format(a, "%c%s '%s'", toupper((unsigned char)*kind), kind + 1,
                               f->variable);
    const char *what = hd_words_what(a, f);
    if (shape == HD_SHAPE_CONTAINER && what != kind)
        return hd_words_format(a, "C%s on '%s'", what + 1, f->variable);
    return hd_words_format(a, "%s %s '%s'",
                           hd_words_unordered(f) ? "Unordered race" : property(f->property),
                           f->property == HD_PROPERTY_DEADLOCK  ? "around"
                           : f->property == HD_PROPERTY_FAILURE ? "after"
                                                                : "on",
                           f->variable);
}

const char *hd_words_title(struct hd_arena *a, const struct hd_finding *f)
{
    const char *text = hd_words_heading(a, f);
    for (size_t i = 0; i < f->n_accesses; i++)
        text = hd_words_format(a, "%s%s%s", text,
                               i == 0                  ? ": "
                               : i + 1 < f->n_accesses ? ", "
                                                       : " and ",
                               title_words(a, &f->accesses[i]));
    return text;
}

const char *hd_words_status(struct hd_arena *a, const struct hd_finding *f)
{
    if (f->status == HD_FINDING_OBSERVED)
        return "seen in the recorded run";
    if (f->status == HD_FINDING_CONFIRMED && f->met_in)
        return hd_words_format(a, "confirmed in a replay of %s", f->met_in);
    if (f->status == HD_FINDING_CONFIRMED)
        return hd_words_format(a, "confirmed by %u of %u replays", f->replays_confirmed,
                               f->replays_tried);
    return hd_words_format(a, "predicted, %s%s%s",
                           f->refuted ? "refuted by replay" : "not confirmed",
                           f->reason ? ": " : "", f->reason ? f->reason : "");
}

const char *hd_words_unfinished(struct hd_arena *a, const struct hd_report *r)
{
    size_t open = hd_report_open(r);
    const char *text = hd_report_errors(r) ? "not all is decided:" : "nothing was found, but",
               *also = "";
    if (!hd_report_unfinished(r))
        return NULL;
    if (r->interrupted) {
        text = hd_words_format(a, "%s the run was interrupted", text);
        also = ",";
    }
    if (r->cut) {
        text =
            hd_words_format(a, "%s%s a recording was not made or analysed to its end", text, also);
        also = ",";
    }
    if (r->undecided) {
        text = hd_words_format(a, "%s%s %llu %s undecided", text, also,
                               (unsigned long long)r->undecided,
                               r->undecided == 1 ? "pair is" : "pairs are");
        also = ",";
    }
    if (open) {
        text = hd_words_format(a, "%s%s %zu %s neither confirmed nor refuted", text, also, open,
                               open == 1 ? "prediction is" : "predictions are");
        also = ",";
    }
    if (r->unseen.n)
        text = hd_words_format(a, "%s%s %s", text, also, r->unseen.items[0]);
    return text;
}

const char *hd_words_spot(struct hd_arena *a, const struct hd_spot *at)
{
    if (!at->file)
        return "an unknown place";
    if (!at->line)
        return at->file;
    if (!at->column)
        return hd_words_format(a, "%s:%u", at->file, at->line);
    return hd_words_format(a, "%s:%u:%u", at->file, at->line, at->column);
}

const char *hd_words_frame(struct hd_arena *a, const struct hd_frame *f)
{
    const char *place = f->at.file || !f->module ? hd_words_spot(a, &f->at) : f->module;
    char name[400];
    return hd_words_format(
        a, "%s %s",
        f->at.function ? hd_frame_names_source(f->at.function, name, sizeof name) : "??", place);
}

const char *hd_words_step(struct hd_arena *a, const struct hd_schedule_step *s)
{
    const char *words = s->op;
    bool has_value = true;
    for (int op = 0; op < HD_OP_COUNT; op++)
        if (!strcmp(hd_op_info[op].text, s->op)) {
            words = hd_op_info[op].words;
            has_value = hd_op_is_access((enum hd_op)op);
        }
    has_value = has_value && s->value;
    const char *order = s->order ? s->order : "";
    for (int i = 0; s->order && i < HD_ORDER_COUNT; i++)
        if (!strcmp(s->order, hd_mem_order_info[i].text))
            order = hd_mem_order_info[i].word;
    return hd_words_format(a, "%s%s%s%s%s%s%s%s", words, s->object ? " " : "",
                           s->object ? s->object : "", has_value ? " = " : "",
                           has_value ? s->value : "", *order ? " (" : "", order, *order ? ")" : "");
}

const char *hd_words_locks(struct hd_arena *a, const struct hd_access *x)
{
    const char *text = x->n_locks ? "" : "none";
    for (size_t i = 0; i < x->n_locks; i++)
        text = hd_words_format(a, "%s%s%s%s", text, i ? ", " : "", x->locks[i].name,
                               x->locks[i].shared ? " (read side)" : "");
    return text;
}

const char *hd_words_access(struct hd_arena *a, const struct hd_finding *f,
                            const struct hd_access *x)
{
    char name[400] = "";
    const char *role = role_of(f, x->thread);
    if (x->at.function)
        hd_frame_names_source(x->at.function, name, sizeof name);
    bool waits = f->property == HD_PROPERTY_DEADLOCK && x->value;
    bool placed = x->at.file && *x->at.file;
    bool known = !*name || (role && !strcmp(role, name));
    return hd_words_format(a, "%s%s%s by %s%s%s%s%s", x->kind, waits ? " " : "",
                           waits ? x->value : "", hd_words_thread(a, f, x->thread),
                           known ? "" : " in ", known ? "" : name, placed ? " " : "",
                           placed ? hd_words_spot(a, &x->at) : "");
}

static bool lacks(const struct hd_access *x, const char *lock)
{
    for (size_t i = 0; i < x->n_locks; i++)
        if (!strcmp(x->locks[i].name, lock))
            return false;
    return true;
}

/* A write of several threads at once is possible under the read side of a lock. */
static bool writes_under_read_side(const struct hd_access *x, const char *lock)
{
    for (size_t i = 0; i < x->n_locks; i++)
        if (!strcmp(x->locks[i].name, lock))
            return x->locks[i].shared && !hd_access_only_reads(x);
    return false;
}

/* "a.c:3 and a.c:9": the accesses of which `that` is true, each place once. */
static const char *places_that(struct hd_arena *a, const struct hd_finding *f,
                               bool (*that)(const struct hd_access *, const char *lock))
{
    const char *places = "";
    for (size_t i = 0; i < f->n_accesses; i++) {
        const char *place = hd_words_spot(a, &f->accesses[i].at);
        if (that(&f->accesses[i], f->advice_lock) && !strstr(places, place))
            places = hd_words_format(a, "%s%s%s", places, *places ? " and " : "", place);
    }
    return places;
}

static bool waits_for(const struct hd_finding *f, const char *what)
{
    for (size_t i = 0; i < f->n_accesses; i++)
        if (strstr(f->accesses[i].kind, what))
            return true;
    return false;
}

/* Opposite orders are what to look for only where every thread waits for a lock. */
static const char *deadlock_advice(const struct hd_finding *f)
{
    if (waits_for(f, "for condition"))
        return "A signal for which no thread waits yet is lost. Change what is waited for, "
               "and look at it in a loop around the wait, both with the lock held.";
    if (waits_for(f, "for semaphore"))
        return "No thread is left that could post the semaphore.";
    if (waits_for(f, "for barrier"))
        return "Fewer threads come to the barrier than it waits for.";
    if (waits_for(f, "for thread") || waits_for(f, "for futex") || waits_for(f, "for event"))
        return f->n_accesses > 1 ? "What a thread waits for must not depend on what it holds."
                                 : NULL;
    if (waits_for(f, "wake and") || waits_for(f, "time out and"))
        return "A wait gives up only its own lock: do not hold another one while waiting.";
    return f->n_accesses > 1 ? "Take these locks in the same order everywhere."
                             : "The thread waits for itself: give the lock back first, or make it "
                               "recursive.";
}

/* What users do about such a race when no lock suggests itself. */
static const char *shape_advice(struct hd_arena *a, const struct hd_finding *f)
{
    const char *what = f->location ? strstr(f->location, "std::") : NULL;
    switch (shape_of(f)) {
    case HD_SHAPE_FREED:
        return "Free it when no thread uses it any more: join the threads first, or count the "
               "users "
               "(std::shared_ptr).";
    case HD_SHAPE_FREED_TWICE:
        return "Let one owner free it, behind the join of the others.";
    case HD_SHAPE_LEFT:
        return "Wait for the thread before the scope ends, or give it memory of its own: a copy, "
               "malloc, std::shared_ptr.";
    case HD_SHAPE_ENDED:
        return "Destroy it when no thread can use it any more: join the threads first.";
    case HD_SHAPE_ENDED_TWICE:
        return "Let one owner destroy it, behind the join of the others.";
    case HD_SHAPE_DESTROYED:
        return "Join the threads that use the object before its destructor runs: at the latest in "
               "the destructor of the most derived class.";
    case HD_SHAPE_BITS:
        return "Bit-fields next to each other are one object: take one lock around all of them, or "
               "put a field of width 0 between.";
    case HD_SHAPE_CONTAINER:
        return hd_words_format(
            a,
            "Nothing may be done with a %s while another thread changes it: take "
            "one lock around all uses of '%s'.",
            what ? what : "container", f->variable);
    case HD_SHAPE_PLAIN:
        break;
    }
    return NULL;
}

const char *hd_words_advice(struct hd_arena *a, const struct hd_finding *f)
{
    if (f->property == HD_PROPERTY_DEADLOCK)
        return deadlock_advice(f);
    enum hd_race_shape shape = shape_of(f);
    bool ends = shape >= HD_SHAPE_FREED && shape <= HD_SHAPE_ENDED_TWICE;
    if (!f->advice_lock || ends) /* what is gone is gone, lock or not */
        return f->advice_text && !ends ? f->advice_text : shape_advice(a, f);
    const char *text =
        f->advice_of
            ? hd_words_format(a, "%u of %u accesses to '%s' hold '%s'.", f->advice_held,
                              f->advice_of, f->variable, f->advice_lock)
            : hd_words_format(a, "Accesses to '%s' hold '%s'.", f->variable, f->advice_lock);
    const char *places = places_that(a, f, lacks);
    if (!*places) {
        places = places_that(a, f, writes_under_read_side);
        return *places ? hd_words_format(a, "%s Take its write side around %s.", text, places)
                       : text;
    }
    if (f->advice_outside)
        return hd_words_format(a,
                               "%s Take it around %s too, before '%s': elsewhere '%s' is taken "
                               "inside it, and the opposite order could deadlock.",
                               text, places, f->advice_outside, f->advice_outside);
    return hd_words_format(a, "%s Take it around %s too.", text, places);
}

const char *hd_words_effect(const struct hd_finding *f, int which)
{
    return f->effects[which].summary ? f->effects[which].summary : "not run";
}

/* ---- what the two orders did, in a sentence ---- */

static bool is_bad(const struct hd_effect *e)
{
    return e->signal || e->deadlock || e->timeout || e->assertion;
}

/* The first line of the difference that begins with `mark`, in quotes; NULL: none. */
static const char *differing(struct hd_arena *a, const char *diff, char mark)
{
    enum { SHOWN = 60 };
    for (const char *at = diff; at && *at;) {
        size_t len = strcspn(at, "\n");
        if (*at == mark)
            return hd_words_format(a, "\"%.*s%s\"", (int)(len - 1 < SHOWN ? len - 1 : SHOWN),
                                   at + 1, len - 1 > SHOWN ? "..." : "");
        at += len + (at[len] == '\n');
    }
    return NULL;
}

/* "T1.2 reads 0 or 5": a value that depends on the order. */
static const char *differing_value(struct hd_arena *a, const struct hd_finding *f)
{
    const struct hd_texts *x = &f->effects[0].values, *y = &f->effects[1].values;
    for (size_t i = 0; i < f->n_accesses && i < x->n && i < y->n; i++)
        if (hd_access_only_reads(&f->accesses[i]) && x->items[i] && y->items[i] &&
            strcmp(x->items[i], y->items[i]) != 0)
            return hd_words_format(a, "%s reads %s or %s",
                                   hd_words_thread(a, f, f->accesses[i].thread), x->items[i],
                                   y->items[i]);
    return NULL;
}

/* "T1.2 reads freed memory: 0x5555": what is left to say when neither order shows it. */
static const char *dead_value(struct hd_arena *a, const struct hd_finding *f)
{
    for (size_t end = 0; end < 2; end++) {
        const struct hd_access *x = &f->accesses[!end];
        const struct hd_texts *values = &f->effects[end].values;
        bool frees = hd_access_frees(&f->accesses[end]);
        if ((!frees && !hd_access_leaves(&f->accesses[end])) || hd_access_frees(x))
            continue;
        const char *who = hd_words_thread(a, f, x->thread);
        const char *what = frees ? "freed memory" : "a dead stack frame";
        if (!hd_access_only_reads(x))
            return hd_words_format(a, "%s changes %s", who, what);
        return values->n > !end && values->items[!end]
                   ? hd_words_format(a, "%s reads %s: %s", who, what, values->items[!end])
                   : hd_words_format(a, "%s reads %s", who, what);
    }
    return NULL;
}

const char *hd_words_effects(struct hd_arena *a, const struct hd_finding *f)
{
    const struct hd_effect *e = f->effects;
    if (f->property != HD_PROPERTY_RACE || f->n_accesses < 2)
        return f->property == HD_PROPERTY_FAILURE ? NULL : e[0].summary;
    if (!e[0].summary || !e[1].summary)
        return e[0].summary ? e[0].summary : e[1].summary;
    if (strcmp(e[0].summary, e[1].summary) != 0) {
        int worse = is_bad(&e[1]) && !is_bad(&e[0]);
        const struct hd_access *first = &f->accesses[worse];
        return hd_words_format(a, "%s when the %s of %s comes first, else %s", e[worse].summary,
                               first->kind, hd_words_thread(a, f, first->thread),
                               e[!worse].summary);
    }
    const char *diff = e[0].output_diff ? e[0].output_diff : e[1].output_diff;
    const char *minus = differing(a, diff, '-'), *plus = differing(a, diff, '+');
    if (minus && plus)
        return hd_words_format(a, "it writes %s or %s", minus, plus);
    if (minus || plus)
        return hd_words_format(a, "it writes %s in one order only", minus ? minus : plus);
    const char *value = dead_value(a, f);
    value = value ? value : differing_value(a, f);
    return value ? hd_words_format(a, "%s; both orders end alike: %s", value, e[0].summary)
                 : hd_words_format(a, "both orders end alike: %s", e[0].summary);
}

/* One word for a shell, quoted when it must be. Control characters take the $'...' form: a command
 * that is pasted must not contain a line end of its own. */
const char *hd_words_shell(struct hd_arena *a, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._/=+:,@%";
    if (*word && !word[strspn(word, plain)])
        return word;
    bool control = false;
    for (const unsigned char *p = (const unsigned char *)word; *p; p++)
        control = control || *p < 0x20 || *p == 0x7f;
    char *text = hd_arena_alloc(a, 4 * strlen(word) + 4), *t = text;
    if (control)
        *t++ = '$';
    *t++ = '\'';
    for (const unsigned char *p = (const unsigned char *)word; *p; p++)
        if (control && (*p < 0x20 || *p == 0x7f))
            t += sprintf(t, "\\%03o", *p);
        else if (control && (*p == '\'' || *p == '\\'))
            t += sprintf(t, "\\%c", *p);
        else if (*p == '\'')
            t += sprintf(t, "'\\''");
        else
            *t++ = (char)*p;
    *t++ = '\'';
    *t = 0;
    return text;
}

static const char *program_words(struct hd_arena *a, const struct hd_report *r)
{
    const char *text = "";
    for (size_t i = 0; i < r->program.n; i++)
        text = hd_words_format(a, "%s %s", text, hd_words_shell(a, r->program.items[i]));
    return *text ? hd_words_format(a, " --%s", text) : "";
}

const char *hd_words_replay(struct hd_arena *a, const struct hd_report *r,
                            const struct hd_finding *f, const char *option)
{
    if (!f->witness)
        return NULL;
    const char *path = f->witness;
    if (*path != '/' && r->directory && strcmp(r->directory, "."))
        path = hd_words_format(a, "%s/%s", r->directory, path);
    return hd_words_format(a, "heddle replay%s%s %s", *option ? " " : "", option,
                           hd_words_shell(a, path));
}

const char *hd_words_command(struct hd_arena *a, const struct hd_report *r, const char *verb)
{
    return hd_words_format(a, "heddle %s%s", verb, program_words(a, r));
}

const char *hd_words_path(const char *root, const char *file)
{
    size_t len = root ? strlen(root) : 0;
    while (len && root[len - 1] == '/')
        len--;
    if (!len || strncmp(file, root, len) || file[len] != '/')
        return file;
    file += len;
    while (*file == '/')
        file++;
    return *file ? file : ".";
}

const char *hd_words_suppression(struct hd_arena *a, const struct hd_finding *f)
{
    return hd_words_format(a, "id:%s", f->id);
}

const char *hd_words_lock_made(const struct hd_lock_made *l)
{
    return l->made ? "made" : "first taken";
}

static const char *why_deadlock(struct hd_arena *a, const struct hd_finding *f)
{
    const char *text = "";
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_access *x = &f->accesses[i];
        text = hd_words_format(a, "%s%s%s holds %s and waits for %s", text, i ? ", " : "",
                               x->thread, hd_words_locks(a, x), x->value ? x->value : "another");
    }
    return hd_words_format(a, "%s. None of them gives way.", text);
}

const char *hd_words_why(struct hd_arena *a, const struct hd_finding *f)
{
    if (f->property == HD_PROPERTY_DEADLOCK)
        return why_deadlock(a, f);
    if (f->property != HD_PROPERTY_ATOMICITY || f->n_accesses != 3)
        return NULL;
    const struct hd_access *x = f->accesses;
    return hd_words_format(a,
                           "%s does a %s at %s and a %s at %s as if they were one step, but "
                           "nothing keeps the %s of %s from coming in between.",
                           x[0].thread, x[0].kind, hd_words_spot(a, &x[0].at), x[2].kind,
                           hd_words_spot(a, &x[2].at), x[1].kind, x[1].thread);
}
