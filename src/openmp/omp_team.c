/* Teams: parallel regions, leagues, barriers. */
#include "openmp/omp_team.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ARGS 64

static __thread struct hd_omp_thread *self;

_Noreturn void hd_omp_fail(const char *what)
{
    fprintf(stderr, "heddle: OpenMP: %s\n", what);
    abort();
}

void *hd_omp_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        hd_omp_fail("out of memory");
    return p;
}

static int number_of(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    int n = text ? atoi(text) : 0;
    return n > 0 ? n : otherwise;
}

int hd_omp_default_threads(void)
{
    cpu_set_t cpus;
    int n = number_of("OMP_NUM_THREADS", 0);
    if (n)
        return n;
    n = sched_getaffinity(0, sizeof cpus, &cpus) ? 2 : CPU_COUNT(&cpus);
    n = n < 2 ? 2 : n;
    n = number_of("HEDDLE_RT_OMP_TEAM", n);
    hd_omp_open_team(n);
    return n;
}

static void read_schedule(struct hd_omp_icv *icv)
{
    static const char *const names[] = {"static", "dynamic", "guided", "auto"};
    const char *text = getenv("OMP_SCHEDULE");
    icv->schedule = 1;
    for (int i = 0; text && i < 4; i++)
        if (!strncmp(text, names[i], strlen(names[i])))
            icv->schedule = i + 1;
    const char *comma = text ? strchr(text, ',') : NULL;
    icv->chunk = comma ? atoi(comma + 1) : 0;
}

static bool is_on(const char *variable)
{
    const char *text = getenv(variable);
    return text && (*text == 't' || *text == 'T' || *text == '1');
}

/* Its constructs need nothing shared, but counters make them uniform. */
static void make_team(struct hd_omp_team *team, int size, struct hd_omp_thread *parent)
{
    *team = (struct hd_omp_team){.size = size, .parent = parent, .num_teams = 1};
    team->level = parent ? parent->team->level + 1 : 0;
    team->active_level = parent ? parent->team->active_level + (size > 1) : 0;
    if (parent) {
        team->num_teams = parent->team->num_teams;
        team->team_num = parent->team->team_num;
    }
    team->threads = hd_omp_alloc((size_t)size * sizeof *team->threads);
    team->slots = hd_omp_alloc(2 * sizeof *team->slots);
    team->round = parent ? parent->team->round : hd_omp_first_round();
    if (team->round >= 0 && size > 1)
        team->claims = hd_omp_alloc(2 * HD_OMP_SLOTS * (size_t)size);
    team->rest.team = team;
    pthread_mutex_init(&team->rest.lock, NULL);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->turned, NULL);
    pthread_barrier_init(&team->barrier, NULL, (unsigned)size);
    for (int i = 0; i < size; i++) {
        struct hd_omp_thread *t = &team->threads[i];
        t->team = team;
        t->num = i;
        if (parent) {
            t->icv = parent->icv;
            t->final = parent->final;
        }
    }
}

static void end_team(struct hd_omp_team *team)
{
    pthread_barrier_destroy(&team->barrier);
    pthread_cond_destroy(&team->turned);
    pthread_mutex_destroy(&team->lock);
    pthread_mutex_destroy(&team->rest.lock);
    for (int i = 0; i < team->size; i++) {
        hd_omp_deps_free(&team->threads[i]);
        free(team->threads[i].children.items);
    }
    free(team->rest.left.items);
    free(team->claims);
    free(team->slots);
    free(team->threads);
}

struct hd_omp_thread *hd_omp_self(void)
{
    if (self)
        return self;
    struct hd_omp_team *team = hd_omp_alloc(sizeof *team);
    make_team(team, 1, NULL);
    struct hd_omp_icv *icv = &team->threads[0].icv;
    icv->max_levels = number_of("OMP_MAX_ACTIVE_LEVELS", is_on("OMP_NESTED") ? 1 << 30 : 1);
    icv->dynamic = is_on("OMP_DYNAMIC");
    read_schedule(icv);
    hd_omp_privates_fetch(&team->threads[0]);
    self = &team->threads[0];
    return self;
}

struct hd_omp_thread *hd_omp_known_self(void)
{
    return self;
}

void hd_omp_set_self(struct hd_omp_thread *t)
{
    self = t;
}

struct hd_omp_slot *hd_omp_next_slot(struct hd_omp_thread *t)
{
    if (t->slot == HD_OMP_SLOTS)
        hd_omp_fail("more than 256 worksharing constructs without a barrier are not supported");
    return &t->team->slots[t->bank][t->slot++];
}

/* ---- barriers ---- */

/* All meet. The bank that the threads leave is made ready for the time after the next barrier by
 * thread 0, before it arrives here: at that time only the other one is in use. */
static void meet(struct hd_omp_thread *t)
{
    struct hd_omp_team *team = t->team;
    size_t claims = HD_OMP_SLOTS * (size_t)team->size;
    if (t->num == 0)
        memset(team->slots[1 - t->bank], 0, sizeof *team->slots);
    if (t->num == 0 && team->claims)
        memset(team->claims + (1 - t->bank) * claims, 0, claims);
    if (team->size > 1)
        pthread_barrier_wait(&team->barrier);
    t->bank = 1 - t->bank;
    t->phase++;
    t->slot = 0;
}

/* A barrier ends all tasks of the team. Each thread joins those it made; what their tasks left
 * behind is in team->rest, and thread 0 waits for it. Whether there is any is the same for all:
 * only a task that is not joined yet can add to it. */
void hd_omp_barrier(struct hd_omp_thread *t)
{
    struct hd_omp_team *team = t->team;
    hd_omp_join_children(t);
    meet(t);
    if (atomic_load(&team->left) == t->left_seen)
        return;
    if (t->num == 0)
        hd_omp_drain(&team->rest);
    meet(t);
    t->left_seen = atomic_load(&team->left);
}

/* ---- regions ---- */

#define A1(k)  , a[k]
#define A4(k)  A1(k) A1(k + 1) A1(k + 2) A1(k + 3)
#define A16(k) A4(k) A4(k + 4) A4(k + 8) A4(k + 12)

/* The arguments are pointers; a function does not mind more of them than it has. */
static void call(hd_omp_micro micro, int num, int argc, void **a)
{
    int32_t gtid = num, tid = num;
    if (argc <= 4)
        micro(&gtid, &tid A4(0));
    else if (argc <= 16)
        micro(&gtid, &tid A16(0));
    else
        micro(&gtid, &tid A16(0) A16(16) A16(32) A16(48));
}

/* What a member does. Tasks are ended before it does: the end of a region is a barrier. */
static void *work(void *arg)
{
    struct hd_omp_thread *t = arg, *before = self;
    struct hd_omp_team *team = t->team;
    self = t;
    call(team->micro, t->num, team->argc, team->args);
    if (t->broke_off) /* it met the others where the region was cancelled */
        hd_omp_join_children(t);
    else
        hd_omp_barrier(t);
    self = before;
    return NULL;
}

static void start(struct hd_omp_thread *t)
{
    char name[16];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (pthread_create(&t->handle, &attr, work, t))
        hd_omp_fail("a thread cannot be created");
    pthread_attr_destroy(&attr);
    snprintf(name, sizeof name, "OpenMP-%d", t->num);
    pthread_setname_np(t->handle, name);
}

static int team_size(const struct hd_omp_thread *me)
{
    int n = me->pushed_threads ? me->pushed_threads : me->icv.threads;
    if (me->team->active_level >= me->icv.max_levels)
        return 1;
    n = n ? n : hd_omp_default_threads();
    return me->pushed_limit && n > me->pushed_limit ? me->pushed_limit : n;
}

static void run_team(struct hd_omp_thread *me, int size, hd_omp_micro micro, int argc, void **args)
{
    struct hd_omp_team team;
    make_team(&team, size, me);
    team.micro = micro;
    team.argc = argc;
    team.args = args;
    me->pushed_threads = 0;
    for (int i = 0; i < size; i++) {
        team.threads[i].icv.threads = me->icv.threads;
        if (team.level == 1 || i == 0)
            hd_omp_privates_fetch(&team.threads[i]);
    }
    team.threads[0].privates = me->privates;
    for (int i = 1; i < size; i++)
        start(&team.threads[i]);
    work(&team.threads[0]);
    for (int i = 1; i < size; i++)
        pthread_join(team.threads[i].handle, NULL);
    hd_omp_drain(&team.rest);
    me->privates = team.threads[0].privates;
    for (int i = 0; i < size; i++)
        if (team.level == 1)
            hd_omp_privates_keep(&team.threads[i]);
    end_team(&team);
}

static void take_args(void **args, int argc, va_list list)
{
    if (argc > MAX_ARGS)
        hd_omp_fail("a region shares more than 64 variables");
    for (int i = 0; i < argc; i++)
        args[i] = va_arg(list, void *);
}

void __kmpc_fork_call(hd_omp_ident *loc, int32_t argc, hd_omp_micro micro, ...);
void __kmpc_fork_call(hd_omp_ident *loc, int32_t argc, hd_omp_micro micro, ...)
{
    void *args[MAX_ARGS] = {0};
    va_list list;
    (void)loc;
    va_start(list, micro);
    take_args(args, argc, list);
    va_end(list);
    struct hd_omp_thread *me = hd_omp_self();
    run_team(me, team_size(me), micro, argc, args);
}

void __kmpc_fork_call_if(hd_omp_ident *loc, int32_t argc, hd_omp_micro micro, int32_t cond,
                         void *arg);
void __kmpc_fork_call_if(hd_omp_ident *loc, int32_t argc, hd_omp_micro micro, int32_t cond,
                         void *arg)
{
    void *args[MAX_ARGS] = {arg};
    (void)loc;
    struct hd_omp_thread *me = hd_omp_self();
    run_team(me, cond ? team_size(me) : 1, micro, argc, args);
}

void __kmpc_serialized_parallel(hd_omp_ident *loc, int32_t gtid);
void __kmpc_serialized_parallel(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
    struct hd_omp_thread *me = hd_omp_self();
    struct hd_omp_team *team = hd_omp_alloc(sizeof *team);
    make_team(team, 1, me);
    team->threads[0].privates = me->privates;
    team->threads[0].outer = me;
    me->pushed_threads = 0;
    self = &team->threads[0];
}

void __kmpc_end_serialized_parallel(hd_omp_ident *loc, int32_t gtid);
void __kmpc_end_serialized_parallel(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
    struct hd_omp_thread *t = hd_omp_self(), *outer = t->outer;
    struct hd_omp_team *team = t->team;
    hd_omp_barrier(t);
    outer->privates = t->privates;
    self = outer;
    end_team(team);
    free(team);
}

/* ---- leagues: each team is one thread, which may fork its own ---- */

struct league {
    struct hd_omp_thread *me;
    hd_omp_micro micro;
    int argc, size, num;
    void **args;
    pthread_t handle;
};

static void *work_for_league(void *arg)
{
    struct league *l = arg;
    struct hd_omp_thread *before = self;
    struct hd_omp_team team;
    make_team(&team, 1, l->me);
    team.level = team.active_level = 0;
    team.num_teams = l->size;
    team.team_num = l->num;
    self = &team.threads[0];
    self->pushed_limit = l->me->pushed_limit;
    call(l->micro, 0, l->argc, l->args);
    hd_omp_barrier(self);
    self = before;
    end_team(&team);
    return NULL;
}

void __kmpc_fork_teams(hd_omp_ident *loc, int32_t argc, hd_omp_micro micro, ...);
void __kmpc_fork_teams(hd_omp_ident *loc, int32_t argc, hd_omp_micro micro, ...)
{
    void *args[MAX_ARGS] = {0};
    va_list list;
    (void)loc;
    va_start(list, micro);
    take_args(args, argc, list);
    va_end(list);
    struct hd_omp_thread *me = hd_omp_self();
    int size = me->pushed_teams ? me->pushed_teams : number_of("OMP_NUM_TEAMS", 2);
    struct league *all = hd_omp_alloc((size_t)size * sizeof *all);
    me->pushed_teams = 0;
    for (int i = 0; i < size; i++) {
        all[i] = (struct league){me, micro, argc, size, i, args, 0};
        if (i && pthread_create(&all[i].handle, NULL, work_for_league, &all[i]))
            hd_omp_fail("a thread cannot be created");
    }
    work_for_league(&all[0]);
    for (int i = 1; i < size; i++)
        pthread_join(all[i].handle, NULL);
    free(all);
    me->pushed_limit = 0;
}

/* ---- clauses of the next region ---- */

void __kmpc_push_num_threads(hd_omp_ident *loc, int32_t gtid, int32_t n);
void __kmpc_push_num_threads(hd_omp_ident *loc, int32_t gtid, int32_t n)
{
    (void)loc;
    (void)gtid;
    hd_omp_self()->pushed_threads = n > 0 ? n : 1;
}

void __kmpc_push_proc_bind(hd_omp_ident *loc, int32_t gtid, int32_t bind);
void __kmpc_push_proc_bind(hd_omp_ident *loc, int32_t gtid, int32_t bind)
{
    (void)loc;
    (void)gtid;
    (void)bind; /* places are not modelled: every placement is possible anyway */
}

void __kmpc_push_num_teams(hd_omp_ident *loc, int32_t gtid, int32_t teams, int32_t limit);
void __kmpc_push_num_teams(hd_omp_ident *loc, int32_t gtid, int32_t teams, int32_t limit)
{
    (void)loc;
    (void)gtid;
    hd_omp_self()->pushed_teams = teams;
    hd_omp_self()->pushed_limit = limit;
}

void __kmpc_push_num_teams_51(hd_omp_ident *loc, int32_t gtid, int32_t low, int32_t high,
                              int32_t limit);
void __kmpc_push_num_teams_51(hd_omp_ident *loc, int32_t gtid, int32_t low, int32_t high,
                              int32_t limit)
{
    __kmpc_push_num_teams(loc, gtid, high ? high : low, limit);
}

void __kmpc_set_thread_limit(hd_omp_ident *loc, int32_t gtid, int32_t limit);
void __kmpc_set_thread_limit(hd_omp_ident *loc, int32_t gtid, int32_t limit)
{
    (void)loc;
    (void)gtid;
    hd_omp_self()->pushed_limit = limit;
}

/* ---- which thread, which barrier ---- */

int32_t __kmpc_global_thread_num(hd_omp_ident *loc);
int32_t __kmpc_global_thread_num(hd_omp_ident *loc)
{
    (void)loc;
    return hd_omp_self()->num;
}

void __kmpc_barrier(hd_omp_ident *loc, int32_t gtid);
void __kmpc_barrier(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
    hd_omp_barrier(hd_omp_self());
}
