#include "report/make/replayed.h"

#include "report/make/stacked.h"

#include <string.h>

/* The stack of an access at the moment when it was about to happen. */
static void take_stack(struct hd_report *r, const struct hd_replay_access *from,
                       struct hd_access *to)
{
    if (!from->stack.n)
        return;
    hd_stacked_copy(r, &from->stack, &to->stack);
    if (to->at.file || to->at.function)
        hd_stacked_site(&to->at, &to->stack.frames[0].at);
}

static const char *signal_name(struct hd_report *r, int number)
{
    const char *name = number ? sigabbrev_np(number) : NULL;
    return name ? hd_report_format(r, "SIG%s", name) : NULL;
}

static void take_effect(struct hd_report *r, const struct hd_replay_order *from,
                        struct hd_effect *to)
{
    *to = (struct hd_effect){0};
    if (!from->ran || from->verdict != HD_REPLAY_CONFIRMED)
        return;
    to->summary = hd_report_text(r, from->summary);
    to->exit_status = from->exit_status;
    to->signal = from->signal;
    to->signal_name = signal_name(r, from->signal);
    to->assertion = hd_report_text(r, from->assertion);
    to->deadlock = from->deadlock;
    to->timeout = from->timeout;
    hd_stacked_copy(r, &from->crash, &to->stack);
    to->values.n = 2;
    to->values.items = hd_report_array(r, 2, sizeof *to->values.items);
    for (int i = 0; i < 2; i++)
        to->values.items[i] = hd_report_text(r, from->access[i].value);
}

void hd_replayed_apply(struct hd_report *r, struct hd_finding *f,
                       const struct hd_replay_result *result)
{
    bool confirmed = result->verdict == HD_REPLAY_CONFIRMED && result->confirmed > 0;
    f->replays_tried = result->tried;
    f->replays_confirmed = result->confirmed;
    f->status = confirmed ? HD_FINDING_CONFIRMED : HD_FINDING_PREDICTED;
    f->reason = confirmed ? NULL : hd_report_text(r, result->reason);
    f->verdict = confirmed ? NULL : hd_replay_verdict_names[result->verdict];
    if (!confirmed)
        return;
    const struct hd_replay_order *shown = &result->orders[result->orders[0].ran ? 0 : 1];
    for (size_t i = 0; i < 2 && i < f->n_accesses; i++)
        take_stack(r, &shown->access[i], &f->accesses[i]);
    for (int i = 0; i < 2; i++)
        take_effect(r, &result->orders[i], &f->effects[i]);
    f->effects[1].output_diff = hd_report_text(r, result->output_diff);
}
