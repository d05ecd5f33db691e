/* Explicit tasks. Any member of the team may run a task, at any time up to the next place that
 * waits for it; so each deferred task is a thread of its own, created where the task is, joined
 * where the program waits. Tasks of a team of one, and those that must not be deferred, run where
 * they are. */
#include "openmp/omp_team.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t (*hd_omp_entry)(int32_t gtid, void *task);

struct hd_omp_compiled { /* what the compiler knows of a task; its private data follow */
    void *shareds;
    hd_omp_entry entry;
    int32_t part;
    union {
        int32_t priority;
        hd_omp_entry destructors;
    } data1, data2;
};

enum {
    TASK_FINAL = 1 << 1,
    TASK_DESTRUCTORS = 1 << 3,
    TASK_DETACHABLE = 1 << 6,
    TASK_KEPT = 1 << 30, /* ours: tasks to come may depend on it */
};

struct hd_omp_task {
    struct hd_omp_thread thread; /* who runs it */
    int32_t flags;
    struct hd_omp_task **before; /* that it depends on */
    size_t n_before;
    pthread_mutex_t **exclusive; /* mutexinoutset, in the order of their addresses */
    size_t n_exclusive;
    sem_t done;      /* if TASK_KEPT: 1 from its end on; those who wait put it back */
    sem_t fulfilled; /* detachable */
    size_t bytes;    /* of the part that the compiler knows */
    bool has_thread;
};

/* Stands before the part of a task that the compiler knows. */
struct head {
    struct hd_omp_task task;
    struct hd_omp_compiled compiled[];
};

static struct hd_omp_task *task_of(struct hd_omp_compiled *c)
{
    return &((struct head *)((char *)c - offsetof(struct head, compiled)))->task;
}

static struct hd_omp_compiled *compiled_of(struct hd_omp_task *task)
{
    return ((struct head *)(void *)task)->compiled;
}

struct hd_omp_compiled *__kmpc_omp_task_alloc(hd_omp_ident *loc, int32_t gtid, int32_t flags,
                                              size_t size, size_t shareds, hd_omp_entry entry);
struct hd_omp_compiled *__kmpc_omp_task_alloc(hd_omp_ident *loc, int32_t gtid, int32_t flags,
                                              size_t size, size_t shareds, hd_omp_entry entry)
{
    (void)loc;
    (void)gtid;
    size = (size + 15) & ~(size_t)15;
    struct head *h = hd_omp_alloc(sizeof *h + size + shareds);
    struct hd_omp_compiled *c = h->compiled;
    h->task.flags = flags;
    h->task.bytes = size + shareds;
    c->entry = entry;
    c->shareds = shareds ? (char *)c + size : NULL;
    return c;
}

struct hd_omp_compiled *__kmpc_omp_target_task_alloc(hd_omp_ident *loc, int32_t gtid, int32_t flags,
                                                     size_t size, size_t shareds,
                                                     hd_omp_entry entry, int64_t device);
struct hd_omp_compiled *__kmpc_omp_target_task_alloc(hd_omp_ident *loc, int32_t gtid, int32_t flags,
                                                     size_t size, size_t shareds,
                                                     hd_omp_entry entry, int64_t device)
{
    (void)device;
    return __kmpc_omp_task_alloc(loc, gtid, flags, size, shareds, entry);
}

static void push(struct hd_omp_tasks *list, struct hd_omp_task *task)
{
    if (list->n == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 8;
        list->items = realloc(list->items, list->cap * sizeof *list->items);
        if (!list->items)
            hd_omp_fail("out of memory");
    }
    list->items[list->n++] = task;
}

/* ---- dependences between the children of one task ---- */

struct hd_omp_dep { /* as the compiler lays it out */
    intptr_t address;
    size_t len;
    uint8_t flags;
};
enum { DEP_IN = 1, DEP_OUT = 2, DEP_EXCLUSIVE = 4, DEP_SET = 8, DEP_ALL = 0x80 };

struct hd_omp_deps {
    struct hd_omp_deps *next;
    intptr_t address;
    struct hd_omp_tasks writers, readers; /* the last of them */
    struct hd_omp_tasks earlier;          /* what the set in `writers` waits for */
    int last_kind;                        /* flags of the tasks in `writers` */
    pthread_mutex_t exclusive;
};

static struct hd_omp_deps *deps_of(struct hd_omp_thread *t, intptr_t address)
{
    struct hd_omp_deps *d = t->deps;
    while (d && d->address != address)
        d = d->next;
    if (d)
        return d;
    d = hd_omp_alloc(sizeof *d);
    d->next = t->deps;
    d->address = address;
    pthread_mutex_init(&d->exclusive, NULL);
    t->deps = d;
    return d;
}

void hd_omp_deps_free(struct hd_omp_thread *t)
{
    while (t->deps) {
        struct hd_omp_deps *next = t->deps->next;
        pthread_mutex_destroy(&t->deps->exclusive);
        free(t->deps->writers.items);
        free(t->deps->readers.items);
        free(t->deps->earlier.items);
        free(t->deps);
        t->deps = next;
    }
}

struct before {
    struct hd_omp_tasks tasks;
    pthread_mutex_t **exclusive;
    size_t n_exclusive;
};

static void add_all(struct before *b, const struct hd_omp_tasks *list)
{
    for (size_t i = 0; i < list->n; i++)
        push(&b->tasks, list->items[i]);
}

static void swap(struct hd_omp_tasks *x, struct hd_omp_tasks *y)
{
    struct hd_omp_tasks x_was = *x;
    *x = *y;
    *y = x_was;
}

/* A task that only reads waits for the last writers; one that writes, for all since then. Tasks of
 * the same inoutset or mutexinoutset do not wait for each other. */
static void depend(struct hd_omp_thread *me, struct hd_omp_task *task, const struct hd_omp_dep *dep,
                   struct before *b)
{
    struct hd_omp_deps *d = deps_of(me, dep->address);
    int set = dep->flags & (DEP_EXCLUSIVE | DEP_SET);
    if (dep->flags & DEP_EXCLUSIVE)
        b->exclusive[b->n_exclusive++] = &d->exclusive;
    if ((dep->flags & (DEP_IN | DEP_OUT)) == DEP_IN && !set) {
        add_all(b, &d->writers);
        if (task)
            push(&d->readers, task);
        return;
    }
    if (set && d->last_kind == set && !d->readers.n) {
        add_all(b, &d->earlier);
    } else {
        add_all(b, &d->readers);
        add_all(b, &d->writers);
        if (!task)
            return;
        swap(&d->earlier, &d->writers);
        for (size_t i = 0; i < d->readers.n; i++)
            push(&d->earlier, d->readers.items[i]);
        d->readers.n = d->writers.n = 0;
        d->last_kind = set;
    }
    if (task)
        push(&d->writers, task);
}

static int by_address(const void *x, const void *y)
{
    uintptr_t a = (uintptr_t) * (pthread_mutex_t *const *)x,
              b = (uintptr_t) * (pthread_mutex_t *const *)y;
    return (a > b) - (a < b);
}

static struct before before_of(struct hd_omp_thread *me, struct hd_omp_task *task, int32_t n,
                               const struct hd_omp_dep *deps, int32_t more,
                               const struct hd_omp_dep *others)
{
    struct before b = {0};
    hd_omp_own(me);
    b.exclusive = hd_omp_alloc((size_t)(n + more) * sizeof *b.exclusive);
    for (int32_t i = 0; i < n; i++)
        depend(me, task, &deps[i], &b);
    for (int32_t i = 0; i < more; i++)
        depend(me, task, &others[i], &b);
    qsort(b.exclusive, b.n_exclusive, sizeof *b.exclusive, by_address);
    return b;
}

static void await(struct hd_omp_task **tasks, size_t n, const struct hd_omp_task *but)
{
    for (size_t i = 0; i < n; i++) {
        if (tasks[i] == but)
            continue;
        sem_wait(&tasks[i]->done);
        sem_post(&tasks[i]->done);
    }
}

/* ---- running ---- */

static void leave_children(struct hd_omp_thread *t)
{
    struct hd_omp_group *g = t->group ? t->group : &t->team->rest;
    if (!t->children.n)
        return;
    if (!t->group)
        atomic_fetch_add(&t->team->left, t->children.n);
    pthread_mutex_lock(&g->lock);
    for (size_t i = 0; i < t->children.n; i++)
        push(&g->left, t->children.items[i]);
    pthread_mutex_unlock(&g->lock);
    t->children.n = 0;
}

static void body(struct hd_omp_task *task, const struct hd_omp_thread *t)
{
    struct hd_omp_compiled *c = compiled_of(task);
    if (!t->group || !atomic_load(&t->group->cancelled))
        c->entry(t->num, c);
    if (task->flags & TASK_DESTRUCTORS)
        c->data1.destructors(t->num, c);
    if (task->flags & TASK_DETACHABLE)
        sem_wait(&task->fulfilled);
}

static void *run(void *arg)
{
    struct hd_omp_task *task = arg;
    hd_omp_set_self(&task->thread);
    await(task->before, task->n_before, task);
    for (size_t i = 0; i < task->n_exclusive; i++)
        pthread_mutex_lock(task->exclusive[i]);
    body(task, &task->thread);
    for (size_t i = task->n_exclusive; i-- > 0;)
        pthread_mutex_unlock(task->exclusive[i]);
    leave_children(&task->thread);
    if (task->flags & TASK_KEPT)
        sem_post(&task->done);
    return NULL;
}

static void prepare(struct hd_omp_task *task, struct hd_omp_thread *me)
{
    struct hd_omp_thread *t = &task->thread;
    t->team = me->team;
    t->num = me->num;
    t->icv = me->icv;
    t->group = me->group;
    t->final = me->final || task->flags & TASK_FINAL;
    t->task = task;
}

/* A task that others may depend on stays until the program ends. */
static void discard(struct hd_omp_task *task)
{
    int32_t flags = task->flags;
    if (flags & (TASK_KEPT | TASK_DETACHABLE)) {
        if (flags & TASK_KEPT)
            return;
        sem_destroy(&task->fulfilled);
    }
    free(task);
}

static void end(struct hd_omp_task *task)
{
    hd_omp_deps_free(&task->thread);
    if (task->thread.children.items)
        free(task->thread.children.items);
    task->thread.children.items = NULL;
    discard(task);
}

/* ---- undeferred tasks ----
 *
 * They run where they are, on the thread struct of their maker. There may be very many, and
 * most of them have no children and change no setting: their own state is made when it is needed.
 */

struct hd_omp_kept { /* of the task around */
    struct hd_omp_kept *next;
    unsigned plain;
    struct hd_omp_tasks children;
    struct hd_omp_deps *deps;
    struct hd_omp_icv icv;
    bool final;
};

void hd_omp_own(struct hd_omp_thread *t)
{
    if (!t->plain)
        return;
    struct hd_omp_kept *k = hd_omp_alloc(sizeof *k);
    *k = (struct hd_omp_kept){t->kept, t->plain, t->children, t->deps, t->icv, t->final};
    t->kept = k;
    t->children = (struct hd_omp_tasks){0};
    t->deps = NULL;
    t->plain = 0;
}

static void enter(struct hd_omp_task *task, struct hd_omp_thread *me)
{
    me->plain++;
    if (!(task->flags & TASK_FINAL))
        return;
    hd_omp_own(me);
    me->final = true;
}

static void give_up_own(struct hd_omp_thread *me)
{
    struct hd_omp_kept *k = me->kept;
    leave_children(me);
    hd_omp_deps_free(me);
    free(me->children.items);
    me->children = k->children;
    me->deps = k->deps;
    me->icv = k->icv;
    me->final = k->final;
    me->plain = k->plain;
    me->kept = k->next;
    free(k);
}

static void leave(struct hd_omp_thread *me)
{
    if (!me->plain)
        give_up_own(me);
    me->plain--;
}

static void run_here(struct hd_omp_task *task, struct hd_omp_thread *me)
{
    await(task->before, task->n_before, task);
    enter(task, me);
    body(task, me);
    leave(me);
    if (task->flags & TASK_KEPT)
        sem_post(&task->done);
    discard(task);
}

static bool deferred(const struct hd_omp_thread *me)
{
    return me->team->size > 1 && !me->final;
}

static void launch(struct hd_omp_task *task, struct hd_omp_thread *me)
{
    if (deferred(me)) {
        prepare(task, me);
        if (pthread_create(&task->thread.handle, NULL, run, task) == 0) {
            task->has_thread = true;
            pthread_setname_np(task->thread.handle, "omp task");
            hd_omp_own(me);
            push(&me->children, task);
            return;
        }
    }
    run_here(task, me);
}

int32_t __kmpc_omp_task(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c);
int32_t __kmpc_omp_task(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c)
{
    (void)loc;
    (void)gtid;
    launch(task_of(c), hd_omp_self());
    return 0;
}

int32_t __kmpc_omp_task_with_deps(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c,
                                  int32_t n, struct hd_omp_dep *deps, int32_t more,
                                  struct hd_omp_dep *others);
int32_t __kmpc_omp_task_with_deps(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c,
                                  int32_t n, struct hd_omp_dep *deps, int32_t more,
                                  struct hd_omp_dep *others)
{
    struct hd_omp_thread *me = hd_omp_self();
    struct hd_omp_task *task = task_of(c);
    (void)loc;
    (void)gtid;
    task->flags |= TASK_KEPT;
    sem_init(&task->done, 0, 0);
    struct before b = before_of(me, task, n, deps, more, others);
    task->before = b.tasks.items;
    task->n_before = b.tasks.n;
    task->exclusive = b.exclusive;
    task->n_exclusive = b.n_exclusive;
    launch(task, me);
    return 0;
}

void __kmpc_omp_wait_deps(hd_omp_ident *loc, int32_t gtid, int32_t n, struct hd_omp_dep *deps,
                          int32_t more, struct hd_omp_dep *others);
void __kmpc_omp_wait_deps(hd_omp_ident *loc, int32_t gtid, int32_t n, struct hd_omp_dep *deps,
                          int32_t more, struct hd_omp_dep *others)
{
    (void)loc;
    (void)gtid;
    struct before b = before_of(hd_omp_self(), NULL, n, deps, more, others);
    await(b.tasks.items, b.tasks.n, NULL);
    free(b.tasks.items);
    free(b.exclusive);
}

void __kmpc_omp_taskwait_deps_51(hd_omp_ident *loc, int32_t gtid, int32_t n,
                                 struct hd_omp_dep *deps, int32_t more, struct hd_omp_dep *others,
                                 int32_t no_wait);
void __kmpc_omp_taskwait_deps_51(hd_omp_ident *loc, int32_t gtid, int32_t n,
                                 struct hd_omp_dep *deps, int32_t more, struct hd_omp_dep *others,
                                 int32_t no_wait)
{
    (void)no_wait;
    __kmpc_omp_wait_deps(loc, gtid, n, deps, more, others);
}

/* if(0): the program calls the task's function itself between these two. */
void __kmpc_omp_task_begin_if0(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c);
void __kmpc_omp_task_begin_if0(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c)
{
    (void)loc;
    (void)gtid;
    enter(task_of(c), hd_omp_known_self()); /* a thread with a gtid has asked for it */
}

void __kmpc_omp_task_complete_if0(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c);
void __kmpc_omp_task_complete_if0(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c)
{
    struct hd_omp_task *task = task_of(c);
    (void)loc;
    (void)gtid;
    leave(hd_omp_known_self());
    discard(task);
}

/* ---- waiting ---- */

static void join(struct hd_omp_task *task)
{
    if (task->has_thread)
        pthread_join(task->thread.handle, NULL);
    task->has_thread = false;
    end(task);
}

void hd_omp_join_children(struct hd_omp_thread *t)
{
    if (t->plain) /* it has none */
        return;
    for (size_t i = 0; i < t->children.n; i++)
        join(t->children.items[i]);
    t->children.n = 0;
}

void hd_omp_drain(struct hd_omp_group *g)
{
    for (;;) {
        pthread_mutex_lock(&g->lock);
        struct hd_omp_task *task = g->left.n ? g->left.items[--g->left.n] : NULL;
        pthread_mutex_unlock(&g->lock);
        if (!task)
            return;
        join(task);
    }
}

int32_t __kmpc_omp_taskwait(hd_omp_ident *loc, int32_t gtid);
int32_t __kmpc_omp_taskwait(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
    hd_omp_join_children(hd_omp_self());
    return 0;
}

int32_t __kmpc_omp_taskwait_51(hd_omp_ident *loc, int32_t gtid, int32_t no_wait);
int32_t __kmpc_omp_taskwait_51(hd_omp_ident *loc, int32_t gtid, int32_t no_wait)
{
    (void)no_wait;
    return __kmpc_omp_taskwait(loc, gtid);
}

int32_t __kmpc_omp_taskyield(hd_omp_ident *loc, int32_t gtid, int end);
int32_t __kmpc_omp_taskyield(hd_omp_ident *loc, int32_t gtid, int end)
{
    (void)loc;
    (void)gtid;
    (void)end;
    sched_yield();
    return 0;
}

/* ---- detach ---- */

void *__kmpc_task_allow_completion_event(hd_omp_ident *loc, int32_t gtid,
                                         struct hd_omp_compiled *c);
void *__kmpc_task_allow_completion_event(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c)
{
    (void)loc;
    (void)gtid;
    sem_init(&task_of(c)->fulfilled, 0, 0);
    return &task_of(c)->fulfilled;
}

void omp_fulfill_event(void *event);
void omp_fulfill_event(void *event)
{
    sem_post(event);
}

/* ---- groups ---- */

void __kmpc_taskgroup(hd_omp_ident *loc, int32_t gtid);
void __kmpc_taskgroup(hd_omp_ident *loc, int32_t gtid)
{
    struct hd_omp_thread *me = hd_omp_self();
    struct hd_omp_group *g = hd_omp_alloc(sizeof *g);
    (void)loc;
    (void)gtid;
    pthread_mutex_init(&g->lock, NULL);
    g->team = me->team;
    g->outer = me->group;
    me->group = g;
}

/* Tasks made before the group began are not waited for. */
void __kmpc_end_taskgroup(hd_omp_ident *loc, int32_t gtid);
void __kmpc_end_taskgroup(hd_omp_ident *loc, int32_t gtid)
{
    struct hd_omp_thread *me = hd_omp_self();
    struct hd_omp_group *g = me->group;
    size_t kept = 0;
    (void)loc;
    (void)gtid;
    hd_omp_own(me);
    for (size_t i = 0; i < me->children.n; i++) {
        if (me->children.items[i]->thread.group == g)
            join(me->children.items[i]);
        else
            me->children.items[kept++] = me->children.items[i];
    }
    me->children.n = kept;
    hd_omp_drain(g);
    hd_omp_end_reductions(g);
    me->group = g->outer;
    pthread_mutex_destroy(&g->lock);
    free(g->left.items);
    free(g);
}

/* ---- taskloop ---- */

typedef void (*hd_omp_dup)(struct hd_omp_compiled *to, struct hd_omp_compiled *from, int32_t last);

static struct hd_omp_compiled *copy_of(struct hd_omp_compiled *c, size_t bytes)
{
    struct hd_omp_task *old = task_of(c);
    size_t shareds = c->shareds ? bytes - (size_t)((char *)c->shareds - (char *)c) : 0;
    struct hd_omp_compiled *copy = __kmpc_omp_task_alloc(
        NULL, 0, old->flags, c->shareds ? bytes - shareds : bytes, shareds, c->entry);
    void *own = copy->shareds;
    memcpy(copy, c, bytes);
    copy->shareds = own ? own : c->shareds;
    return copy;
}

/* The bounds stand in the task, at the places that the compiler names. */
static void loop(struct hd_omp_compiled *c, int32_t do_defer, uint64_t *lower, uint64_t *upper,
                 int64_t step, int32_t schedule, uint64_t size, hd_omp_dup dup)
{
    struct hd_omp_thread *me = hd_omp_self();
    size_t at_lower = (size_t)((char *)lower - (char *)c);
    size_t at_upper = (size_t)((char *)upper - (char *)c);
    size_t bytes = task_of(c)->bytes;
    uint64_t first = *lower;
    uint64_t total =
        (uint64_t)((step > 0 ? (int64_t)(*upper - *lower) : (int64_t)(*lower - *upper)) /
                   (step > 0 ? step : -step)) +
        1;
    uint64_t tasks = schedule == 2 && size ? size : 4 * (uint64_t)me->team->size;
    if (schedule == 1 && size)
        tasks = total / size ? total / size : 1;
    tasks = tasks > total ? total : tasks;
    for (uint64_t i = 0, done = 0; i < tasks; i++) {
        uint64_t n = total / tasks + (i < total % tasks);
        struct hd_omp_compiled *part = copy_of(c, bytes);
        *(uint64_t *)(void *)((char *)part + at_lower) = first + done * (uint64_t)step;
        *(uint64_t *)(void *)((char *)part + at_upper) = first + (done + n - 1) * (uint64_t)step;
        if (dup)
            dup(part, c, i + 1 == tasks);
        done += n;
        if (do_defer)
            launch(task_of(part), me);
        else
            run_here(task_of(part), me);
    }
}

void __kmpc_taskloop(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c, int32_t do_defer,
                     uint64_t *lower, uint64_t *upper, int64_t step, int32_t no_group,
                     int32_t schedule, uint64_t size, hd_omp_dup dup);
void __kmpc_taskloop(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c, int32_t do_defer,
                     uint64_t *lower, uint64_t *upper, int64_t step, int32_t no_group,
                     int32_t schedule, uint64_t size, hd_omp_dup dup)
{
    if (!no_group)
        __kmpc_taskgroup(loc, gtid);
    if (step > 0 ? (int64_t)*lower <= (int64_t)*upper : (int64_t)*lower >= (int64_t)*upper)
        loop(c, do_defer, lower, upper, step, schedule, size, dup);
    if (!no_group)
        __kmpc_end_taskgroup(loc, gtid);
}

void __kmpc_taskloop_5(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c, int32_t do_defer,
                       uint64_t *lower, uint64_t *upper, int64_t step, int32_t no_group,
                       int32_t schedule, uint64_t size, int32_t strict, hd_omp_dup dup);
void __kmpc_taskloop_5(hd_omp_ident *loc, int32_t gtid, struct hd_omp_compiled *c, int32_t do_defer,
                       uint64_t *lower, uint64_t *upper, int64_t step, int32_t no_group,
                       int32_t schedule, uint64_t size, int32_t strict, hd_omp_dup dup)
{
    (void)strict;
    __kmpc_taskloop(loc, gtid, c, do_defer, lower, upper, step, no_group, schedule, size, dup);
}
