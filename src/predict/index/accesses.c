#include "predict/index/accesses.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/stop.h"

#include <string.h>

/* By thread: where its events of the object in hand go. */
struct rows {
    uint32_t *next;           /* by thread; 0 between objects */
    struct hd_u32vec threads; /* that use the object */
};

static int by_number(const void *x, const void *y, void *unused)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    (void)unused;
    return a < b ? -1 : a > b;
}

/* The events of one object, which come in the order of the trace, by thread. */
static void by_thread(const struct hd_trace *t, const hd_eid *events, uint32_t n, struct rows *rows,
                      hd_eid *out)
{
    rows->threads.len = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!rows->next[t->thread[events[i]]]++)
            hd_u32vec_push(&rows->threads, t->thread[events[i]]);
    hd_sort(rows->threads.data, rows->threads.len, sizeof(uint32_t), by_number, NULL);
    for (uint32_t k = 0, start = 0; k < rows->threads.len; k++) {
        uint32_t *next = &rows->next[rows->threads.data[k]], count = *next;
        *next = start;
        start += count;
    }
    for (uint32_t i = 0; i < n; i++)
        out[rows->next[t->thread[events[i]]]++] = events[i];
    for (uint32_t k = 0; k < rows->threads.len; k++)
        rows->next[rows->threads.data[k]] = 0;
}

static bool gives(enum hd_op op)
{
    return hd_op_writes(op) || op == HD_OP_SIG || op == HD_OP_BCAST || op == HD_OP_POST ||
           op == HD_OP_BARIN;
}

/* Splits the sorted events of one object into users. */
static void add_users(struct hd_accesses *a, uint32_t from, uint32_t to)
{
    const struct hd_trace *t = a->t;
    for (uint32_t i = from; i < to; i++) {
        hd_eid e = a->list[i];
        uint32_t w = (uint32_t)a->n_writes;
        if (i == from || t->thread[a->list[i - 1]] != t->thread[e])
            *(struct hd_loc_user *)hd_vec_push(&a->users) =
                (struct hd_loc_user){t->thread[e], i, i, w, w};
        struct hd_loc_user *user = hd_vec_at(&a->users, a->users.len - 1);
        user->end = i + 1;
        if (gives(t->op[e])) {
            a->writes[a->n_writes++] = e;
            user->wend = (uint32_t)a->n_writes;
        }
    }
}

static int compare_values(struct hd_value x, struct hd_value y)
{
    if (x.unique != y.unique)
        return x.unique ? 1 : -1;
    return x.bits < y.bits ? -1 : x.bits > y.bits;
}

static int by_value_then_order(const void *x, const void *y, void *arg)
{
    const struct hd_accesses *a = arg;
    uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    int order = compare_values(hd_trace_write_value(a->t, a->writes[i]),
                               hd_trace_write_value(a->t, a->writes[k]));
    return order ? order : i < k ? -1 : i > k;
}

/* All writes to an object: those of its users stand together. */
static struct hd_value_writes writes_of(const struct hd_accesses *a, uint32_t obj)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(a, obj, &n);
    return n ? (struct hd_value_writes){users[0].wstart, users[n - 1].wend}
             : (struct hd_value_writes){0, 0};
}

/* The values that are written to one object, ascending; none when they are more than fit. */
struct few_values {
    struct hd_value list[HD_VALUE_RANK_MANY];
    uint32_t n;
};

static bool add_value(struct few_values *few, struct hd_value value)
{
    uint32_t i = 0;
    while (i < few->n && compare_values(few->list[i], value) < 0)
        i++;
    if (i < few->n && hd_value_eq(few->list[i], value))
        return true;
    if (few->n == HD_VALUE_RANK_MANY)
        return false;
    memmove(&few->list[i + 1], &few->list[i], (few->n - i) * sizeof few->list[0]);
    few->list[i] = value;
    few->n++;
    return true;
}

static uint8_t rank_of(const struct few_values *few, struct hd_value value)
{
    uint8_t rank = 0;
    while (!hd_value_eq(few->list[rank], value))
        rank++;
    return rank;
}

/* Sorts by counting. False: there are too many values. */
static bool sort_few(struct hd_accesses *a, struct hd_value_writes all)
{
    struct few_values few = {.n = 0};
    uint32_t next[HD_VALUE_RANK_MANY + 1] = {0};
    for (uint32_t i = all.start; i < all.end; i++)
        if (!add_value(&few, hd_trace_write_value(a->t, a->writes[i])))
            return false;
    for (uint32_t i = all.start; i < all.end; i++) {
        a->value_rank[i] = rank_of(&few, hd_trace_write_value(a->t, a->writes[i]));
        next[a->value_rank[i] + 1]++;
    }
    for (uint32_t k = 0; k < few.n; k++)
        next[k + 1] += next[k];
    for (uint32_t i = all.start; i < all.end; i++)
        a->by_value[all.start + next[a->value_rank[i]]++] = i;
    return true;
}

static void sort_many(struct hd_accesses *a, struct hd_value_writes all)
{
    memset(a->value_rank + all.start, HD_VALUE_RANK_MANY, all.end - all.start);
    for (uint32_t i = all.start; i < all.end; i++)
        a->by_value[i] = i;
    hd_sort(a->by_value + all.start, all.end - all.start, sizeof *a->by_value, by_value_then_order,
            a);
}

static void sort_values(struct hd_accesses *a)
{
    a->by_value = hd_alloc(a->n_writes * sizeof *a->by_value);
    a->value_rank = hd_alloc(a->n_writes);
    for (uint32_t obj = 0; obj < hd_trace_n_objs(a->t, a->kind) && !hd_stop_often(obj); obj++) {
        struct hd_value_writes all = writes_of(a, obj);
        if (!sort_few(a, all))
            sort_many(a, all);
    }
}

struct hd_accesses *hd_accesses_new(const struct hd_trace *t, enum hd_obj_kind kind)
{
    struct hd_accesses *a = hd_calloc(1, sizeof *a);
    size_t objs = hd_trace_n_objs(t, kind);
    const struct hd_index *index = &t->by_obj[kind];
    a->t = t;
    a->kind = kind;
    a->users = HD_VEC_INIT(struct hd_loc_user);
    a->n_list = index->start[objs];
    a->list = hd_alloc(a->n_list * sizeof *a->list);
    a->writes = hd_alloc(a->n_list * sizeof *a->writes);
    a->user_start = hd_calloc(objs + 1, sizeof *a->user_start);
    struct rows rows = {.next = hd_calloc(hd_trace_n_threads(t), sizeof *rows.next)};
    for (uint32_t obj = 0; obj < objs && !hd_stop_often(obj); obj++) {
        uint32_t from = index->start[obj], to = index->start[obj + 1];
        by_thread(t, index->list + from, to - from, &rows, a->list + from);
        add_users(a, from, to);
        a->user_start[obj + 1] = (uint32_t)a->users.len;
    }
    hd_u32vec_fini(&rows.threads);
    hd_free(rows.next, hd_trace_n_threads(t) * sizeof *rows.next);
    a->writes = hd_realloc_array(a->writes, a->n_list, a->n_writes, sizeof *a->writes);
    hd_vec_trim(&a->users);
    if (kind == HD_OBJ_LOC && hd_stop_now() == HD_STOP_NO)
        sort_values(a);
    return a;
}

void hd_accesses_free(struct hd_accesses *a)
{
    if (!a)
        return;
    hd_free(a->list, a->n_list * sizeof *a->list);
    hd_free(a->writes, a->n_writes * sizeof *a->writes);
    hd_free(a->by_value, a->by_value ? a->n_writes * sizeof *a->by_value : 0);
    hd_free(a->value_rank, a->value_rank ? a->n_writes : 0);
    hd_free(a->user_start, (hd_trace_n_objs(a->t, a->kind) + 1) * sizeof *a->user_start);
    hd_vec_fini(&a->users);
    hd_free(a, sizeof *a);
}

/* The first index in [lo, hi) whose event is e or a later one. */
static uint32_t first_after(const hd_eid *events, uint32_t lo, uint32_t hi, hd_eid e)
{
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (events[mid] < e)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The first index in [lo, hi) whose event stands at position >= pos of thread u, whose events these
 * are, in program order. Looked for by number: their positions would be one more step each. */
static uint32_t first_from(const struct hd_trace *t, const hd_eid *events, uint32_t lo, uint32_t hi,
                           hd_tid u, uint32_t pos)
{
    size_t n;
    const hd_eid *own = hd_trace_thread_events(t, u, &n);
    return pos >= n ? hi : first_after(events, lo, hi, own[pos]);
}

uint32_t hd_accesses_write_from(const struct hd_accesses *a, const struct hd_loc_user *user,
                                uint32_t pos)
{
    return first_from(a->t, a->writes, user->wstart, user->wend, user->thread, pos);
}

uint32_t hd_accesses_write_near(const struct hd_accesses *a, const struct hd_loc_user *user,
                                uint32_t pos, uint32_t near)
{
    size_t n;
    const hd_eid *own = hd_trace_thread_events(a->t, user->thread, &n);
    return pos >= n ? user->wend : hd_accesses_write_after(a, user, own[pos], near);
}

uint32_t hd_accesses_write_after(const struct hd_accesses *a, const struct hd_loc_user *user,
                                 hd_eid e, uint32_t near)
{
    uint32_t lo = user->wstart, hi = user->wend, step = 1;
    if (near < lo)
        near = lo;
    if (near < hi && a->writes[near] < e) {
        lo = near + 1;
        for (; hi - lo > step && a->writes[lo + step] < e; step *= 2)
            lo += step + 1;
        hi = hi - lo > step ? lo + step : hi;
    } else {
        hi = near < hi ? near : hi;
        for (; hi - lo > step && a->writes[hi - step] >= e; step *= 2)
            hi -= step;
        lo = hi - lo > step ? hi - step + 1 : lo;
    }
    return first_after(a->writes, lo, hi, e);
}

uint32_t hd_accesses_from(const struct hd_accesses *a, const struct hd_loc_user *user, uint32_t pos)
{
    return first_from(a->t, a->list, user->start, user->end, user->thread, pos);
}

/* The first place in by_value, from lo to hi, whose value is not below (or, if `above`, above)
 * this.
 */
static uint32_t value_bound(const struct hd_accesses *a, uint32_t lo, uint32_t hi,
                            struct hd_value value, bool above)
{
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        int order = compare_values(hd_trace_write_value(a->t, a->writes[a->by_value[mid]]), value);
        if (order < 0 || (above && !order))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Whether the write at this place in by_value is of a lower value. */
static bool below(const struct hd_accesses *a, uint32_t place, struct hd_value value)
{
    hd_eid w = a->writes[a->by_value[place]];
    return compare_values(hd_trace_write_value(a->t, w), value) < 0;
}

/* The first place in `all` with a value that is not below this, looked for from `near` on. */
static uint32_t value_near(const struct hd_accesses *a, struct hd_value_writes all,
                           struct hd_value value, uint32_t near)
{
    uint32_t lo = all.start, hi = all.end, step = 1;
    if (near < lo || near >= hi)
        return value_bound(a, lo, hi, value, false);
    if (below(a, near, value)) {
        lo = near + 1;
        for (; hi - lo > step && below(a, lo + step, value); step *= 2)
            lo += step + 1;
        hi = hi - lo > step ? lo + step : hi;
    } else {
        hi = near;
        for (; hi - lo > step && !below(a, hi - step, value); step *= 2)
            hi -= step;
        lo = hi - lo > step ? hi - step + 1 : lo;
    }
    return value_bound(a, lo, hi, value, false);
}

struct hd_value_writes hd_accesses_values(const struct hd_accesses *a, uint32_t obj,
                                          struct hd_value value)
{
    return hd_accesses_values_near(a, obj, value, UINT32_MAX);
}

struct hd_value_writes hd_accesses_values_near(const struct hd_accesses *a, uint32_t obj,
                                               struct hd_value value, uint32_t near)
{
    struct hd_value_writes all = writes_of(a, obj);
    uint32_t start = value_near(a, all, value, near), step = 1, end = start;
    /* Mostly there are few: the end is looked for from the start on. */
    while (end < all.end &&
           hd_value_eq(hd_trace_write_value(a->t, a->writes[a->by_value[end]]), value)) {
        end = all.end - end > step ? end + step : all.end;
        step *= 2;
    }
    return (struct hd_value_writes){start, value_bound(a, start, end, value, true)};
}

uint32_t hd_accesses_value_from(const struct hd_accesses *a, const struct hd_loc_user *user,
                                struct hd_value_writes values, uint32_t i)
{
    uint32_t lo = values.start, hi = values.end; /* the first that is not below i */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (a->by_value[mid] < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < values.end && a->by_value[lo] < user->wend ? a->by_value[lo] : user->wend;
}
