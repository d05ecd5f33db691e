#include "recording/remarks.h"

#include "base/err.h"
#include "log/rt_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_SUBJECT 500

static const struct {
    const char *before, *behind;
} sentences[] = {
#define HD_REMARK_ROW(kind, before, behind) {before, behind},
    HD_REMARKS(HD_REMARK_ROW)
#undef HD_REMARK_ROW
};

void hd_remarks_fini(struct hd_remarks *r)
{
    hd_names_fini(&r->entries);
}

void hd_remarks_add(struct hd_remarks *r, enum hd_remark kind, const char *subject)
{
    char entry[MAX_SUBJECT + 2];
    int len = snprintf(entry, sizeof entry, "%c%s", 'A' + (int)kind, subject);
    hd_names_add(&r->entries, entry, len < (int)sizeof entry ? (size_t)len : sizeof entry - 1);
}

void hd_remarks_addf(struct hd_remarks *r, enum hd_remark kind, const char *format, ...)
{
    char subject[MAX_SUBJECT + 1];
    va_list args;
    va_start(args, format);
    vsnprintf(subject, sizeof subject, format, args);
    va_end(args);
    hd_remarks_add(r, kind, subject);
}

void hd_remarks_add_unmodelled(struct hd_remarks *r, const char *subject)
{
    size_t assembly = strlen(HD_LOG_ASSEMBLY); /* a place may follow */
    enum hd_remark kind = !strncmp(subject, HD_LOG_ASSEMBLY, assembly) ? HD_REMARK_UNREAD
                          : !strcmp(subject, HD_LOG_STRANGERS)         ? HD_REMARK_UNRECORDED
                                                                       : HD_REMARK_UNMODELLED;
    hd_remarks_add(r, kind, subject);
}

void hd_remarks_merge(struct hd_remarks *to, const struct hd_remarks *from)
{
    for (size_t i = 0; i < hd_remarks_count(from); i++)
        hd_remarks_add(to, hd_remarks_kind(from, i), hd_remarks_subject(from, i));
}

enum hd_remark hd_remarks_kind(const struct hd_remarks *r, size_t i)
{
    HD_DCHECK(i < r->entries.count);
    return (enum hd_remark)(*hd_names_text(&r->entries, (uint32_t)i) - 'A');
}

const char *hd_remarks_subject(const struct hd_remarks *r, size_t i)
{
    HD_DCHECK(i < r->entries.count);
    return hd_names_text(&r->entries, (uint32_t)i) + 1;
}

const char *hd_remarks_text(const struct hd_remarks *r, size_t i, char *text)
{
    enum hd_remark kind = hd_remarks_kind(r, i);
    snprintf(text, HD_REMARK_SIZE, "%s%s%s", sentences[kind].before, hd_remarks_subject(r, i),
             sentences[kind].behind);
    return text;
}
