#include "model/witness_runs.h"

#include "base/alloc.h"

#include <string.h>

void hd_runs_init(struct hd_runs *r, const struct hd_trace *t)
{
    *r = (struct hd_runs){t, hd_calloc(hd_trace_n_threads(t), sizeof *r->done)};
}

void hd_runs_fini(struct hd_runs *r)
{
    hd_free(r->done, hd_trace_n_threads(r->t) * sizeof *r->done);
}

bool hd_runs_take(struct hd_runs *r, hd_tid thread, size_t count, hd_eid *to)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(r->t, thread, &n);
    if (count > n - r->done[thread])
        return false;
    memcpy(to, events + r->done[thread], count * sizeof *to);
    r->done[thread] += (uint32_t)count;
    return true;
}

/* Where the run that begins at i ends. */
static size_t run_end(const struct hd_trace *t, const hd_eid *schedule, size_t n, size_t i)
{
    size_t end = i + 1;
    while (end < n && t->thread[schedule[end]] == t->thread[schedule[i]])
        end++;
    return end;
}

bool hd_runs_suit(const struct hd_trace *t, const hd_eid *schedule, size_t n)
{
    struct hd_runs r;
    size_t runs = 0;
    bool whole = true;
    if (n <= HD_RUNS_ABOVE)
        return false;
    hd_runs_init(&r, t);
    for (size_t i = 0; i < n && whole; i++) {
        runs += i == 0 || t->thread[schedule[i]] != t->thread[schedule[i - 1]];
        whole = t->pos[schedule[i]] == r.done[t->thread[schedule[i]]]++;
    }
    hd_runs_fini(&r);
    return whole && runs < n / 2;
}

void hd_runs_write(struct hd_json *j, const struct hd_trace *t, const hd_eid *schedule, size_t n)
{
    hd_json_begin_object(j);
    hd_json_key(j, "form");
    hd_json_uint(j, HD_RUNS_FORM);
    hd_json_key(j, "entries");
    hd_json_uint(j, n);
    hd_json_key(j, "list");
    hd_json_begin_array(j);
    for (size_t i = 0, end; i < n; i = end) {
        end = run_end(t, schedule, n, i);
        hd_json_begin_array(j);
        hd_json_string(j, hd_trace_thread_name(t, t->thread[schedule[i]]));
        hd_json_uint(j, end - i);
        hd_json_end_array(j);
    }
    hd_json_end_array(j);
    hd_json_end_object(j);
}
