#include "cli/show_prediction.h"

#include "base/interrupt.h"
#include "cli/json_parts.h"
#include "cli/common.h"
#include "cli/show_race.h"
#include "model/witness_json.h"

/* The words of a property. */
static const struct words {
    const char *noun;       /* what is found */
    const char *candidates; /* key of a number of them */
    const char *found;      /* key of the list of what is found; a race has other lists */
} words[HD_PREDICTED_PROPERTIES] = {{"race", "pairs", NULL},
                                    {"atomicity violation", "triples", "atomicity"},
                                    {"deadlock", "cycles", "deadlocks"}};

/* ---- text: what was found ---- */

static void show_triple(const struct hd_cli *cli, const struct hd_trace *t,
                        const struct hd_predicted *v, size_t number)
{
    const hd_eid *e = v->witness.events;
    printf("%s%zu. Atomicity violation on %s%s (%s)\n", hd_term_style(cli->color_out, HD_STYLE_RED),
           number, hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[e[0]]),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN), hd_block_names[v->block]);
    hd_show_race_access(t, e[0]);
    printf("  and later\n");
    hd_show_race_access(t, e[2]);
    printf("  are meant to be one step, but between them can come\n");
    hd_show_race_access(t, e[1]);
}

static void show_cycle(const struct hd_cli *cli, const struct hd_trace *t,
                       const struct hd_predicted *v, size_t number)
{
    const struct hd_witness *w = &v->witness;
    printf("%s%zu. Deadlock of %s%s\n", hd_term_style(cli->color_out, HD_STYLE_RED), number,
           hd_common_plural(w->n_events, "thread"), hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    for (size_t i = 0; i < w->n_events; i++) {
        hd_eid e = w->events[i];
        const char *place = hd_trace_place_name(t, e);
        printf("  %s at %s (event %u) waits for %s, holding ",
               hd_trace_thread_name(t, t->thread[e]), *place ? place : "an unknown place", e + 1,
               hd_trace_obj_name(t, HD_OBJ_LOCK, hd_trace_lock(t, e)));
        hd_show_race_locks(t, e);
        printf("\n");
    }
}

static void show_found(const struct hd_cli *cli, const struct hd_trace *t,
                       const struct hd_predicted *one, size_t number)
{
    struct hd_predicted whole = *one;
    whole.witness = hd_witness_long(&one->witness, t, NULL);
    if (whole.witness.property == HD_PROPERTY_RACE)
        hd_show_race(cli, t, &whole, number);
    else if (whole.witness.property == HD_PROPERTY_ATOMICITY)
        show_triple(cli, t, &whole, number);
    else
        show_cycle(cli, t, &whole, number);
    if (whole.witness.n)
        hd_show_race_schedule(cli, t, &whole.witness);
    hd_show_race_others(t, &whole);
    printf("\n");
    hd_witness_fini(&whole.witness);
}

/* How many races are printed with their schedules: more than 200 would hide the rest of the report,
 * and schedules of millions of entries take their time. */
static size_t count_shown(const struct hd_prediction *p)
{
    enum { SHOWN = 200, ENTRIES = 20000000, ENTRIES_STOPPED = 1000000 };
    uint64_t entries = 0, most = hd_interrupt_requested() ? ENTRIES_STOPPED : ENTRIES;
    size_t n = 0;
    for (; n < p->found.len && n < SHOWN; n++) {
        const struct hd_witness *w = &((struct hd_predicted *)hd_vec_at(&p->found, n))->witness;
        entries += w->prefix + w->n;
        if (n && entries > most)
            break;
    }
    return n;
}

static void show_all_found(const struct hd_cli *cli, const struct hd_trace *t,
                           const struct hd_prediction *p)
{
    size_t shown = p->property == HD_PROPERTY_RACE ? count_shown(p) : p->found.len;
    if (p->found.len > shown)
        printf("The first %zu races come with a schedule; --json and --witness-dir have all "
               "schedules.\n\n",
               shown);
    for (size_t i = 0; i < p->found.len && !ferror(stdout); i++)
        if (i < shown)
            show_found(cli, t, hd_vec_at(&p->found, i), i + 1);
        else
            hd_show_race_line(t, hd_vec_at(&p->found, i), i + 1);
}

static void show_follows(const struct hd_trace *t, const struct hd_prediction *p)
{
    enum { SHOWN = 10 };
    for (size_t i = 0; i < p->follows.len && i < SHOWN; i++) {
        const struct hd_followed *f = hd_vec_at(&p->follows, i);
        printf(
            "Follows from the race of events %u and %u: unordered accesses to %s, events %u (%s) "
            "and %u (%s)\n",
            f->write + 1, f->read + 1, hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[f->witness.a]),
            f->witness.a + 1, hd_trace_place_name(t, f->witness.a), f->witness.b + 1,
            hd_trace_place_name(t, f->witness.b));
    }
    if (p->follows.len > SHOWN)
        printf("... and %zu more; --json lists all\n", p->follows.len - SHOWN);
    if (p->more_follows)
        printf("... and %s that follow from races and are not traced to them\n",
               hd_common_plural(p->more_follows, "pair"));
}

/* ---- text: what is left, and the figures ---- */

static void show_cut(const struct hd_prediction *p)
{
    const char *why = hd_reason_texts[p->cut_why];
    if (p->candidates && p->looked)
        printf("Undecided: only the first %zu events were looked at, not %s and schedules of the "
               "others: %s\n",
               p->looked, words[p->property].candidates, why);
    else if (p->candidates)
        printf("Undecided: %s: %s\n", words[p->property].noun, why);
    else
        printf("Undecided: all %s, which were not even counted: %s\n",
               words[p->property].candidates, why);
}

static void show_undecided(const struct hd_trace *t, const struct hd_prediction *p)
{
    enum { SHOWN = 10 };
    if (p->cut)
        show_cut(p);
    for (size_t i = 0; i < p->undecided.len && i < SHOWN; i++) {
        const struct hd_undecided *u = hd_vec_at(&p->undecided, i);
        const hd_eid *e = hd_undecided_events(u);
        bool pair = p->property == HD_PROPERTY_RACE;
        printf("Undecided: %s%sevents", pair ? "" : words[p->property].noun, pair ? "" : " of ");
        for (uint32_t k = 0; k < u->n; k++)
            printf("%s %u (%s)",
                   !k     ? ""
                   : pair ? " and"
                          : ",",
                   e[k] + 1, hd_trace_place_name(t, e[k]));
        if (u->goals > 1)
            printf(" and %s more of these places",
                   hd_common_plural(u->goals - 1, hd_candidate_names[p->property]));
        printf(": %s\n", hd_reason_texts[u->why]);
    }
    if (p->undecided.len > SHOWN)
        printf("... and %zu more; --json lists all\n", p->undecided.len - SHOWN);
}

/* "; 12 pairs of events impossible (lockset 4, must 8)" */
static void show_proved(const struct hd_prediction *p)
{
    uint64_t proved = 0;
    const char *separator = " (";
    for (int s = 0; s < HD_STEPS; s++)
        proved += p->proved[s];
    printf("; %s of events impossible", hd_common_plural(proved, hd_candidate_names[p->property]));
    for (int s = 0; s < HD_STEPS; s++)
        if (p->proved[s]) {
            printf("%s%s %llu", separator, hd_step_names[s], (unsigned long long)p->proved[s]);
            separator = ", ";
        }
    printf("%s", *separator == ',' ? ")" : "");
}

static void show_figures(const struct hd_cli *cli, const char *name, const struct hd_prediction *p,
                         bool pairs, bool whole)
{
    bool racing = pairs && p->property == HD_PROPERTY_RACE;
    const char *candidate = hd_candidate_names[p->property];
    uint64_t n = racing || p->property != HD_PROPERTY_RACE ? p->found.len : p->groups_found;
    printf("%s%s: %s%s", hd_term_style(cli->color_out, HD_STYLE_BOLD), name,
           hd_common_plural(n, racing ? "racing pair" : words[p->property].noun),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    if (!racing)
        printf(" in %s of source places", hd_common_plural(p->groups, candidate));
    if (!whole)
        printf(" of an incomplete trace");
    show_proved(p);
    if (p->cut && !p->candidates)
        printf("; all undecided");
    else
        printf("; %llu undecided", (unsigned long long)p->open + p->cut);
    if (p->skipped)
        printf("; %s more at the places shown", hd_common_plural(p->skipped, candidate));
    printf("\n");
}

void hd_show_prediction(const struct hd_cli *cli, const char *name, const struct hd_trace *t,
                        const struct hd_prediction *p, bool pairs, bool whole)
{
    show_all_found(cli, t, p);
    show_follows(t, p);
    show_undecided(t, p);
    show_figures(cli, name, p, pairs, whole);
}

/* ---- JSON ---- */

void hd_show_prediction_json_found(struct hd_json *j, const struct hd_prediction *p)
{
    HD_ASSERT(words[p->property].found);
    hd_json_key(j, words[p->property].found);
    hd_json_begin_array(j);
    for (size_t i = 0; i < p->found.len; i++) {
        const struct hd_witness *w = &((struct hd_predicted *)hd_vec_at(&p->found, i))->witness;
        hd_json_parts_events(j, w->events, w->n_events);
    }
    hd_json_end_array(j);
}

void hd_show_prediction_json_follows(struct hd_json *j, const struct hd_trace *t,
                                     const struct hd_prediction *p)
{
    if (!p->follows.len)
        return;
    hd_json_key(j, "follows");
    hd_json_begin_array(j);
    for (size_t i = 0; i < p->follows.len; i++) {
        const struct hd_followed *f = hd_vec_at(&p->follows, i);
        hd_json_begin_object(j);
        hd_json_key(j, "from");
        hd_json_begin_array(j);
        hd_json_uint(j, (uint64_t)f->write + 1);
        hd_json_uint(j, (uint64_t)f->read + 1);
        hd_json_end_array(j);
        hd_witness_json_write_fields(j, t, &f->witness);
        hd_json_end_object(j);
    }
    hd_json_end_array(j);
    if (!p->more_follows)
        return;
    hd_json_key(j, "follows_omitted");
    hd_json_uint(j, p->more_follows);
}

static void json_open(struct hd_json *j, enum hd_property property, const hd_eid *events, size_t n,
                      enum hd_reason why, uint64_t goals)
{
    hd_json_begin_object(j);
    if (property != HD_PROPERTY_RACE) {
        hd_json_key(j, "property");
        hd_json_string(j, hd_property_names[property]);
    }
    hd_json_key(j, hd_candidate_names[property]);
    hd_json_parts_events(j, events, n);
    hd_json_key(j, "reason");
    hd_json_string(j, hd_reason_texts[why]);
    hd_json_key(j, words[property].candidates);
    hd_json_uint(j, goals);
    hd_json_end_object(j);
}

void hd_show_prediction_json_undecided(struct hd_json *j, const struct hd_prediction *p)
{
    if (p->cut && p->property != HD_PROPERTY_RACE)
        json_open(j, p->property, NULL, 0, p->cut_why, 1);
    for (size_t i = 0; i < p->undecided.len; i++) {
        const struct hd_undecided *u = hd_vec_at(&p->undecided, i);
        json_open(j, p->property, hd_undecided_events(u), u->n, u->why, u->goals);
    }
}

uint64_t hd_show_prediction_json_witnesses(struct hd_json *j, const struct hd_trace *t,
                                           const struct hd_prediction *p)
{
    uint64_t omitted = 0;
    for (size_t i = 0; i < p->found.len; i++) {
        const struct hd_predicted *one = hd_vec_at(&p->found, i);
        omitted += one->witness.n == 0;
        if (!one->witness.n)
            continue;
        hd_json_begin_object(j);
        hd_witness_json_write_fields(j, t, &one->witness);
        if (p->property == HD_PROPERTY_ATOMICITY) {
            hd_json_key(j, "block");
            hd_json_string(j, hd_block_names[one->block]);
        }
        hd_json_end_object(j);
    }
    return omitted;
}

void hd_show_prediction_json_figures(struct hd_json *j, const struct hd_prediction *p)
{
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {{"candidates", p->candidates},
                   {"places", p->groups},
                   {"found", p->found.len},
                   {"undecided", p->open + p->cut},
                   {"skipped", p->skipped}};
    hd_json_key(j, hd_property_names[p->property]);
    hd_json_begin_object(j);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        hd_json_key(j, figures[i].key);
        hd_json_uint(j, figures[i].value);
    }
    hd_json_parts_steps(j, "impossible", p->proved);
    hd_json_parts_steps(j, "found_by", p->found_by);
    hd_json_key(j, "seconds");
    hd_json_double(j, p->seconds);
    hd_json_end_object(j);
}
