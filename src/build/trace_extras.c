/* What a trace carries besides its events: inputs, arrivals, origins, names of threads, notes. */
#include "base/alloc.h"
#include "build/walk.h"
#include "recording/kept_arrivals.h"
#include "recording/kept_inputs.h"

#include <string.h>

/* Entries: key ended by a zero byte, varint length, contents. */
static enum hd_status read_inputs(struct hd_walk *w, struct hd_trace *t)
{
    char *data;
    size_t len;
    if (!hd_rec_has(&w->in.file, HD_REC_INPUTS))
        return HD_OK;
    enum hd_status s = hd_rec_get(&w->in.file, HD_REC_INPUTS, &data, &len, w->err);
    if (s != HD_OK)
        return s;
    struct hd_bytes_cur c = {(const uint8_t *)data, (const uint8_t *)data + len, false};
    while (c.p < c.end && !c.bad) {
        const char *key = (const char *)c.p;
        c.p += strlen(key) + 1; /* the block is followed by a zero byte */
        uint64_t n = hd_bytes_get(&c);
        if (c.bad || n > (uint64_t)(c.end - c.p))
            break;
        hd_trace_meta_add(t, key, c.p, n);
        c.p += n;
    }
    hd_free(data, len + 1);
    return HD_OK;
}

static void save_titles(const struct hd_walk *w, struct hd_trace *trace)
{
    hd_tid n = hd_trace_n_threads(trace);
    const char **titles = hd_calloc(n, sizeof *titles);
    for (size_t i = 0; i < w->threads.len; i++) {
        const struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
        if (t->name && t->tid < n)
            titles[t->tid] = t->title;
    }
    hd_trace_meta_add(trace, "threads", NULL, 0);
    for (hd_tid u = 0; u < n; u++)
        hd_trace_meta_add(trace, "threads", titles[u] ? titles[u] : "",
                          titles[u] ? strlen(titles[u]) + 1 : 1);
    hd_free(titles, n * sizeof *titles);
}

/* What the user was told about the trace stays with it. */
static void save_notes(const struct hd_walk *w, struct hd_trace *trace)
{
    char note[HD_REMARK_SIZE];
    struct hd_remarks *remarks = &w->info->remarks;
    for (size_t i = 0; hd_recmeta_get(&w->in.meta, "unmodelled", i, note, sizeof note); i++)
        hd_remarks_add_unmodelled(remarks, note);
    for (size_t i = 0; hd_recmeta_get(&w->in.meta, "note", i, note, sizeof note); i++)
        hd_remarks_add(remarks, HD_REMARK_OTHER, note); /* in recordings of earlier versions */
    hd_trace_meta_add(trace, "notes", NULL, 0);
    for (size_t i = 0; i < hd_remarks_count(remarks); i++) {
        const char *text = hd_remarks_text(remarks, i, note);
        hd_trace_meta_add(trace, "notes", text, strlen(text) + 1);
    }
}

enum hd_status hd_walk_save_extras(struct hd_walk *w, struct hd_trace *trace)
{
    enum hd_status s = read_inputs(w, trace);
    if (s != HD_OK)
        return s;
    hd_inputs_save_process(trace, &w->in.meta);
    hd_kept_arrivals_save(&w->in.arrivals, trace);
    hd_origin_save(&w->out.origins, &w->in.modules, trace);
    save_titles(w, trace);
    save_notes(w, trace);
    return HD_OK;
}
