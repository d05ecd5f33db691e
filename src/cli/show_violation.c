#include "cli/show_violation.h"

#include "cli/json_parts.h"
#include "cli/common.h"
#include "cli/show_race.h"
#include "model/witness_json.h"

static const char *const nouns[HD_PREDICTED_PROPERTIES] = {"race", "atomicity violation",
                                                           "deadlock"};
static const char *const groups[HD_PREDICTED_PROPERTIES] = {"pair", "triple", "cycle"};

/* ---- text ---- */

static void show_triple(const struct hd_cli *cli, const struct hd_trace *t,
                        const struct hd_violation *v, size_t number)
{
    const hd_eid *e = v->witness.events;
    printf("%s%zu. Atomicity violation on %s%s (%s)\n", hd_term_style(cli->color_out, HD_STYLE_RED),
           number, hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[e[0]]),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN), hd_block_names[v->block]);
    hd_cli_show_access(t, e[0]);
    printf("  and later\n");
    hd_cli_show_access(t, e[2]);
    printf("  are meant to be one step, but between them can come\n");
    hd_cli_show_access(t, e[1]);
}

static void show_cycle(const struct hd_cli *cli, const struct hd_trace *t,
                       const struct hd_violation *v, size_t number)
{
    const struct hd_witness *w = &v->witness;
    printf("%s%zu. Deadlock of %s%s\n", hd_term_style(cli->color_out, HD_STYLE_RED), number,
           hd_cli_plural(w->n_events, "thread"), hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    for (size_t i = 0; i < w->n_events; i++) {
        hd_eid e = w->events[i];
        const char *place = hd_trace_place_name(t, e);
        printf("  %s at %s (event %u) waits for %s, holding ",
               hd_trace_thread_name(t, t->thread[e]), *place ? place : "an unknown place", e + 1,
               hd_trace_obj_name(t, HD_OBJ_LOCK, hd_trace_lock(t, e)));
        hd_cli_show_locks(t, e);
        printf("\n");
    }
}

static void show_undecided(const struct hd_trace *t, const struct hd_violations *v)
{
    enum { SHOWN = 10 };
    for (size_t i = 0; i < v->undecided.len && i < SHOWN; i++) {
        const struct hd_open_goal *g = hd_vec_at(&v->undecided, i);
        printf("Undecided: %s", nouns[v->property]);
        for (size_t k = 0; k < g->n; k++)
            printf("%s %u (%s)",
                   k          ? ","
                   : g->n > 1 ? " of events"
                              : "",
                   g->events[k] + 1, hd_trace_place_name(t, g->events[k]));
        if (g->goals > 1)
            printf(" and %llu more of these places", (unsigned long long)g->goals - 1);
        printf(": %s\n", hd_reason_texts[g->why]);
    }
    if (v->undecided.len > SHOWN)
        printf("... and %zu more; --json lists all\n", v->undecided.len - SHOWN);
}

static void show_figures(const struct hd_cli *cli, const char *name, const struct hd_violations *v)
{
    uint64_t proved = 0;
    const char *separator = " (";
    for (int s = 0; s < HD_STEPS; s++)
        proved += v->proved[s];
    printf("%s%s: %s%s", hd_term_style(cli->color_out, HD_STYLE_BOLD), name,
           hd_cli_plural(v->found.len, nouns[v->property]),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    printf(" in %s of source places; ", hd_cli_plural(v->groups, groups[v->property]));
    printf("%s of events impossible", hd_cli_plural(proved, groups[v->property]));
    for (int s = 0; s < HD_STEPS; s++)
        if (v->proved[s]) {
            printf("%s%s %llu", separator, hd_step_names[s], (unsigned long long)v->proved[s]);
            separator = ", ";
        }
    printf("%s; %llu undecided", *separator == ',' ? ")" : "", (unsigned long long)v->open);
    if (v->skipped)
        printf("; %llu more at the places shown", (unsigned long long)v->skipped);
    printf("\n");
}

void hd_cli_show_violations(const struct hd_cli *cli, const char *name, const struct hd_trace *t,
                            const struct hd_violations *v)
{
    for (size_t i = 0; i < v->found.len && !ferror(stdout); i++) {
        const struct hd_violation *x = hd_vec_at(&v->found, i);
        if (v->property == HD_PROPERTY_ATOMICITY)
            show_triple(cli, t, x, i + 1);
        else
            show_cycle(cli, t, x, i + 1);
        if (x->witness.n)
            hd_cli_show_schedule(cli, t, &x->witness);
        printf("\n");
    }
    show_undecided(t, v);
    show_figures(cli, name, v);
}

/* ---- JSON ---- */

void hd_cli_json_violations(struct hd_json *j, const struct hd_violations *v)
{
    hd_json_key(j, v->property == HD_PROPERTY_ATOMICITY ? "atomicity" : "deadlocks");
    hd_json_begin_array(j);
    for (size_t i = 0; i < v->found.len; i++) {
        const struct hd_witness *w = &((struct hd_violation *)hd_vec_at(&v->found, i))->witness;
        hd_cli_json_events(j, w->events, w->n_events);
    }
    hd_json_end_array(j);
}

void hd_cli_json_open_goals(struct hd_json *j, const struct hd_violations *v)
{
    for (size_t i = 0; i < v->undecided.len; i++) {
        const struct hd_open_goal *g = hd_vec_at(&v->undecided, i);
        hd_json_begin_object(j);
        hd_json_key(j, "property");
        hd_json_string(j, hd_property_names[v->property]);
        hd_json_key(j, groups[v->property]);
        hd_cli_json_events(j, g->events, g->n);
        hd_json_key(j, "reason");
        hd_json_string(j, hd_reason_texts[g->why]);
        hd_json_key(j, v->property == HD_PROPERTY_ATOMICITY ? "triples" : "cycles");
        hd_json_uint(j, g->goals);
        hd_json_end_object(j);
    }
}

void hd_cli_json_violation_witnesses(struct hd_json *j, const struct hd_trace *t,
                                     const struct hd_violations *v)
{
    for (size_t i = 0; i < v->found.len; i++) {
        const struct hd_violation *x = hd_vec_at(&v->found, i);
        if (!x->witness.n)
            continue;
        hd_json_begin_object(j);
        hd_witness_write_fields(j, t, &x->witness);
        if (v->property == HD_PROPERTY_ATOMICITY) {
            hd_json_key(j, "block");
            hd_json_string(j, hd_block_names[x->block]);
        }
        hd_json_end_object(j);
    }
}

void hd_cli_json_violation_counts(struct hd_json *j, const struct hd_violations *v)
{
    const struct {
        const char *key;
        uint64_t value;
    } figures[] = {{"candidates", v->candidates},
                   {"places", v->groups},
                   {"found", v->found.len},
                   {"undecided", v->open},
                   {"skipped", v->skipped}};
    hd_json_key(j, hd_property_names[v->property]);
    hd_json_begin_object(j);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        hd_json_key(j, figures[i].key);
        hd_json_uint(j, figures[i].value);
    }
    hd_cli_json_steps(j, "impossible", v->proved);
    hd_cli_json_steps(j, "found_by", v->found_by);
    hd_json_key(j, "seconds");
    hd_json_double(j, v->seconds);
    hd_json_end_object(j);
}
