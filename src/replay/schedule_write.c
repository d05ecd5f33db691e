/* The file of a schedule: abi/rt_schedule.h. */
#include "base/alloc.h"
#include "base/bytes.h"
#include "replay/schedule.h"

#include <errno.h>
#include <stdio.h>

static void put_modules(const struct hd_origins *o, struct hd_bytes *out, uint64_t at)
{
    uint64_t text = at + o->modules.len * sizeof(uint64_t);
    for (size_t i = 0; i < o->modules.len; i++) {
        const struct hd_origin_module *m = hd_vec_at(&o->modules, i);
        hd_bytes_put(out, &text, sizeof text);
        text += strlen(m->path) + 1;
    }
    for (size_t i = 0; i < o->modules.len; i++) {
        const struct hd_origin_module *m = hd_vec_at(&o->modules, i);
        hd_bytes_put(out, m->path, strlen(m->path) + 1);
    }
}

enum hd_status hd_schedule_write(const struct hd_schedule *s, const struct hd_origins *o, bool swap,
                                 const char *path, struct hd_err *err)
{
    static const struct hd_sched_entry none; /* places in an empty list */
    const struct hd_sched_entry *e = s->entries.len ? s->entries.data : &none;
    size_t size = sizeof *e, rest = s->entries.len - s->n_first - s->n_second;
    struct hd_sched_header h = {.magic = HD_SCHED_MAGIC,
                                .n_threads = (uint32_t)s->threads.len,
                                .n_modules = (uint32_t)o->modules.len,
                                .n_entries = s->entries.len,
                                .n_first = swap ? s->n_second : s->n_first,
                                .n_second = swap ? s->n_first : s->n_second,
                                .stacks = s->stacks,
                                .n_blocks = s->n_blocks,
                                .stays = s->stays,
                                .holds = s->holds && s->n_first && s->n_second};
    struct hd_bytes out = {0};
    if (o->modules.len > HD_SCHED_MAX_MODULES || s->threads.len >= HD_SCHED_NO_THREAD)
        return hd_err_set(err, HD_ERR_LIMIT, "the program has too many modules or threads");
    h.threads = sizeof h;
    h.entries = h.threads + s->threads.len * sizeof(struct hd_sched_thread);
    h.modules = h.entries + s->entries.len * size;
    hd_bytes_put(&out, &h, sizeof h);
    hd_bytes_put(&out, s->threads.data, s->threads.len * sizeof(struct hd_sched_thread));
    hd_bytes_put(&out, e, rest * size);
    hd_bytes_put(&out, swap ? e + rest + s->n_first : e + rest, h.n_first * size);
    hd_bytes_put(&out, swap ? e + rest : e + rest + s->n_first, h.n_second * size);
    put_modules(o, &out, h.modules);
    while (out.len % sizeof(uint64_t))
        hd_bytes_put(&out, "", 1);
    h.blocks = out.len;
    hd_bytes_put(&out, s->blocks, s->n_blocks * sizeof *s->blocks);
    h.bytes = out.len;
    memcpy(out.data, &h, sizeof h);
    FILE *f = fopen(path, "wbe");
    bool good = f && fwrite(out.data, 1, out.len, f) == out.len;
    int e1 = errno;
    if (f && fclose(f))
        good = false;
    hd_bytes_fini(&out);
    return good
               ? HD_OK
               : hd_err_set(err, HD_ERR_IO, "cannot write the schedule %s: %s", path, strerror(e1));
}
