/* Prediction against exhaustive enumeration in the neighbourhood of traces that once were hard: the
 * regression traces and the examples of the model are changed a little, again and again (events
 * moved, dropped, doubled, borrowed from another trace, given to another thread, object or value;
 * dependences added and removed). Whatever is still a possible trace must give exactly the
 * enumerated pairs. Random traces alone did not find the bugs behind several regression files.
 *
 * HEDDLE_TEST_LONG=1 runs 600,000 traces, else 20,000. HEDDLE_SEED=n runs the walk of that number
 * only; a mismatch keeps its trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <glob.h>

#include "../support/seeds.h"
#include "base/rng.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "predict/run/predict.h"
#include "trace/trace_io.h"
#include "trace/text/text.h"

#define MAX_EVENTS 24
#define MAX_DEPS   4
#define WALK       40 /* accepted changes before the next walk starts from a file again */

/* One event line, taken apart. */
struct item {
    char thread[16], op[12], args[32];
    char attr[8]; /* deps, val, addr or "" */
    unsigned dep[MAX_DEPS], n_dep;
    unsigned id; /* dependences name events by this number */
};

struct text {
    char head[256]; /* directives */
    struct item item[MAX_EVENTS];
    unsigned n, next_id;
};

struct corpus {
    struct text *texts;
    size_t n;
};

static bool parse_item(struct text *t, char *line)
{
    if (t->n == MAX_EVENTS)
        return false;
    struct item *it = &t->item[t->n];
    char place[64], attrs[96] = "", call[64];
    *it = (struct item){.id = t->next_id};
    if (sscanf(line, "%15[^|]|%63[^|]|%63[^|\n]|%95[^\n]", it->thread, call, place, attrs) < 2)
        return false;
    sscanf(call, "%11[a-z](%31[^)])", it->op, it->args);
    char *value = strchr(attrs, '=');
    if (value) {
        *value++ = 0;
        snprintf(it->attr, sizeof it->attr, "%.7s", attrs);
        for (; *value >= '0' && *value <= '9' && it->n_dep < MAX_DEPS; value += *value == ',')
            it->dep[it->n_dep++] = (unsigned)strtoul(value, &value, 10);
    }
    t->n++;
    t->next_id++;
    return true;
}

/* False: too long, or written in a way that this small reader does not know. */
static bool parse_file(const char *path, struct text *t)
{
    char line[256];
    FILE *f = fopen(path, "r");
    bool ok = f != NULL;
    *t = (struct text){.next_id = 1};
    while (ok && fgets(line, sizeof line, f)) {
        char *start = line + strspn(line, " \t");
        if (*start == '!')
            ok = strlen(t->head) + strlen(start) < sizeof t->head && strcat(t->head, start);
        else if (*start != '#' && *start != '\n')
            ok = !strchr(start, ';') && parse_item(t, start);
    }
    if (f)
        fclose(f);
    return ok && t->n > 2;
}

static void load_corpus(struct corpus *c)
{
    static const char *const patterns[] = {HD_TESTS_DIR "/regress/*.trace",
                                           HD_TESTS_DIR "/model/*.txt"};
    glob_t files = {0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &files), 0);
    c->texts = calloc(files.gl_pathc, sizeof *c->texts);
    for (size_t i = 0; i < files.gl_pathc; i++)
        c->n += parse_file(files.gl_pathv[i], &c->texts[c->n]);
    globfree(&files);
    assert_true(c->n > 30);
}

static void print_deps(const struct text *t, const struct item *it, FILE *out)
{
    const char *comma = "";
    if (!*it->attr)
        return;
    fprintf(out, "|%s=", it->attr);
    for (unsigned i = 0; i < it->n_dep; i++)
        for (unsigned k = 0; &t->item[k] < it; k++)
            if (t->item[k].id == it->dep[i] && !strcmp(t->item[k].thread, it->thread)) {
                fprintf(out, "%s%u", comma, k + 1);
                comma = ",";
            }
}

static size_t print_text(const struct text *t, char *buffer, size_t size)
{
    FILE *out = fmemopen(buffer, size, "w");
    fputs(t->head, out);
    for (unsigned i = 0; i < t->n; i++) {
        const struct item *it = &t->item[i];
        fprintf(out, "%s|%s", it->thread, it->op);
        if (*it->args)
            fprintf(out, "(%s)", it->args);
        fprintf(out, "|p:%u", i + 1);
        print_deps(t, it, out);
        fputc('\n', out);
    }
    size_t len = (size_t)ftell(out);
    fclose(out);
    return len;
}

static void insert(struct text *t, unsigned at, struct item it)
{
    if (t->n == MAX_EVENTS)
        return;
    memmove(&t->item[at + 1], &t->item[at], (t->n - at) * sizeof it);
    it.id = t->next_id++;
    t->item[at] = it;
    t->n++;
}

static void take_out(struct text *t, unsigned at)
{
    t->n--;
    memmove(&t->item[at], &t->item[at + 1], (t->n - at) * sizeof t->item[0]);
}

/* Reads lose their value, so that they fit wherever they come to stand. */
static void forget_value(struct item *it)
{
    char *comma = strchr(it->args, ',');
    if (comma && (!strcmp(it->op, "r") || !strcmp(it->op, "ar")))
        *comma = 0;
}

static void change_value(struct item *it, struct hd_rng *rng)
{
    char *comma = strchr(it->args, ',');
    if (comma && (!strcmp(it->op, "w") || !strcmp(it->op, "aw")))
        snprintf(comma, sizeof it->args - (size_t)(comma - it->args), ",%u",
                 (unsigned)hd_rng_below(rng, 3));
}

static bool reads(const struct item *it)
{
    return !strcmp(it->op, "r") || !strcmp(it->op, "ar") || !strcmp(it->op, "rmw");
}

static void change_deps(struct text *t, unsigned at, struct hd_rng *rng)
{
    struct item *it = &t->item[at];
    bool branch = !strcmp(it->op, "br"), write = !strcmp(it->op, "w") || !strcmp(it->op, "aw");
    if (!branch && !write && !reads(it))
        return;
    strcpy(it->attr, branch ? "deps" : write && hd_rng_chance(rng, 60) ? "val" : "addr");
    it->n_dep = 0;
    for (unsigned k = 0; k < at && it->n_dep < MAX_DEPS; k++)
        if (reads(&t->item[k]) && !strcmp(t->item[k].thread, it->thread) && hd_rng_chance(rng, 50))
            it->dep[it->n_dep++] = t->item[k].id;
    if (hd_rng_chance(rng, 20))
        it->attr[0] = 0;
}

static void mutate(struct text *t, const struct corpus *c, struct hd_rng *rng)
{
    const struct text *other = &c->texts[hd_rng_below(rng, c->n)];
    unsigned at = hd_rng_below(rng, t->n), to = hd_rng_below(rng, t->n);
    struct item it = t->item[at];
    switch (hd_rng_below(rng, 9)) {
    case 0:
    case 1: /* move */
        take_out(t, at);
        insert(t, to < t->n ? to : t->n, it);
        t->item[to < t->n ? to : t->n - 1].id = it.id;
        break;
    case 2:
        take_out(t, at);
        break;
    case 3:
        insert(t, to, it);
        break;
    case 4:
        it = other->item[hd_rng_below(rng, other->n)];
        it.attr[0] = 0;
        strcpy(it.thread, t->item[at].thread);
        insert(t, to, it);
        break;
    case 5:
        memmove(t->item[at].thread, t->item[to].thread, sizeof it.thread);
        break;
    case 6:
        if (!strcmp(t->item[to].op, it.op) || (reads(&it) && t->item[to].op[0] == 'w'))
            snprintf(t->item[at].args, 2, "%c", t->item[to].args[0]);
        break;
    case 7:
        change_deps(t, at, rng);
        break;
    default:
        change_value(&t->item[at], rng);
    }
    for (unsigned i = 0; i < t->n; i++)
        if (hd_rng_chance(rng, 80))
            forget_value(&t->item[i]);
}

static void keep(const char *buffer, size_t len, uint64_t walk)
{
    char path[256];
    snprintf(path, sizeof path, "%s/mutated-%llu.trace", HD_TEST_TMP, (unsigned long long)walk);
    FILE *f = fopen(path, "w");
    if (f) {
        fwrite(buffer, 1, len, f);
        fclose(f);
    }
    print_error("walk %llu: the trace is kept in %s\n", (unsigned long long)walk, path);
}

static bool equal(const struct hd_trace *t, const struct hd_enum_result *e, uint32_t steps)
{
    struct hd_predict_options options;
    struct hd_prediction p;
    struct hd_err err = {0};
    hd_predict_defaults(&options);
    options.sc = true; /* the enumeration is of simultaneous races */
    options.all_pairs = true;
    options.jobs = 1;
    options.steps = steps;
    if (hd_predict(t, HD_PROPERTY_RACE, &options, &p, &err) != HD_OK) {
        print_error("  %s\n", err.text);
        return false;
    }
    bool same = p.found.len == e->n_pairs && p.undecided.len == 0;
    for (size_t i = 0; same && i < e->n_pairs; i++) {
        const struct hd_predicted *race = hd_vec_at(&p.found, i);
        same = race->witness.a == e->pairs[i].a && race->witness.b == e->pairs[i].b;
    }
    if (!same)
        print_error("  predicted %zu, enumerated %zu, undecided %zu, steps %#x\n", p.found.len,
                    e->n_pairs, p.undecided.len, steps);
    hd_prediction_fini(&p);
    return same;
}

/* True: it was a possible trace, and the answers agreed. */
static bool judge(const struct text *text, uint64_t walk, struct hd_rng *rng)
{
    char buffer[4096];
    size_t len = print_text(text, buffer, sizeof buffer);
    struct hd_trace *t = NULL;
    struct hd_enum_result e = {0};
    struct hd_enum_opts opts = {.max_states = 100000};
    struct hd_err err = {0};
    hd_eid bad;
    const uint32_t all = (1u << HD_STEPS) - 1;
    if (hd_text_read(buffer, len, "mutated", &t, &err) != HD_OK)
        return false;
    bool possible =
        hd_check_trace(t, &bad, &err) == HD_OK && hd_enumerate(t, &opts, &e, &err) == HD_OK;
    if (possible && !equal(t, &e, hd_rng_chance(rng, 70) ? all : all & ~(1u << HD_STEP_GREEDY))) {
        keep(buffer, len, walk);
        fail();
    }
    hd_enum_result_fini(&e);
    hd_trace_free(t);
    return possible;
}

static unsigned run_walk(const struct corpus *c, uint64_t walk)
{
    struct hd_rng rng;
    unsigned accepted = 0;
    hd_rng_init(&rng, walk);
    struct text now = c->texts[walk % c->n];
    for (int i = 0; i < 12 * WALK && accepted < WALK; i++) {
        struct text next = now;
        for (unsigned k = 1 + (unsigned)hd_rng_below(&rng, 2); k > 0 && next.n > 2; k--)
            mutate(&next, c, &rng);
        if (!judge(&next, walk, &rng))
            continue;
        now = next;
        accepted++;
    }
    return accepted;
}

static void test_neighbours(void **state)
{
    struct corpus c = {0};
    uint64_t wanted = seeds_count(20000, 600000);
    uint64_t walks = 0, accepted = 0;
    (void)state;
    load_corpus(&c);
    if (getenv("HEDDLE_SEED")) {
        run_walk(&c, strtoull(getenv("HEDDLE_SEED"), NULL, 0));
    } else {
        while (accepted < wanted && walks < wanted)
            accepted += run_walk(&c, walks++);
        assert_true(accepted >= wanted);
        print_message("%llu traces in %llu walks\n", (unsigned long long)accepted,
                      (unsigned long long)walks);
    }
    free(c.texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neighbours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
