/* What the user is told beside the trace: notes of the runtime, deadlocks. */
#include "build/walk.h"

#include "base/printable.h"

#include <stdio.h>
#include <string.h>

void hd_walk_on_name(struct hd_walk *w, const struct hd_raw *rec)
{
    if (rec->w[0] >= w->threads.len)
        return;
    struct hd_walk_thread *t = hd_vec_at(&w->threads, rec->w[0]);
    if (rec->len)
        snprintf(t->title, sizeof t->title, "%.*s", (int)rec->len, (const char *)rec->data);
    else if (!*t->title)
        hd_recnames_function(&w->in.debug, rec->site, t->title, sizeof t->title);
    hd_printable_make(t->title);
}

/* "T1.2", or "T1.2 (worker)" when the thread has a title. */
static void thread_text(const struct hd_walk_thread *t, char *out, size_t size)
{
    snprintf(out, size, "%s%s%s%s", t->name ? t->name : "T1", *t->title ? " (" : "", t->title,
             *t->title ? ")" : "");
}

/* One entry for each line; the text may lack its end. */
static void take_rules(struct hd_walk *w, const char *text, size_t len)
{
    while (len) {
        const char *end = memchr(text, '\n', len);
        size_t n = end ? (size_t)(end - text) : len;
        if (n)
            hd_names_add(&w->info->rules, text, n);
        n += end != NULL;
        text += n;
        len -= n;
    }
}

/* "inline assembly, first at file.c:3" */
static void add_unmodelled(struct hd_walk *w, uint64_t site, const char *text)
{
    char place[256];
    if (strcmp(text, HD_LOG_ASSEMBLY) != 0 || !hd_walk_site_place(w, site, place, sizeof place))
        hd_remarks_add_unmodelled(&w->info->remarks, text);
    else
        hd_remarks_addf(&w->info->remarks, HD_REMARK_UNREAD, "%s, first at %s", text, place);
}

void hd_walk_on_note(struct hd_walk *w, const struct hd_raw *rec)
{
    char text[200];
    snprintf(text, sizeof text, "%.*s", (int)(rec->len < 180 ? rec->len : 180),
             (const char *)rec->data);
    const struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_remarks *remarks = &w->info->remarks;
    char who[160];
    thread_text(t, who, sizeof who);
    switch ((enum hd_note)rec->w[0]) {
    case HD_NOTE_STUCK:
        w->info->stuck++;
        hd_remarks_add(remarks, HD_REMARK_STUCK, who);
        break;
    case HD_NOTE_UNMODELLED:
        add_unmodelled(w, rec->site, text);
        break;
    case HD_NOTE_FOREIGN_REL:
        break;
    case HD_NOTE_FOREIGN:
        if (hd_recnames_module(&w->in.debug, rec->site, text, sizeof text) &&
            strncmp(text, "libstdc++", 9) != 0 && strncmp(text, "libc++", 6) != 0)
            hd_remarks_add(remarks, HD_REMARK_STARTS_THREADS, text);
        break;
    case HD_NOTE_LOADED:
        hd_remarks_add(remarks, HD_REMARK_LOADED, text);
        break;
    case HD_NOTE_FORKED:
        if (!*text)
            hd_remarks_add(remarks, HD_REMARK_FORKED, "");
        break;
    case HD_NOTE_EXEC:
        hd_remarks_add(remarks, HD_REMARK_EXEC, "");
        break;
    case HD_NOTE_RULES:
        take_rules(w, (const char *)rec->data, rec->len);
        break;
    }
}

static uint32_t word(struct hd_walk *w, const char *text)
{
    return hd_names_add(&w->info->words, text, strlen(text));
}

/* The thread's entry, made when it is named first. */
static struct hd_build_wait *wait_of(struct hd_walk *w, const char *thread)
{
    uint32_t id = word(w, thread);
    for (size_t i = 0; i < w->info->waits.len; i++) {
        struct hd_build_wait *wait = hd_vec_at(&w->info->waits, i);
        if (wait->thread == id)
            return wait;
    }
    struct hd_build_wait *wait = hd_vec_push(&w->info->waits);
    uint32_t none = word(w, "");
    *wait = (struct hd_build_wait){.thread = id, .kind = none, .object = none, .place = none};
    return wait;
}

static void on_frames(struct hd_walk *w, const struct hd_raw *rec, const char *thread)
{
    for (size_t i = 0; i < rec->len / 8; i++) {
        char function[256], place[256] = "";
        uint64_t pc;
        memcpy(&pc, rec->data + 8 * i, 8);
        if (!hd_recnames_function(&w->in.debug, pc, function, sizeof function))
            continue; /* start code of libc, without symbols */
        if (!hd_recnames_place(&w->in.debug, pc, place, sizeof place) || !strcmp(function, place))
            *place = 0;
        hd_u32vec_push(&wait_of(w, thread)->frames, word(w, function));
        hd_u32vec_push(&wait_of(w, thread)->frames, word(w, place));
        hd_remarks_addf(&w->info->remarks, HD_REMARK_DEADLOCK, "%s #%zu %.200s%s%s", thread, i,
                        function, *place ? " at " : "", place);
    }
}

void hd_walk_on_deadlock(struct hd_walk *w, const struct hd_raw *rec)
{
    static const char *const kinds[] = {
        [HD_WAITS_LOCK] = "lock",       [HD_WAITS_COND] = "condition", [HD_WAITS_SEM] = "semaphore",
        [HD_WAITS_BARRIER] = "barrier", [HD_WAITS_JOIN] = "end of",    [HD_WAITS_FUTEX] = "futex",
        [HD_WAITS_OTHER] = "event",
    };
    char name[256] = "a thread", place[256] = "unknown";
    w->info->deadlock = true;
    if (rec->w[0] >= w->threads.len)
        return;
    const struct hd_walk_thread *t = hd_vec_at(&w->threads, rec->w[0]);
    char who[160];
    thread_text(t, who, sizeof who);
    if (rec->kind == HD_LOG_FRAMES) {
        on_frames(w, rec, t->name);
        return;
    }
    if (rec->kind == HD_LOG_HOLDS) {
        hd_walk_address(w, rec->w[1], name, sizeof name);
        hd_u32vec_push(&wait_of(w, t->name)->holds, word(w, name));
        hd_remarks_addf(&w->info->remarks, HD_REMARK_DEADLOCK, "%s holds %s", who, name);
        return;
    }
    uint64_t kind = rec->w[1] >= 1 && rec->w[1] <= HD_WAITS_OTHER ? rec->w[1] : HD_WAITS_OTHER;
    if (kind != HD_WAITS_JOIN)
        hd_walk_address(w, rec->w[2], name, sizeof name);
    else if (rec->w[2] < w->threads.len)
        snprintf(name, sizeof name, "%s",
                 ((struct hd_walk_thread *)hd_vec_at(&w->threads, rec->w[2]))->name);
    if (rec->site)
        hd_recnames_place(&w->in.debug, rec->site, place, sizeof place);
    struct hd_build_wait *wait = wait_of(w, t->name);
    wait->kind = word(w, kinds[kind]);
    wait->object = word(w, name);
    wait->place = word(w, place);
    hd_remarks_addf(&w->info->remarks, HD_REMARK_DEADLOCK, "%s waits for %s %s at %s", who,
                    kinds[kind], name, place);
}
