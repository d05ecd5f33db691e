#include "cli/hunt_show.h"

#include "base/json.h"
#include "cli/common.h"
#include "report/format/page.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *const lost_texts[HD_SYM_LOST_COUNT] = {
    [HD_SYM_LOST_FLOAT] = "floating point",
    [HD_SYM_LOST_WIDE] = "values wider than 64 bits, vectors, larger structs in registers",
    [HD_SYM_LOST_ADDRESS] = "addresses and lengths with too many values",
    [HD_SYM_LOST_CALL] = "arguments of functions that are not modelled",
    [HD_SYM_LOST_STALE] = "memory changed by code without hooks",
    [HD_SYM_LOST_OP] = "operations that are not modelled",
    [HD_SYM_LOST_FULL] = "limits of the expression store",
    [HD_SYM_LOST_VARARG] = "arguments after ... of functions of the program",
};

/* ---- findings ---- */

struct hd_vec hd_hunt_show_list(void)
{
    return HD_VEC_INIT(struct hd_hunt_shown);
}

void hd_hunt_show_remember(struct hd_vec *list, const struct hd_found *f,
                           const struct hd_hunt_taken *taken)
{
    *(struct hd_hunt_shown *)hd_vec_push(list) =
        (struct hd_hunt_shown){.kind = f->kind,
                               .test = f->test,
                               .text = strdup(f->text),
                               .input = strdup(f->input),
                               .witness = f->witness ? strdup(f->witness) : NULL,
                               .taken = *taken};
}

/* Printable characters as they are, others as \\xHH; zeros at the end say nothing. */
static void print_bytes(const struct hd_input_bytes *b)
{
    enum { SHOWN = 48 };
    size_t n = b->len;
    while (n > 0 && b->data[n - 1] == 0)
        n--;
    putchar('"');
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        int c = b->data[i];
        if (c == '"' || c == '\\' || c < 32 || c > 126)
            printf(c == '\n' ? "\\n" : "\\x%02x", (unsigned)c);
        else
            putchar(c);
    }
    printf(n > SHOWN ? "\"... (%zu bytes)\n" : "\"\n", n);
}

void hd_hunt_show_found(const struct hd_cli *cli, const struct hd_found *f,
                        const struct hd_hunt_taken *taken)
{
    struct hd_page p;
    hd_page_init(&p, stdout, cli->color_out);
    hd_page_begin(&p, 0, 4);
    hd_page_style(&p, HD_STYLE_RED);
    hd_page_words(&p, "%s", hd_found_names[f->kind]);
    hd_page_style(&p, HD_STYLE_PLAIN);
    hd_page_words(&p, ": %s", f->text);
    if (taken->tried)
        hd_page_words(&p, " [%s %" PRIu32 " of %" PRIu32 "]", taken->proof, taken->confirmed,
                      taken->tried);
    else if (taken->proof)
        hd_page_words(&p, " [%s]", taken->proof);
    if (*taken->id)
        hd_page_words(&p, " %s", taken->id);
    if (*taken->reason)
        hd_page_words(&p, "; not confirmed: %s", taken->reason);
    hd_page_end(&p);
    for (size_t i = 0; i < f->in->objects.len; i++) {
        const struct hd_input_object *o = hd_vec_at(&f->in->objects, i);
        printf("    %s = ", (const char *)o->name.data);
        print_bytes(&o->bytes);
    }
    printf("    heddle hunt --rerun %s\n\n", f->input);
    fflush(stdout);
}

void hd_hunt_show_list_fini(struct hd_vec *list)
{
    for (size_t i = 0; i < list->len; i++) {
        struct hd_hunt_shown *f = hd_vec_at(list, i);
        free(f->text);
        free(f->input);
        free(f->witness);
    }
    hd_vec_fini(list);
}

/* ---- text ---- */

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void print_findings(FILE *out, const struct hd_hunt_stats *s)
{
    const char *separator = "";
    for (int k = 0; k < HD_FOUND_KINDS; k++)
        if (s->found[k]) {
            const char *name = hd_found_names[k];
            bool plain = k == HD_FOUND_MEMORY || k == HD_FOUND_CRASH;
            fprintf(out, "%s%" PRIu64 " %s%s", separator, s->found[k], name,
                    s->found[k] == 1 || k == HD_FOUND_MEMORY ? ""
                    : plain                                  ? "es"
                                                             : "s");
            separator = ", ";
        }
    fprintf(out, "%s\n", *separator ? "" : "nothing found");
}

static void print_stats(FILE *out, const struct hd_hunt_stats *s)
{
    fprintf(out, "paths: %" PRIu64 " in %.1f s (%.1f/s), %" PRIu64 " choices left open\n", s->paths,
            s->seconds, s->seconds > 0 ? (double)s->paths / s->seconds : 0, s->open);
    if (s->others)
        fprintf(out, "paths of other shares, not looked into: %" PRIu64 "\n", s->others);
    fprintf(out, "ended by: %s\n", s->why_ended);
    fprintf(out,
            "choices: %" PRIu64 " infeasible, %" PRIu64 " given up, %" PRIu64 " paths cut, %" PRIu64
            " runs went elsewhere\n",
            s->infeasible, s->unknown, s->pruned, s->diverged);
    fprintf(out,
            "time: runs %.0f%%, solver %.0f%% (%" PRIu64 " questions, %" PRIu64
            " to Z3), prediction %.0f%%\n",
            share(s->run_seconds, s->seconds), share(s->solver_seconds, s->seconds),
            s->checks + s->tried, s->checks, share(s->predict_seconds, s->seconds));
    fprintf(out, "branches: %" PRIu32 " of %" PRIu32 " outcomes covered\n", s->covered,
            s->outcomes);
    if (s->first_race >= 0)
        fprintf(out, "first race after %.2f s\n", s->first_race);
    if (s->unread)
        fprintf(out, "runs without prediction: %" PRIu64 "; see messages.txt\n", s->unread);
    if (s->too_deep)
        fprintf(out, "runs with more choices than --max-depth: %" PRIu64 "\n", s->too_deep);
    if (s->undecided)
        fprintf(out, "prediction left %" PRIu64 " pairs undecided\n", s->undecided);
}

static void print_losses(FILE *out, const struct hd_hunt_stats *s)
{
    for (int i = 0; i < HD_SYM_LOST_COUNT; i++)
        if (s->lost[i])
            fprintf(out, "made concrete: %s (%" PRIu64 " times)\n", lost_texts[i], s->lost[i]);
    if (s->calls.count) {
        fputs("not modelled:", out);
        for (uint32_t i = 0; i < s->calls.count; i++)
            fprintf(out, " %s", hd_names_text(&s->calls, i));
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < s->ignored.count; i++)
        fprintf(out,
                "--symbolic-call %s: its result was never input: Heddle models the function "
                "itself, or it was not called\n",
                hd_names_text(&s->ignored, i));
    for (uint32_t i = 0; i < s->notes.count; i++)
        fprintf(out, "note: %s\n", hd_names_text(&s->notes, i));
    if (s->bad)
        fprintf(out, "runs whose expressions were damaged: %" PRIu64 "\n", s->bad);
}

void hd_hunt_show_text(const struct hd_cli *cli, const struct hd_hunt_options *o,
                       const struct hd_hunt_stats *s)
{
    static const char system[] = "/usr/"; /* code there is not the user's */
    enum { SHOWN = 10 };
    printf("%s", hd_term_style(cli->color_out, HD_STYLE_BOLD));
    print_findings(stdout, s);
    printf("%s", hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    print_stats(stdout, s);
    size_t shown = 0;
    for (uint32_t i = 0; i < s->uncovered.count && shown < SHOWN; i++) {
        const char *place = hd_names_text(&s->uncovered, i);
        if (strncmp(place, system, sizeof system - 1) != 0 && ++shown)
            printf("  not covered: %s\n", place);
    }
    if (s->uncovered.count > shown)
        printf("  ... and %zu more%s; see %s/info\n", s->uncovered.count - shown,
               shown < SHOWN ? " in headers of the system" : "", o->dir);
    print_losses(stdout, s);
}

void hd_hunt_show_info(const struct hd_hunt_options *o, const struct hd_hunt_stats *s)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/info", o->dir);
    FILE *out = fopen(path, "w");
    if (!out)
        return;
    fputs("command:", out);
    for (size_t i = 0; i < o->seed->words.len; i++)
        fprintf(out, " %s", ((struct hd_input_bytes *)hd_vec_at(&o->seed->words, i))->data);
    fputs("\nfound: ", out);
    print_findings(out, s);
    print_stats(out, s);
    for (uint32_t i = 0; i < s->uncovered.count; i++)
        fprintf(out, "not covered: %s\n", hd_names_text(&s->uncovered, i));
    print_losses(out, s);
    fclose(out);
}

/* ---- JSON ---- */

static void number(struct hd_json *j, const char *key, uint64_t v)
{
    hd_json_key(j, key);
    hd_json_uint(j, v);
}

static void seconds(struct hd_json *j, const char *key, double v)
{
    hd_json_key(j, key);
    hd_json_double(j, v);
}

static void text(struct hd_json *j, const char *key, const char *v)
{
    hd_json_key(j, key);
    if (v)
        hd_json_string(j, v);
    else
        hd_json_null(j);
}

static void json_found(struct hd_json *j, const struct hd_vec *found)
{
    hd_json_key(j, "findings");
    hd_json_begin_array(j);
    for (size_t i = 0; i < found->len; i++) {
        const struct hd_hunt_shown *f = hd_vec_at(found, i);
        hd_json_begin_object(j);
        text(j, "kind", hd_found_names[f->kind]);
        number(j, "test", f->test);
        text(j, "text", f->text);
        text(j, "input", f->input);
        text(j, "witness", f->witness);
        text(j, "id", *f->taken.id ? f->taken.id : NULL);
        text(j, "status", f->taken.proof);
        hd_json_key(j, "replays");
        hd_json_begin_object(j);
        number(j, "confirmed", f->taken.confirmed);
        number(j, "tried", f->taken.tried);
        hd_json_end_object(j);
        hd_json_end_object(j);
    }
    hd_json_end_array(j);
}

static void json_names(struct hd_json *j, const char *key, const struct hd_names *names)
{
    hd_json_key(j, key);
    hd_json_begin_array(j);
    for (uint32_t i = 0; i < names->count; i++)
        hd_json_string(j, hd_names_text(names, i));
    hd_json_end_array(j);
}

static void json_losses(struct hd_json *j, const struct hd_hunt_stats *s)
{
    static const char *const keys[HD_SYM_LOST_COUNT] = {"float", "wide",      "address", "call",
                                                        "stale", "operation", "full",    "vararg"};
    hd_json_key(j, "concretised");
    hd_json_begin_object(j);
    for (int i = 0; i < HD_SYM_LOST_COUNT; i++)
        number(j, keys[i], s->lost[i]);
    hd_json_end_object(j);
}

void hd_hunt_show_json(FILE *out, const struct hd_hunt_options *o, const struct hd_hunt_stats *s,
                       const struct hd_vec *found)
{
    struct hd_json j;
    hd_json_init(&j, out);
    hd_json_begin_object(&j);
    text(&j, "schema", "heddle-hunt-1");
    text(&j, "folder", o->dir);
    json_found(&j, found);
    number(&j, "paths", s->paths);
    number(&j, "others", s->others);
    number(&j, "open", s->open);
    number(&j, "infeasible", s->infeasible);
    number(&j, "unknown", s->unknown);
    number(&j, "pruned", s->pruned);
    number(&j, "diverged", s->diverged);
    number(&j, "repeated", s->repeated);
    number(&j, "questions", s->checks + s->tried);
    number(&j, "tried", s->tried);
    number(&j, "covered", s->covered);
    number(&j, "outcomes", s->outcomes);
    number(&j, "undecided", s->undecided);
    number(&j, "damaged", s->bad);
    number(&j, "unread", s->unread);
    number(&j, "too_deep", s->too_deep);
    text(&j, "ended", s->why_ended);
    hd_json_key(&j, "complete");
    hd_json_bool(&j, s->complete);
    seconds(&j, "seconds", s->seconds);
    seconds(&j, "solver_seconds", s->solver_seconds);
    seconds(&j, "run_seconds", s->run_seconds);
    seconds(&j, "predict_seconds", s->predict_seconds);
    hd_json_key(&j, "first_race_seconds");
    if (s->first_race >= 0)
        hd_json_double(&j, s->first_race);
    else
        hd_json_null(&j);
    json_losses(&j, s);
    json_names(&j, "not_modelled", &s->calls);
    json_names(&j, "not_input", &s->ignored);
    json_names(&j, "notes", &s->notes);
    json_names(&j, "not_covered", &s->uncovered);
    hd_json_end_object(&j);
}
