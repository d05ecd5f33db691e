#include "report/make/make.h"

#include "report/data/id.h"

#include <string.h>

#define THREAD "thread" /* waited for by join */

static const char *text_of(struct hd_report *r, const struct hd_build_info *info, uint32_t word)
{
    return hd_report_text(r, hd_names_text(&info->words, word));
}

static void make_wait(struct hd_report *r, const struct hd_build_info *info, struct hd_sources *s,
                      const struct hd_build_wait *wait, struct hd_access *a)
{
    a->thread = text_of(r, info, wait->thread);
    const char *kind = hd_names_text(&info->words, wait->kind);
    a->kind = hd_report_format(r, "wait for %s", strcmp(kind, "end of") ? kind : THREAD);
    a->value = text_of(r, info, wait->object);
    a->at = hd_make_spot(r, hd_names_text(&info->words, wait->place));
    a->stack.n = wait->frames.len / 2;
    a->stack.frames = hd_report_array(r, a->stack.n, sizeof *a->stack.frames);
    for (size_t i = 0; i < a->stack.n; i++) {
        struct hd_frame *frame = &a->stack.frames[i];
        frame->at = hd_make_spot(r, hd_names_text(&info->words, wait->frames.data[2 * i + 1]));
        frame->at.function = text_of(r, info, wait->frames.data[2 * i]);
        if (i == 0 && !a->at.function)
            a->at.function = frame->at.function;
    }
    a->n_locks = wait->holds.len;
    a->locks = hd_report_array(r, a->n_locks, sizeof *a->locks);
    for (size_t i = 0; i < a->n_locks; i++)
        a->locks[i].name = text_of(r, info, wait->holds.data[i]);
    hd_sources_snippet(s, r, &a->at, &a->source);
}

void hd_make_stuck(struct hd_report *r, const struct hd_build_info *info, struct hd_sources *s,
                   struct hd_finding *f)
{
    struct hd_texts objects = {0};
    *f = (struct hd_finding){.property = HD_PROPERTY_DEADLOCK, .status = HD_FINDING_OBSERVED};
    f->accesses = hd_report_array(r, info->waits.len, sizeof *f->accesses);
    for (size_t i = 0; i < info->waits.len; i++) {
        const struct hd_build_wait *wait = hd_vec_at(&info->waits, i);
        if (*hd_names_text(&info->words, wait->kind)) /* else it only holds something */
            make_wait(r, info, s, wait, &f->accesses[f->n_accesses++]);
    }
    f->variable = "";
    for (size_t i = 0; i < f->n_accesses; i++)
        if (!strstr(f->accesses[i].kind, THREAD))
            hd_report_add(r, &objects, f->accesses[i].value);
    for (size_t i = 0; i < objects.n; i++)
        f->variable = hd_report_format(r, "%s%s%s", f->variable, i ? ", " : "", objects.items[i]);
    f->location = "locks";
    f->why = "the recorded run came to a point where no thread could go on.";
    hd_id_set(r, f, "", s);
}
