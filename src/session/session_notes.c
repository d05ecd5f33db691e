/* What a recording and its building have for the user: notes of the report, and what limits it. */
#include "session/session_int.h"

#include <string.h>

/* An OpenMP runtime that is not ours, and starts threads: what its regions do is not seen. One that
 * is loaded and does nothing does not matter. */
static bool is_foreign_openmp(const char *module)
{
    static const char *const runtimes[] = {"libgomp.", "libomp.", "libiomp5."};
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (!strncmp(module, runtimes[i], strlen(runtimes[i])))
            return true;
    return false;
}

static void take_remarks(struct hd_session *s, const struct hd_remarks *remarks)
{
    struct hd_report *r = s->r;
    char text[HD_REMARK_SIZE];
    for (size_t i = 0; i < hd_remarks_count(remarks); i++) {
        const char *subject = hd_remarks_subject(remarks, i);
        switch (hd_remarks_kind(remarks, i)) {
        case HD_REMARK_DEADLOCK: /* a finding of its own */
            continue;
        case HD_REMARK_UNREAD:
            hd_report_add(r, &r->unseen, "inline assembly ran that could not be read");
            if (strcmp(subject, HD_LOG_ASSEMBLY) != 0) /* the trace names the place */
                hd_report_add(r, &r->unmodelled, subject);
            continue;
        case HD_REMARK_UNRECORDED:
            hd_report_add(r, &r->unseen,
                          "an instrumented program that it started was not recorded");
            hd_report_add(r, &r->unmodelled, subject);
            continue;
        case HD_REMARK_OTHER_PROCESS:
            hd_report_add(r, &r->unseen,
                          "processes share memory; only races within one of them are looked for");
            continue;
        case HD_REMARK_UNMODELLED:
            hd_report_add(r, &r->unmodelled, subject);
            continue;
        case HD_REMARK_STARTS_THREADS:
            hd_report_add(r, &s->start_threads, subject);
            hd_report_add(r, &r->uninstrumented, subject);
            if (is_foreign_openmp(subject))
                hd_report_add(r, &r->unseen,
                              "OpenMP regions ran on a library that is not Heddle's");
            break;
        case HD_REMARK_LOADED:
            hd_report_add(r, &r->uninstrumented, subject);
            break;
        case HD_REMARK_OTHER:
        case HD_REMARK_STUCK:
        case HD_REMARK_STARTED_UNSEEN:
        case HD_REMARK_RELEASED_BY_OTHER:
        case HD_REMARK_FORKED:
        case HD_REMARK_EXEC:
            break;
        }
        hd_report_add(r, &r->notes, hd_remarks_text(remarks, i, text));
    }
}

bool hd_session_is_part(const struct hd_build_info *info)
{
    return info->limit || info->lost || info->broken || info->cut;
}

void hd_session_notes(struct hd_session *s, const struct hd_build_info *info)
{
    struct hd_report *r = s->r;
    take_remarks(s, &info->remarks);
    if (!s->deadline) /* what was done unasked takes nothing from the rest */
        r->cut = r->cut || hd_session_is_part(info);
    s->in_part = s->in_part || (info->cut && s->deadline);
    if (info->cut && !s->deadline) {
        s->late = s->late || info->cut == HD_STOP_TIME;
        hd_report_add(r, &r->notes,
                      info->cut == HD_STOP_TIME
                          ? "half of the time budget was used up while a recording was read: only "
                            "its beginning is analysed"
                          : "half of the memory was used up while a recording was read: only its "
                            "beginning is analysed");
    }
    if (info->lost)
        hd_report_add(r, &r->notes, "a trace is incomplete: it could not be written to the end");
    if (info->broken)
        hd_report_add(r, &r->notes, "the end of a log was damaged by the program; it is left out");
    if (info->outside_writes)
        hd_report_add(r, &r->notes,
                      "memory was written by code that is not instrumented; races "
                      "with such code can be missed");
}
