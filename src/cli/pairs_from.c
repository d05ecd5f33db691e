#include "cli/pairs_from.h"

#include "cli/common.h"

#include <stdio.h>

enum hd_exit hd_pairs_from_read(const struct hd_cli *cli, const char *path,
                                struct hd_warned_pairs *pairs)
{
    struct hd_err err = {0};
    return hd_warnings_read(path, pairs, &err) == HD_OK ? HD_EXIT_OK : hd_cli_fail_input(cli, &err);
}

static void place_text(const struct hd_code_place *p, char *text, size_t size)
{
    if (p->file)
        snprintf(text, size, "%s:%u", p->file, p->line);
    else
        snprintf(text, size, "(no line)");
}

static void print_pair(FILE *out, const struct hd_warned_pair *p)
{
    char text[2][300];
    for (int i = 0; i < 2; i++)
        place_text(&p->at[i], text[i], sizeof text[i]);
    fprintf(out, "%s / %s: ", text[0], text[1]);
}

void hd_pairs_from_print(const struct hd_warned_pairs *pairs, const struct hd_vec *answers,
                         const char *file)
{
    bool absent = false;
    printf("Asked for by %s:\n", file);
    for (size_t i = 0; i < answers->len; i++) {
        const struct hd_answer *a = hd_vec_at(answers, i);
        printf("%zu. ", i + 1);
        print_pair(stdout, hd_vec_at(&pairs->list, i));
        printf("%s: %s\n", hd_answer_names[a->kind], a->reason);
        absent |= a->kind == HD_ANSWER_ABSENT;
    }
    if (absent)
        printf("heddle explore --pairs-from searches other schedules for what is not in this "
               "trace\n");
}

void hd_pairs_from_json(struct hd_json *j, const struct hd_warned_pairs *pairs,
                        const struct hd_vec *answers)
{
    hd_json_key(j, "asked");
    hd_json_begin_array(j);
    for (size_t i = 0; i < answers->len; i++) {
        const struct hd_answer *a = hd_vec_at(answers, i);
        const struct hd_warned_pair *p = hd_vec_at(&pairs->list, i);
        char text[300];
        hd_json_begin_object(j);
        hd_json_key(j, "places");
        hd_json_begin_array(j);
        for (int k = 0; k < 2; k++) {
            place_text(&p->at[k], text, sizeof text);
            hd_json_string(j, text);
        }
        hd_json_end_array(j);
        hd_json_key(j, "answer");
        hd_json_string(j, hd_answer_names[a->kind]);
        hd_json_key(j, "reason");
        hd_json_string(j, a->reason);
        hd_json_end_object(j);
    }
    hd_json_end_array(j);
}

static const struct hd_finding *find(const struct hd_warned_pair *p, const struct hd_report *r)
{
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct hd_finding *f = &r->findings[i];
        if (f->property != HD_PROPERTY_RACE || f->n_accesses != 2)
            continue;
        struct hd_code_place at[2];
        for (int k = 0; k < 2; k++)
            at[k] = (struct hd_code_place){f->accesses[k].at.file, f->accesses[k].at.line};
        if (hd_warned_pair_is(p, &at[0], &at[1]))
            return f;
    }
    return NULL;
}

bool hd_pairs_from_report(const struct hd_cli *cli, const struct hd_warned_pairs *pairs,
                          const struct hd_report *r, bool complete)
{
    const char *missing = complete ? "in no schedule of the program with this input"
                                   : "not found in the schedules that were searched";
    bool all = true;
    for (size_t i = 0; i < pairs->list.len; i++) {
        const struct hd_warned_pair *p = hd_vec_at(&pairs->list, i);
        const struct hd_finding *f = find(p, r);
        all = all && f;
        if (cli->quiet)
            continue;
        fprintf(stderr, "asked %zu. ", i + 1);
        print_pair(stderr, p);
        fprintf(stderr, "%s%s\n", f ? "race " : missing, f ? f->id : "");
    }
    return all || complete;
}
