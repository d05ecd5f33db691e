#include "concolic/input_search_int.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "concolic/ktest.h"
#include "record/program.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOT 1u

/* Values of one address or length, or targets of one call, that are tried on one path. */
#define MAX_TARGETS 64

/* Starting a solver takes longer than most questions; one that has seen many terms gets slow. */
#define SOLVER_LIFE 100

void hd_input_search_defaults(struct hd_hunt_options *o)
{
    *o = (struct hd_hunt_options){.solver_seconds = 10, .max_depth = 20000, .jobs = 1};
    o->limits.seconds = 60;
}

void hd_input_search_stats_fini(struct hd_hunt_stats *stats)
{
    hd_names_fini(&stats->calls);
    hd_names_fini(&stats->ignored);
    hd_names_fini(&stats->notes);
    hd_names_fini(&stats->uncovered);
}

/* ---- what is to be tried ---- */

static bool is_choice(const struct hd_sym_step *s)
{
    return s->kind != HD_SYM_ASSUME && s->kind != HD_SYM_AGAIN;
}

static void push_todo(struct hd_search *s, struct hd_path *p, uint32_t i, uint32_t node)
{
    hd_tree_open(&s->tree, node);
    *(struct hd_todo *)hd_vec_push(&s->todo) = (struct hd_todo){hd_path_get(p), i, node};
}

/* 2: an outcome of the program that was never seen; 1: a choice that was never taken nor tried
 * (library functions have choices, but no outcomes of their own); 0: neither. */
static int news_of(const struct hd_search *s, const struct hd_todo *t)
{
    const struct hd_sym_step *step = &t->path->steps[t->step];
    uint32_t none;
    if (step->other < s->cap_cover && !s->cover[step->other])
        return 2;
    return !hd_map_get(&s->tried, hd_path_choice(t->path, t->step, !step->taken), &none);
}

/* Depth first: the latest. Coverage first: the earliest of those that promise most. */
static struct hd_todo take_todo(struct hd_search *s)
{
    size_t at = s->todo.len - 1;
    int best = -1;
    for (size_t i = 0; s->o->order == HD_HUNT_COVERAGE && i < s->todo.len && best < 2; i++) {
        int news = news_of(s, hd_vec_at(&s->todo, i));
        if (news > best) {
            best = news;
            at = i;
        }
    }
    struct hd_todo t = *(struct hd_todo *)hd_vec_at(&s->todo, at);
    memmove(hd_vec_at(&s->todo, at), hd_vec_at(&s->todo, at + 1),
            (s->todo.len - at - 1) * sizeof t);
    s->todo.len--;
    hd_map_put(&s->tried, hd_path_choice(t.path, t.step, !t.path->steps[t.step].taken), NULL);
    return t;
}

/* ---- a run that is over ---- */

static bool same_choice(const struct hd_flight *f, const struct hd_path *p, uint32_t i)
{
    const struct hd_sym_step *was = &f->from->steps[i];
    if (i >= p->n_steps) /* a division by zero ends the program before it can tell */
        return i == f->step && was->kind == HD_SYM_CHECK && f->run.child.ending == HD_END_SIGNAL;
    if (i == f->step && was->kind == HD_SYM_TARGET)
        return true;
    return hd_path_choice(p, i, p->steps[i].taken) ==
           hd_path_choice(f->from, i, i == f->step ? !was->taken : was->taken);
}

/* Whether the run did what it was meant to: the same choices, then the other way. */
static bool as_expected(struct hd_search *s, const struct hd_flight *f, const struct hd_path *p)
{
    for (uint32_t i = 0; f->from && i <= f->step; i++) {
        if (same_choice(f, p, i))
            continue;
        s->stats->diverged++;
        fprintf(s->messages,
                "test%06u: went elsewhere at choice %u; meant to leave test%06u at %u\n", p->number,
                i + 1, f->from->number, f->step + 1);
        return false;
    }
    return true;
}

static uint64_t state_of(const struct hd_path *p, uint32_t i)
{
    return hd_hash_mix(p->steps[i].past + 5 * p->hash[p->steps[i].expr]) + p->steps[i].thread;
}

/* The other way is impossible because of one earlier step. */
static void decided_before(struct hd_search *s, struct hd_path *p, uint32_t i, uint32_t node)
{
    struct hd_u32vec one = {0};
    for (uint32_t k = 0; k < i && one.len == 0; k++)
        if (p->steps[k].expr == p->steps[i].expr)
            hd_u32vec_push(&one, k);
    hd_tree_at(&s->tree, node)->flip = HD_FLIP_INFEASIBLE;
    hd_tree_set_core(&s->tree, node, p, &one);
    hd_u32vec_fini(&one);
}

/* A value that cannot be followed was one that it had not been: there may be more. */
static void add_target(struct hd_search *s, struct hd_path *p, uint32_t i, uint32_t node,
                       bool is_new)
{
    unsigned known = 0;
    for (size_t k = 0; k < s->targets.len; k++)
        known += ((struct hd_todo *)hd_vec_at(&s->targets, k))->node == node;
    *(struct hd_todo *)hd_vec_push(&s->targets) = (struct hd_todo){hd_path_get(p), i, node};
    if (is_new)
        return;
    if (known < MAX_TARGETS) {
        push_todo(s, p, i, node);
        return;
    }
    s->stats->lost[HD_SYM_LOST_ADDRESS]++;
    hd_tree_open(&s->tree, node);
    hd_tree_close(&s->tree, node, HD_FLIP_UNKNOWN);
}

/* The other way of a new choice: to be tried, unless it is another share's. */
static void add_choice(struct hd_search *s, struct hd_path *p, uint32_t i, uint32_t node,
                       struct hd_path_way way)
{
    const struct hd_path_share *share = &s->o->share;
    if (p->steps[i].kind != HD_SYM_TARGET) /* where that goes is not known yet */
        way = hd_path_way_after(share, way, hd_path_choice(p, i, !p->steps[i].taken));
    if (hd_path_share_has(share, way))
        push_todo(s, p, i, node);
    else
        hd_tree_give_up(&s->tree, node, HD_FLIP_ELSEWHERE);
}

/* Adds the path to the tree. New choices are to be tried the other way, unless a state is reached
 * from which nothing new can come. True: the path is of this share. */
static bool add_path(struct hd_search *s, struct hd_path *p)
{
    uint32_t node = ROOT;
    struct hd_path_way way = {0};
    bool fresh = false, any = false, pruned = false;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        bool is_new = i == 0 ? hd_tree_at(&s->tree, ROOT)->state == 0 : fresh;
        any |= is_new;
        if (is_new && !pruned) {
            hd_tree_mark(&s->tree, node, state_of(p, i));
            pruned =
                !s->o->no_prune && is_choice(&p->steps[i]) && hd_input_search_prune(s, p, node, i);
            s->stats->pruned += pruned;
            if (is_choice(&p->steps[i]) && !pruned)
                add_choice(s, p, i, node, way);
            if (p->steps[i].kind == HD_SYM_AGAIN)
                decided_before(s, p, i, node);
        }
        uint64_t choice = hd_path_choice(p, i, p->steps[i].taken);
        hd_map_put(&s->tried, choice, NULL);
        if (is_choice(&p->steps[i]))
            way = hd_path_way_after(&s->o->share, way, choice);
        uint32_t at = node;
        node = hd_tree_enter(&s->tree, node, choice, &fresh);
        if (fresh && p->steps[i].kind == HD_SYM_TARGET && !pruned)
            add_target(s, p, i, at, is_new);
        any |= fresh;
    }
    s->stats->repeated += !any && p->n_steps > 0;
    bool ours = hd_path_share_owns(&s->o->share, way);
    if (!ours)
        hd_tree_give_up(&s->tree, node, HD_FLIP_ELSEWHERE);
    return ours;
}

static enum hd_status save_input(struct hd_search *s, const struct hd_path *p)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/test%06u.input", s->dir, p->number);
    enum hd_status st = hd_input_save(path, &p->input, s->err);
    snprintf(path, sizeof path, "%s/test%06u.ktest", s->dir, p->number);
    return st == HD_OK ? hd_ktest_save(path, &p->input, s->err) : st;
}

static void add_losses(struct hd_search *s, const struct hd_shared_arena *a)
{
    for (int i = 0; i < HD_SYM_LOST_COUNT; i++)
        s->stats->lost[i] += a->header->lost[i];
    s->stats->bad += a->bad != 0;
    for (uint32_t i = 0; i < a->header->n_calls && i < HD_SYM_MAX_CALLS; i++) {
        const char *name = hd_shared_arena_string(a, a->header->calls[i]);
        hd_names_add(&s->stats->calls, name, strlen(name));
    }
}

static void add_given(struct hd_search *s, const struct hd_shared_arena *a)
{
    for (uint32_t i = 0; i < a->n_objects; i++)
        hd_names_add(&s->given, a->objects[i].name, strcspn(a->objects[i].name, "#"));
}

/* The function that a place of the seed makes input, or NULL. */
static const char *call_of(const struct hd_input *seed, size_t place)
{
    static const char call[] = "call:";
    const struct hd_input_bytes *b = hd_vec_at(&seed->places, place);
    const char *text = (const char *)b->data;
    return strncmp(text, call, sizeof call - 1) ? NULL : text + sizeof call - 1;
}

/* A function that was to be input may be one that Heddle models itself, or that is never called: a
 * search that says nothing of it would seem to have tried it. */
static void find_ignored(struct hd_search *s)
{
    const struct hd_input *seed = s->o->seed;
    uint32_t id;
    for (size_t i = 0; s->o->asked_calls && i < seed->places.len; i++) {
        const char *name = call_of(seed, i);
        if (name && !hd_names_find(&s->given, name, strlen(name), &id))
            hd_names_add(&s->stats->ignored, name, strlen(name));
    }
}

static void count_run(struct hd_search *s, const struct hd_record_child *run, bool ours)
{
    if (s->stats->paths++ == 0)
        s->stats->wait_status = run->wait_status;
    s->stats->others += !ours;
    s->stats->events += ours ? run->events : 0;
    s->stats->threads = run->threads > s->stats->threads ? run->threads : s->stats->threads;
}

static enum hd_status landed(struct hd_search *s, struct hd_flight *f)
{
    struct hd_shared_arena a;
    enum hd_status st = hd_shared_arena_open(f->run.arena, &a, s->err);
    if (st != HD_OK)
        return st;
    struct hd_path *p = hd_path_new(&a, &f->in, f->run.number, s->o->max_depth);
    add_losses(s, &a);
    add_given(s, &a);
    s->stats->too_deep += a.n_steps > s->o->max_depth;
    hd_input_search_cover(s, &a);
    bool expected = as_expected(s, f, p);
    HD_DEBUG_LINE(CONCOLIC, "run %u: %u steps%s; %zu choices to try", f->run.number, a.n_steps,
                  expected ? "" : ", went another way than asked for", s->todo.len);
    if (f->from)
        hd_tree_close(&s->tree, f->node, expected ? HD_FLIP_DONE : HD_FLIP_UNKNOWN);
    bool ours = add_path(s, p) || !expected; /* who else would get there? */
    st = save_input(s, p);
    hd_input_fini(&f->in);
    hd_input_copy(&f->in, &p->input);
    if (s->stats->paths == 0)
        hd_input_copy(&s->first, &p->input);
    hd_path_put(p);
    hd_input_search_uncovered(s, &a);
    hd_shared_arena_close(&a);
    if (st == HD_OK && ours)
        hd_input_search_find(s, f);
    else
        hd_run_remove(&f->run);
    count_run(s, &f->run.child, ours);
    return st;
}

/* ---- the next run ---- */

static void end_solver(struct hd_search *s)
{
    if (s->bv) {
        s->stats->checks += hd_bv_checks(s->bv);
        s->stats->solver_seconds += hd_bv_seconds(s->bv);
    }
    hd_bv_free(s->bv);
    s->bv = NULL;
}

struct hd_bv *hd_input_search_solver(struct hd_search *s)
{
    if (s->bv_used++ % SOLVER_LIFE == 0)
        end_solver(s);
    if (!s->bv)
        s->bv = hd_bv_new();
    return s->bv;
}

/* Asks for an input that goes the other way. True: f->in holds it. */
static bool solve(struct hd_search *s, const struct hd_todo *t, struct hd_flight *f)
{
    struct hd_formula q;
    struct hd_u32vec steps = {0};
    hd_formula_init(&q, hd_input_search_solver(s), t->path);
    hd_formula_slice(&q, t->step, &steps);
    for (size_t i = 0; i < s->targets.len; i++) {
        const struct hd_todo *known = hd_vec_at(&s->targets, i);
        if (known->node == t->node && known->path != t->path)
            hd_formula_exclude(&q, known->path, known->step);
    }
    enum hd_sat sat = hd_formula_flip(&q, &steps, t->step, s->o->solver_seconds, &f->in);
    if (sat == HD_SAT_NO) {
        if (!s->o->no_prune)
            hd_formula_core(&q, &steps, t->step, s->o->solver_seconds);
        hd_tree_close(&s->tree, t->node, HD_FLIP_INFEASIBLE);
        hd_tree_set_core(&s->tree, t->node, t->path, &steps);
        s->stats->infeasible++;
    } else if (sat == HD_SAT_UNKNOWN) {
        hd_tree_close(&s->tree, t->node, HD_FLIP_UNKNOWN);
        s->stats->unknown++;
    }
    HD_DEBUG_LINE(CONCOLIC, "choice %u: %s, %zu conditions, %.3f s", t->step,
                  sat == HD_SAT_YES  ? "an input"
                  : sat == HD_SAT_NO ? "infeasible"
                                     : "unknown",
                  steps.len, q.seconds);
    s->stats->tried += q.tried;
    s->stats->solver_seconds += q.seconds;
    hd_formula_fini(&q);
    hd_u32vec_fini(&steps);
    return sat == HD_SAT_YES;
}

static bool out_of_budget(const struct hd_search *s)
{
    return hd_interrupt_requested() || (s->o->max_paths && s->next_test > s->o->max_paths) ||
           (s->o->seconds > 0 && hd_progress_now() - s->started > s->o->seconds) ||
           (s->o->first_only && s->stats->found[HD_FOUND_RACE] > 0);
}

static enum hd_status launch(struct hd_search *s, struct hd_flight *f)
{
    return hd_run_start(&f->run, s->next_test++, &f->in, s->dir, &s->o->limits, s->err);
}

/* Starts up to `room` runs. */
static enum hd_status start_some(struct hd_search *s, struct hd_flight *flights, unsigned room,
                                 unsigned *n)
{
    while (*n < room && s->todo.len > 0 && !out_of_budget(s)) {
        struct hd_todo t = take_todo(s);
        struct hd_flight *f = &flights[*n];
        *f = (struct hd_flight){.from = t.path, .step = t.step, .node = t.node};
        if (!solve(s, &t, f)) {
            hd_path_put(t.path);
            continue;
        }
        enum hd_status st = launch(s, f);
        ++*n;
        if (st != HD_OK)
            return st;
    }
    return HD_OK;
}

static void end_flight(struct hd_flight *f)
{
    hd_run_kill(&f->run);
    unlink(f->run.arena);
    hd_input_fini(&f->in);
    hd_path_put(f->from);
}

static enum hd_status wait_all(struct hd_search *s, struct hd_flight *flights, unsigned n)
{
    enum hd_status st = HD_OK;
    for (unsigned i = 0; i < n; i++) {
        double before = hd_progress_now();
        if (st == HD_OK)
            st = hd_run_wait(&flights[i].run, s->err);
        s->stats->run_seconds += hd_progress_now() - before;
        if (st == HD_OK)
            st = landed(s, &flights[i]);
        else
            hd_run_remove(&flights[i].run);
        end_flight(&flights[i]);
        if (s->o->progress)
            s->o->progress(s->o->ctx, s->stats->paths, s->todo.len);
    }
    return st;
}

/* Programs that read lines leave most of their paths to those who know what a line looks like:
 * from TEXT_FROM paths on one run reads a word, a space, a number and the end of the line, and the
 * search goes on from there. An input that the user gave is not replaced. */
#define TEXT_FROM 64

static bool text_of(struct hd_input *in)
{
    const struct hd_input_object *o = hd_input_find(in, "stdin");
    size_t n = o ? o->bytes.len : 0, word = n > 2 ? (n - 2) / 2 : 0;
    for (size_t i = 0; i < n; i++)
        if (o->bytes.data[i])
            return false;
    for (size_t i = 0; word && i < n; i++)
        o->bytes.data[i] = i < word ? 'a' : i == word ? ' ' : i + 1 < n ? '1' : '\n';
    return word > 0;
}

static enum hd_status start_text(struct hd_search *s, struct hd_flight *flights, unsigned *n)
{
    struct hd_flight *f = &flights[0];
    if (s->text_tried || s->stats->paths < TEXT_FROM || !s->todo.len || out_of_budget(s))
        return HD_OK;
    s->text_tried = true;
    *f = (struct hd_flight){0};
    hd_input_copy(&f->in, &s->first);
    if (!text_of(&f->in)) {
        hd_input_fini(&f->in);
        return HD_OK;
    }
    ++*n;
    return launch(s, f);
}

static enum hd_status search(struct hd_search *s)
{
    unsigned jobs = s->o->jobs ? s->o->jobs : 1, n = 1;
    struct hd_flight *flights = hd_calloc(jobs, sizeof *flights);
    hd_input_copy(&flights[0].in, s->o->seed);
    enum hd_status st = launch(s, &flights[0]);
    while (n > 0) {
        enum hd_status done = wait_all(s, flights, n);
        if (st == HD_OK)
            st = done;
        n = 0;
        if (st == HD_OK)
            st = start_text(s, flights, &n);
        if (st == HD_OK)
            st = start_some(s, flights, jobs, &n);
    }
    hd_free(flights, jobs * sizeof *flights);
    return st == HD_ERR_STOPPED ? HD_OK : st;
}

/* ---- start and end ---- */

static enum hd_status open_dir(struct hd_search *s)
{
    char path[PATH_MAX + 32];
    mkdir(s->o->dir, 0700);
    if (!realpath(s->o->dir, s->dir))
        return hd_err_set(s->err, HD_ERR_IO, "cannot use %s: %s", s->o->dir, strerror(errno));
    snprintf(path, sizeof path, "%s/messages.txt", s->dir);
    s->messages = fopen(path, "w");
    if (!s->messages)
        return hd_err_set(s->err, HD_ERR_IO, "cannot write in %s: %s", s->o->dir, strerror(errno));
    return HD_OK;
}

/* Whether some choice of some input, or some race of a path, may have escaped the search. */
static bool may_miss_paths(const struct hd_hunt_stats *t)
{
    uint64_t lost = t->unknown + t->diverged + t->too_deep + t->bad + t->unread + t->undecided +
                    t->ignored.count;
    for (int i = 0; i < HD_SYM_LOST_COUNT; i++)
        lost += t->lost[i];
    return lost > 0;
}

static const char *why_ended(const struct hd_search *s)
{
    if (hd_interrupt_requested())
        return "interrupted";
    if (s->todo.len == 0)
        return s->stats->unknown          ? "the solver gave up on the rest"
               : may_miss_paths(s->stats) ? "every path that could be followed was tried"
               : s->o->share.of > 1       ? "every path of this share was tried"
                                          : "every path was tried";
    if (s->o->first_only && s->stats->found[HD_FOUND_RACE])
        return "a race was found";
    return s->o->max_paths && s->next_test > s->o->max_paths ? "the number of paths" : "the time";
}

static void end(struct hd_search *s)
{
    end_solver(s);
    find_ignored(s);
    s->stats->open = s->todo.len;
    s->stats->seconds = hd_progress_now() - s->started;
    s->stats->why_ended = why_ended(s);
    s->stats->complete = s->todo.len == 0 && s->stats->paths > 0 && !may_miss_paths(s->stats) &&
                         !hd_interrupt_requested();
    for (size_t i = 0; i < s->todo.len; i++)
        hd_path_put(((struct hd_todo *)hd_vec_at(&s->todo, i))->path);
    for (size_t i = 0; i < s->targets.len; i++)
        hd_path_put(((struct hd_todo *)hd_vec_at(&s->targets, i))->path);
    hd_vec_fini(&s->targets);
    hd_vec_fini(&s->todo);
    hd_tree_fini(&s->tree);
    hd_free(s->cover, s->cap_cover);
    hd_names_fini(&s->known);
    hd_names_fini(&s->given);
    hd_map_fini(&s->tried);
    if (s->stats->paths)
        hd_input_fini(&s->first);
    if (!s->messages)
        return;
    fclose(s->messages);
    if (s->stats->paths > 0)
        return;
    char path[PATH_MAX + 32]; /* nothing was run: the folder is as it was */
    snprintf(path, sizeof path, "%s/messages.txt", s->dir);
    unlink(path);
}

/* Names that were asked for and that the program cannot call: a misspelt one would else be found
 * out when the search is over. */
static enum hd_status check_calls(const struct hd_hunt_options *o, const char *program,
                                  const char *path, struct hd_err *err)
{
    for (size_t i = 0; o->asked_calls && i < o->seed->places.len; i++) {
        const char *name = call_of(o->seed, i);
        if (name && !hd_program_may_call(path, name))
            return hd_err_set(err, HD_ERR_INPUT,
                              "--symbolic-call %s: %s calls no function of this name", name,
                              program);
    }
    return HD_OK;
}

/* Without the hooks no input is followed: then one path would look like all of them. */
enum hd_status hd_input_search_check(const struct hd_hunt_options *o, struct hd_err *err)
{
    const struct hd_input *seed = o->seed;
    char path[PATH_MAX];
    const char *name = (const char *)((struct hd_input_bytes *)hd_vec_at(&seed->words, 0))->data;
    enum hd_status st = hd_program_find(name, path, sizeof path, err);
    if (st == HD_OK && !hd_program_may_be_concolic(path))
        st = hd_err_set(err, HD_ERR_INPUT,
                        "%s was not built for a search over inputs: build it with heddle cc "
                        "--concolic",
                        name);
    return st == HD_OK ? check_calls(o, name, path, err) : st;
}

enum hd_status hd_input_search_run(const struct hd_hunt_options *o, struct hd_hunt_stats *stats,
                                   struct hd_err *err)
{
    *stats = (struct hd_hunt_stats){.first_race = -1};
    struct hd_search s = {.o = o,
                          .stats = stats,
                          .err = err,
                          .todo = HD_VEC_INIT(struct hd_todo),
                          .targets = HD_VEC_INIT(struct hd_todo),
                          .started = hd_progress_now(),
                          .next_test = 1};
    hd_tree_init(&s.tree);
    enum hd_status st = hd_input_search_check(o, err);
    if (st == HD_OK)
        st = open_dir(&s);
    if (st == HD_OK)
        st = search(&s);
    end(&s);
    return st;
}
