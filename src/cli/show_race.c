#include "cli/show_race.h"

#include "cli/common.h"
#include "predict/search/shorten.h"
#include "report/format/page.h"
#include "report/make/why.h"

#include <string.h>

static const char *place_of(const struct hd_trace *t, hd_eid e)
{
    const char *place = hd_trace_place_name(t, e);
    return *place ? place : "an unknown place";
}

/* What the thread of e holds just before e: "lock m, shared r", found by walking back its events.
 */
void hd_show_race_locks(const struct hd_trace *t, hd_eid e)
{
    size_t locks = hd_trace_n_objs(t, HD_OBJ_LOCK), n;
    struct hd_u32vec depth[2] = {{0}, {0}}; /* by lock: exclusive, shared */
    for (size_t i = 0; i < 2 * locks; i++)
        hd_u32vec_push(&depth[i % 2], 0);
    const hd_eid *events = hd_trace_thread_events(t, t->thread[e], &n);
    for (uint32_t i = 0; i < t->pos[e]; i++) {
        enum hd_op op = t->op[events[i]];
        if (hd_op_info[op].kind != HD_OBJ_LOCK && !hd_op_info[op].has_lock)
            continue;
        uint32_t lock = hd_trace_lock(t, events[i]);
        if (op == HD_OP_ACQ || op == HD_OP_RACQ)
            depth[op == HD_OP_RACQ].data[lock]++;
        else if (op == HD_OP_REL || op == HD_OP_RREL)
            depth[op == HD_OP_RREL].data[lock]--;
    }
    const char *separator = "";
    for (uint32_t lock = 0; lock < locks; lock++)
        for (int shared = 0; shared < 2; shared++)
            if (depth[shared].data[lock]) {
                printf("%s%s%s", separator, hd_trace_obj_name(t, HD_OBJ_LOCK, lock),
                       shared ? " (read side)" : "");
                separator = ", ";
            }
    if (!*separator)
        printf("no lock");
    hd_u32vec_fini(&depth[0]);
    hd_u32vec_fini(&depth[1]);
}

void hd_show_race_access(const struct hd_trace *t, hd_eid e)
{
    printf("  %s by %s at %s (event %u), holding ", hd_op_info[t->op[e]].words,
           hd_trace_thread_name(t, t->thread[e]), place_of(t, e), e + 1);
    hd_show_race_locks(t, e);
    printf("\n");
}

static void print_why(const struct hd_trace *t, const struct hd_witness *w)
{
    char why[1024];
    struct hd_page page;
    hd_why_race(t, w, NULL, why, sizeof why);
    hd_page_init(&page, stdout, false);
    hd_page_begin(&page, 2, 7);
    hd_page_words(&page, "Why: %s", why);
    hd_page_end(&page);
}

/* ---- schedule ---- */

static bool is_sync(enum hd_op op)
{
    return !hd_op_is_access(op) && op != HD_OP_BRANCH && op != HD_OP_BEGIN && op != HD_OP_END;
}

/* " acq(m) a.c:11": one event, short. Returns the columns used. */
static int print_event(const struct hd_trace *t, hd_eid e, char *text, size_t size)
{
    const struct hd_op_info *info = &hd_op_info[t->op[e]];
    const char *object = info->kind == HD_OBJ_NONE ? ""
                         : info->kind == HD_OBJ_THREAD
                             ? hd_trace_thread_name(t, t->obj[e])
                             : hd_trace_obj_name(t, info->kind, t->obj[e]);
    return snprintf(text, size, "%s(%s) %s", info->text, object, hd_trace_place_name(t, e));
}

/* One stretch of one thread: its synchronisation, as many as fit, and its last event. */
static void print_stretch(const struct hd_trace *t, const hd_eid *events, size_t n, int width)
{
    char text[256];
    int column = printf("    %-*s ", width, hd_trace_thread_name(t, t->thread[events[0]]));
    size_t left_out = 0;
    for (size_t i = 0; i < n; i++) {
        bool last = i + 1 == n;
        if (!last && !is_sync(t->op[events[i]]))
            continue;
        int len = print_event(t, events[i], text, sizeof text);
        if (!last && column + len + 24 > 78) {
            left_out++;
            continue;
        }
        if (left_out)
            column += printf("... ");
        left_out = 0;
        column += printf("%s%s", text, last ? "" : ", ");
    }
    if (n > 1)
        printf("%s[%zu events]", column > 64 ? "\n           " : "  ", n);
    printf("\n");
}

/* Columns for the names of the threads: the longest one that runs, within reason. */
static int name_width(const struct hd_trace *t, const struct hd_witness *w)
{
    size_t width = 2;
    for (size_t i = 0; i < w->n; i++) {
        size_t len = hd_names_len(&t->threads, t->thread[w->schedule[i]]);
        if (len > width && len <= 16)
            width = len;
    }
    return (int)width;
}

/* The two accesses of a race are shown apart. */
static size_t tail_of(const struct hd_witness *w)
{
    return w->property != HD_PROPERTY_RACE ? 0 : w->unordered ? 1 : 2;
}

/* Where the stretch that begins at i ends. */
static size_t stretch_end(const struct hd_trace *t, const struct hd_witness *w, size_t i)
{
    size_t end = i + 1;
    while (end + tail_of(w) < w->n && t->thread[w->schedule[end]] == t->thread[w->schedule[i]])
        end++;
    return end;
}

static void print_pair(const struct hd_cli *cli, const struct hd_trace *t,
                       const struct hd_witness *w)
{
    char a[256], b[256];
    print_event(t, w->a, a, sizeof a);
    print_event(t, w->b, b, sizeof b);
    if (w->unordered) {
        printf(
            "    %snot ordered after %s:%s %s: %s\n", hd_term_style(cli->color_out, HD_STYLE_BOLD),
            hd_trace_thread_name(t, t->thread[w->a]), hd_term_style(cli->color_out, HD_STYLE_PLAIN),
            hd_trace_thread_name(t, t->thread[w->b]), b);
        return;
    }
    printf("    %snow both can run:%s %s: %s\n", hd_term_style(cli->color_out, HD_STYLE_BOLD),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN), hd_trace_thread_name(t, t->thread[w->a]),
           a);
    printf("                      %s: %s\n", hd_trace_thread_name(t, t->thread[w->b]), b);
}

void hd_show_race_schedule(const struct hd_cli *cli, const struct hd_trace *t,
                           const struct hd_witness *w)
{
    HD_ASSERT(w->n > 0);
    enum { HEAD = 4, TAIL = 6 }; /* stretches shown at both ends of a long schedule */
    enum { WAKES = 6 };
    size_t stretches = 0, at = 0;
    int width = name_width(t, w);
    for (size_t i = 0; i + tail_of(w) < w->n; i = stretch_end(t, w, i))
        stretches++;
    size_t switches = hd_shorten_switches(t, w->schedule, w->n);
    printf("  Schedule (%s, %zu context switch%s):\n", hd_common_plural(w->n, "event"), switches,
           switches == 1 ? "" : "es");
    for (size_t i = 0; i + tail_of(w) < w->n; at++) {
        size_t end = stretch_end(t, w, i);
        if (stretches <= HEAD + TAIL || at < HEAD || at >= stretches - TAIL)
            print_stretch(t, w->schedule + i, end - i, width);
        else if (at == HEAD)
            printf("    ... %zu more ...\n", stretches - HEAD - TAIL);
        i = end;
    }
    for (size_t i = 0; i < w->n_wakes && i < WAKES; i++)
        printf("    where %s wakes %s\n", hd_trace_place_name(t, w->wakes[i].sig),
               hd_trace_thread_name(t, w->wakes[i].thread));
    if (w->n_wakes > WAKES)
        printf("    ... and %zu more choices of a waiter; the witness file has all\n",
               w->n_wakes - WAKES);
    if (w->property == HD_PROPERTY_RACE)
        print_pair(cli, t, w);
    else if (w->property == HD_PROPERTY_DEADLOCK)
        printf("    %snow none of them can go on%s\n", hd_term_style(cli->color_out, HD_STYLE_BOLD),
               hd_term_style(cli->color_out, HD_STYLE_PLAIN));
}

void hd_show_race_others(const struct hd_trace *t, const struct hd_predicted *race)
{
    uint32_t shown = sizeof race->others / sizeof *race->others;
    if (!race->n_others)
        return;
    printf("  The same places also touch ");
    for (uint32_t i = 0; i < race->n_others && i < shown; i++)
        printf("%s%s", i ? ", " : "", hd_trace_obj_name(t, HD_OBJ_LOC, race->others[i]));
    if (race->n_others > shown)
        printf(" and %u more", race->n_others - shown);
    printf(": --pairs decides those too.\n");
}

void hd_show_race(const struct hd_cli *cli, const struct hd_trace *t,
                  const struct hd_predicted *race, size_t number)
{
    const struct hd_witness *w = &race->witness;
    printf("%s%zu. %s on %s%s\n", hd_term_style(cli->color_out, HD_STYLE_RED), number,
           w->unordered ? "Unordered race" : "Race", hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[w->a]),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    hd_show_race_access(t, w->a);
    hd_show_race_access(t, w->b);
    print_why(t, w);
}

void hd_show_race_line(const struct hd_trace *t, const struct hd_predicted *race, size_t number)
{
    hd_eid a = race->witness.a, b = race->witness.b;
    printf("%zu. %s on %s: %s by %s at %s (event %u), ", number,
           race->witness.unordered ? "Unordered race" : "Race",
           hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[a]), hd_op_info[t->op[a]].words,
           hd_trace_thread_name(t, t->thread[a]), place_of(t, a), a + 1);
    printf("%s by %s at %s (event %u)\n", hd_op_info[t->op[b]].words,
           hd_trace_thread_name(t, t->thread[b]), place_of(t, b), b + 1);
}
