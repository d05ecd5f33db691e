#include "report_fixture.h"

#include <string.h>

static const char *const bank_c[] = {
    "#include <assert.h>",
    "#include <pthread.h>",
    "#include <stdio.h>",
    "",
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;",
    "static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;",
    "static int balance = 100, entries;",
    "",
    "/* Takes the money if it is there. */",
    "static void *withdraw(void *arg)",
    "{",
    "    int amount = *(int *)arg;",
    "    pthread_mutex_lock(&lock);",
    "    int enough = balance >= amount;",
    "    pthread_mutex_unlock(&lock);",
    "    if (enough)",
    "        balance -= amount;",
    "    pthread_mutex_lock(&lock);",
    "    pthread_mutex_lock(&log_lock);",
    "    entries++;",
    "    pthread_mutex_unlock(&log_lock);",
    "    pthread_mutex_unlock(&lock);",
    "    return NULL;",
    "}",
    "",
    "static void *audit(void *arg)",
    "{",
    "    pthread_mutex_lock(&log_lock);",
    "    printf(\"%d entries\\n\", entries);",
    "    pthread_mutex_lock(&lock);",
    "    assert(balance >= 0);",
    "    pthread_mutex_unlock(&lock);",
    "    pthread_mutex_unlock(&log_lock);",
    "    return arg;",
    "}",
    "",
    "int main(void)",
    "{",
    "    pthread_t a, b, c;",
    "    int x = 80, y = 50;",
    "    pthread_create(&a, NULL, withdraw, &x);",
    "    pthread_create(&b, NULL, withdraw, &y);",
    "    pthread_create(&c, NULL, audit, NULL);",
    "    pthread_join(a, NULL);",
    "    pthread_join(b, NULL);",
    "    pthread_join(c, NULL);",
    "    return balance < 0;",
    "}",
};
enum { BANK_LINES = sizeof bank_c / sizeof *bank_c };

static struct hd_spot spot(uint32_t line, uint32_t column)
{
    const char *function = line >= 38 ? "main" : line >= 26 ? "audit" : "withdraw";
    return (struct hd_spot){"src/bank.c", line, column, function};
}

static void add_source(struct hd_report *r, struct hd_access *x)
{
    uint32_t first = x->at.line > 8 ? x->at.line - 8 : 1;
    uint32_t last = x->at.line + 8 < BANK_LINES ? x->at.line + 8 : BANK_LINES;
    size_t n = last - first + 1;
    x->source.first = first;
    x->source.lines.items = hd_report_array(r, n, sizeof *x->source.lines.items);
    x->source.lines.n = n;
    for (size_t i = 0; i < n; i++)
        x->source.lines.items[i] = bank_c[first - 1 + i];
}

/* A frame and where libc called it. */
static struct hd_stack stack_of(struct hd_report *r, struct hd_spot at)
{
    struct hd_stack s = {hd_report_array(r, 2, sizeof *s.frames), 2};
    s.frames[0].at = at;
    s.frames[1].module = "libc.so.6+0x89144";
    return s;
}

static struct hd_access access_by(struct hd_report *r, const char *thread, const char *kind,
                                  uint32_t line, const char *value, const char *lock)
{
    struct hd_access x = {.thread = thread, .kind = kind, .size = 4, .value = value};
    x.at = spot(line, 9);
    if (lock) {
        x.locks = hd_report_array(r, 1, sizeof *x.locks);
        x.locks[0] = (struct hd_held){.name = lock, .taken = spot(13, 5), .event = 3};
        x.locks[0].stack = stack_of(r, x.locks[0].taken);
        x.n_locks = 1;
    }
    x.stack = stack_of(r, x.at);
    add_source(r, &x);
    return x;
}

struct row {
    const char *thread, *op, *object, *value;
    uint32_t line;
    bool minor, racing;
};

/* Event numbers follow the recorded order, given as the place of each step in it. */
static void set_steps(struct hd_report *r, struct hd_finding *f, const struct row *rows, size_t n,
                      const uint32_t *recorded)
{
    f->n_steps = n;
    f->steps = hd_report_array(r, n, sizeof *f->steps);
    f->recorded = hd_report_array(r, n, sizeof *f->recorded);
    for (uint32_t i = 0; i < n; i++) {
        const struct row *row = &rows[i];
        f->recorded[i] = recorded ? recorded[i] : i;
        f->steps[i] = (struct hd_schedule_step){.thread = row->thread,
                                                .op = row->op,
                                                .object = row->object,
                                                .value = row->value,
                                                .at = spot(row->line, 5),
                                                .essential = !row->minor,
                                                .racing = row->racing};
        f->switches += i && strcmp(rows[i - 1].thread, row->thread);
    }
    for (uint32_t i = 0; i < n; i++)
        f->steps[f->recorded[i]].event = 10 + i;
    for (size_t i = 0, k = 0; i < n; i++)
        if (rows[i].racing && k < f->n_accesses)
            f->accesses[k++].event = f->steps[i].event;
}

/* The creation of the threads, which no access is near. */
static void set_sources(struct hd_report *r, struct hd_finding *f)
{
    struct hd_access around = {.at = spot(41, 5)};
    add_source(r, &around);
    f->n_sources = 1;
    f->sources = hd_report_array(r, 1, sizeof *f->sources);
    f->sources[0] = (struct hd_source){around.at.file, around.source};
}

static void set_threads(struct hd_report *r, struct hd_finding *f)
{
    f->n_threads = 3;
    f->threads = hd_report_array(r, 3, sizeof *f->threads);
    f->threads[0] = (struct hd_thread_made){.name = "T1"};
    for (uint32_t i = 1; i < 3; i++) {
        f->threads[i] = (struct hd_thread_made){.name = i == 1 ? "T1.1" : "T1.2", .parent = "T1"};
        f->threads[i].at = spot(40 + i, 5);
        f->threads[i].event = 9 + i; /* the first steps */
    }
    f->threads[1].stack = stack_of(r, spot(41, 5));
    f->n_locks = 2;
    f->locks = hd_report_array(r, 2, sizeof *f->locks);
    f->locks[0] =
        (struct hd_lock_made){.name = "lock", .at = spot(13, 5), .event = 3, .made = true};
    f->locks[0].stack = stack_of(r, spot(40, 5));
    f->locks[1] = (struct hd_lock_made){.name = "log_lock", .at = spot(19, 5), .event = 5};
}

static void set_values(struct hd_report *r, struct hd_effect *e, const char *a, const char *b)
{
    e->values.items = hd_report_array(r, 2, sizeof *e->values.items);
    e->values.items[0] = a;
    e->values.items[1] = b;
    e->values.n = 2;
}

static void race(struct hd_report *r, struct hd_finding *f)
{
    static const struct row rows[] = {
        {"T1", "fork", "T1.1", NULL, 41, false, false},
        {"T1", "fork", "T1.2", NULL, 42, false, false},
        {"T1.2", "r", "y", "50", 12, true, false},
        {"T1.2", "acq", "lock", NULL, 13, false, false},
        {"T1.2", "r", "balance", "100", 14, true, false},
        {"T1.2", "rel", "lock", NULL, 15, false, false},
        {"T1.1", "r", "x", "80", 12, true, false},
        {"T1.1", "acq", "lock", NULL, 13, false, false},
        {"T1.1", "r", "balance", "100", 14, true, false},
        {"T1.1", "rel", "lock", NULL, 15, false, false},
        {"T1.1", "br", NULL, NULL, 16, true, false},
        {"T1.2", "br", NULL, NULL, 16, true, false},
        {"T1.2", "r", "balance", "100", 17, true, false},
        {"T1.1", "r", "balance", "100", 17, false, true},
        {"T1.2", "w", "balance", "50", 17, false, true},
    };
    static const uint32_t recorded[] = {0, 1, 6, 7, 8, 9, 10, 13, 2, 3, 4, 5, 11, 12, 14};
    *f = (struct hd_finding){.id = "R-7f3a9c12",
                             .status = HD_FINDING_CONFIRMED,
                             .variable = "balance",
                             .location = "global, src/bank.c:7",
                             .advice_lock = "lock",
                             .advice_held = 3,
                             .advice_of = 3,
                             .replays_confirmed = 20,
                             .replays_tried = 20,
                             .witness = "witness-R-7f3a9c12.json",
                             .trace = "trace.hdt",
                             .duplicates = 3};
    f->why = "In the recorded run T1.1 released 'lock' before T1.2 took it. If T1.2 takes it "
             "first, nothing orders the two accesses.";
    f->n_accesses = 2;
    f->accesses = hd_report_array(r, 2, sizeof *f->accesses);
    f->accesses[0] = access_by(r, "T1.1", "read", 17, "100", NULL);
    f->accesses[1] = access_by(r, "T1.2", "write", 17, "50", NULL);
    set_steps(r, f, rows, sizeof rows / sizeof *rows, recorded);
    set_threads(r, f);
    set_sources(r, f);
    f->effects[0] = (struct hd_effect){.summary = "exit 0"};
    set_values(r, &f->effects[0], "100", "50");
    f->effects[1] = (struct hd_effect){.summary = "assertion failed: src/bank.c:31",
                                       .exit_status = -1,
                                       .signal = 6,
                                       .signal_name = "SIGABRT",
                                       .assertion = "bank: src/bank.c:31: audit: Assertion "
                                                    "`balance >= 0' failed.",
                                       .output_diff = "-2 entries\n+1 entries"};
    set_values(r, &f->effects[1], "50", "50");
    f->effects[1].stack.n = 1;
    f->effects[1].stack.frames = hd_report_array(r, 1, sizeof *f->effects[1].stack.frames);
    f->effects[1].stack.frames[0].at = spot(31, 5);
}

static void predicted(struct hd_report *r, struct hd_finding *f)
{
    race(r, f);
    f->id = "R-0b44d1ee";
    f->status = HD_FINDING_PREDICTED;
    f->reason = "the replay left the schedule at src/bank.c:29";
    f->variable = "entries";
    f->replays_confirmed = 0;
    f->duplicates = 0;
    f->advice_lock = NULL;
    f->effects[0] = f->effects[1] = (struct hd_effect){0};
    f->accesses[1] = access_by(r, "T1.3", "read", 29, "2", "log_lock");
    f->accesses[1].stack.n = 0;
    f->stacks = "the program did something else when it was run again";
    f->location = "heap block (64 bytes) from src/bank.c:40";
    f->block = 3;
    f->block_stack = stack_of(r, spot(40, 5));
}

static void atomicity(struct hd_report *r, struct hd_finding *f)
{
    static const struct row rows[] = {
        {"T1", "fork", "T1.1", NULL, 41, false, false},
        {"T1.1", "acq", "lock", NULL, 13, false, false},
        {"T1.1", "r", "balance", "100", 14, false, true},
        {"T1.1", "rel", "lock", NULL, 15, false, false},
        {"T1.2", "w", "balance", "50", 17, false, true},
        {"T1.1", "w", "balance", "-30", 17, false, true},
    };
    race(r, f);
    f->id = "R-2c91f07a";
    f->property = HD_PROPERTY_ATOMICITY;
    f->n_accesses = 3;
    f->accesses = hd_report_array(r, 3, sizeof *f->accesses);
    f->accesses[0] = access_by(r, "T1.1", "read", 14, "100", "lock");
    f->accesses[1] = access_by(r, "T1.2", "write", 17, "50", NULL);
    f->accesses[2] = access_by(r, "T1.1", "write", 17, "20", NULL);
    f->why = "Between the check and the act of T1.1 nothing keeps T1.2 away from 'balance'.";
    f->effects[0] = f->effects[1];
    f->effects[1] = (struct hd_effect){0};
    f->switches = 0;
    set_steps(r, f, rows, sizeof rows / sizeof *rows, NULL);
}

static void deadlock(struct hd_report *r, struct hd_finding *f)
{
    static const struct row rows[] = {
        {"T1", "fork", "T1.1", NULL, 41, false, false},
        {"T1", "fork", "T1.3", NULL, 43, false, false},
        {"T1.1", "acq", "lock", NULL, 18, false, false},
        {"T1.3", "acq", "log_lock", NULL, 28, false, false},
        {"T1.1", "acq", "log_lock", NULL, 19, false, true},
        {"T1.3", "acq", "lock", NULL, 30, false, true},
    };
    *f = (struct hd_finding){.id = "R-55e0a3b9",
                             .property = HD_PROPERTY_DEADLOCK,
                             .status = HD_FINDING_OBSERVED,
                             .variable = "lock, log_lock",
                             .why = "T1.1 takes lock and then log_lock, T1.3 takes them in the "
                                    "other order."};
    f->n_accesses = 2;
    f->accesses = hd_report_array(r, 2, sizeof *f->accesses);
    f->accesses[0] = access_by(r, "T1.1", "lock", 19, NULL, "lock");
    f->accesses[1] = access_by(r, "T1.3", "lock", 30, NULL, "log_lock");
    f->accesses[0].size = f->accesses[1].size = 0;
    set_steps(r, f, rows, sizeof rows / sizeof *rows, NULL);
    f->effects[0] = (struct hd_effect){.summary = "deadlock", .exit_status = -1, .deadlock = true};
}

static void known(struct hd_report *r, struct hd_finding *f)
{
    race(r, f);
    f->id = "R-a1a1a1a1";
    f->known = true;
    f->duplicates = 0;
    f->accesses[0] = access_by(r, "T1.1", "write", 17, "20", NULL);
    f->effects[1] = (struct hd_effect){.summary = "exit 1", .exit_status = 1};
}

struct hd_report *hd_fixture_bank(void)
{
    struct hd_report *r = hd_report_new();
    static void (*const makers[])(struct hd_report *, struct hd_finding *) = {
        race, predicted, atomicity, deadlock, known};
    r->tool_version = "0.1.0";
    hd_report_add(r, &r->program, "./bank");
    hd_report_add(r, &r->program, "--seed=7");
    r->events = 1234567;
    r->threads = 4;
    r->runs = 3;
    r->seconds = 2.75;
    r->record_seconds = 0.5;
    r->analyze_seconds = 1.25;
    r->replay_seconds = 1;
    r->race = 8;
    r->impossible = 41;
    r->undecided = 2;
    r->suppressed = 1;
    hd_report_add(r, &r->undecided_why, "src/bank.c:20 and src/bank.c:29: the time ran out");
    hd_report_add(r, &r->unmodelled, "pthread_setaffinity_np");
    hd_report_add(r, &r->uninstrumented, "libcrypto.so.3");
    hd_report_add(r, &r->notes, "Inputs of the program were read from standard input.");
    r->n_rules = 4;
    r->rules = hd_report_array(r, 4, sizeof *r->rules);
    r->rules[0] = (struct hd_rule_use){"race:logger", "heddle.supp", 3, 1, NULL, NULL, false};
    r->rules[1] = (struct hd_rule_use){"race:old_cache", "heddle.supp", 4, 0, NULL, NULL, false};
    r->rules[2] = (struct hd_rule_use){"race:parse until:2026-01-31 reason:ticket 12",
                                       "heddle.supp",
                                       7,
                                       0,
                                       "ticket 12",
                                       "2026-01-31",
                                       true};
    r->rules[3] = (struct hd_rule_use){
        "heddle:ignore", "src/bank.c", 20, 2, "a lost count does no harm", NULL, false};
    r->baseline = "main/report.json";
    r->n_gone = 1;
    r->gone = hd_report_array(r, 1, sizeof *r->gone);
    r->gone[0] = (struct hd_gone){"R-90e1",
                                  NULL,
                                  HD_PROPERTY_RACE,
                                  HD_FINDING_CONFIRMED,
                                  "cache.size",
                                  "Data race on 'cache.size': write in put (T1.1) and read in get "
                                  "(T1.2)"};
    r->n_findings = sizeof makers / sizeof *makers;
    r->findings = hd_report_array(r, r->n_findings, sizeof *r->findings);
    for (size_t i = 0; i < r->n_findings; i++)
        makers[i](r, &r->findings[i]);
    hd_report_settle(r);
    return r;
}

/* ---- hostile ---- */

static const char *long_line(struct hd_report *r)
{
    char *text = hd_report_array(r, 10001, 1);
    memset(text, 'x', 10000);
    memcpy(text, "\"<long>&", 8);
    return text;
}

static const char *nasty(struct hd_report *r, size_t n)
{
    static const char *const texts[] = {
        HD_FIXTURE_TAG,
        "</script><script>document.title='owned'</script>",
        "]]><!-- --> <![CDATA[ ?> %>",
        "quote \" apostrophe ' back\\slash `tick`",
        "bytes \xff\xfe \xc3\x28 \xed\xa0\x80 end",
        "control \x01\x02\x1b[31m\x7f \r\n::error::owned\n==1==WARNING: ThreadSanitizer: x (pid=1)",
        "bidi \xe2\x80\xae right \xe2\x81\xa6 left \xc2\x85 \xef\xbf\xbf",
        "percent %0A %s %n {0} [link](http://example.invalid/)",
        "\" onmouseover=\"alert(1)",
        "</td></table></style>&lt;&amp;",
    };
    enum { N = sizeof texts / sizeof *texts };
    return n % (N + 1) == N ? long_line(r) : texts[n % (N + 1)];
}

static void spoil_spot(struct hd_report *r, struct hd_spot *at, size_t n)
{
    at->file = nasty(r, n);
    at->function = nasty(r, n + 3);
}

static void spoil_stack(struct hd_report *r, struct hd_stack *s, size_t n)
{
    for (size_t i = 0; i < s->n; i++) {
        spoil_spot(r, &s->frames[i].at, n + i + 1);
        s->frames[i].module = nasty(r, n + i + 2);
    }
}

static void spoil_access(struct hd_report *r, struct hd_access *x, size_t n)
{
    x->kind = nasty(r, n + 5);
    x->value = nasty(r, n + 1);
    spoil_spot(r, &x->at, n);
    for (size_t i = 0; i < x->n_locks; i++) {
        x->locks[i].name = nasty(r, n + i);
        spoil_stack(r, &x->locks[i].stack, n + i);
    }
    spoil_stack(r, &x->stack, n);
    for (size_t i = 0; i < x->source.lines.n; i++)
        x->source.lines.items[i] = nasty(r, i);
}

static void spoil_finding(struct hd_report *r, struct hd_finding *f, size_t n)
{
    f->reason = f->reason ? nasty(r, n) : NULL;
    f->variable = nasty(r, n + 1);
    f->location = nasty(r, n + 2);
    f->why = nasty(r, n + 3);
    f->advice_lock = nasty(r, n + 4);
    f->witness = nasty(r, n + 5);
    for (size_t i = 0; i < f->n_accesses; i++)
        spoil_access(r, &f->accesses[i], n + i);
    for (size_t i = 0; i < f->n_steps; i++) {
        f->steps[i].object = f->steps[i].object ? nasty(r, n + i) : NULL;
        f->steps[i].value = nasty(r, n + i + 4);
        spoil_spot(r, &f->steps[i].at, n + i);
    }
    for (size_t i = 0; i < f->n_threads; i++) {
        spoil_spot(r, &f->threads[i].at, n + i);
        spoil_stack(r, &f->threads[i].stack, n + i);
    }
    for (size_t i = 0; i < f->n_locks; i++) {
        f->locks[i].name = nasty(r, n + i);
        spoil_spot(r, &f->locks[i].at, n + i);
        spoil_stack(r, &f->locks[i].stack, n + i);
    }
    f->stacks = f->stacks ? nasty(r, n + 5) : NULL;
    spoil_stack(r, &f->block_stack, n);
    for (size_t i = 0; i < f->n_sources; i++) {
        f->sources[i].file = nasty(r, n + i);
        for (size_t k = 0; k < f->sources[i].text.lines.n; k++)
            f->sources[i].text.lines.items[k] = nasty(r, n + k);
    }
    for (int k = 0; k < 2; k++) {
        f->effects[k].summary = nasty(r, n + 6);
        f->effects[k].assertion = nasty(r, n + 7);
        f->effects[k].output_diff = nasty(r, n + 8);
    }
}

struct hd_report *hd_fixture_hostile(void)
{
    struct hd_report *r = hd_fixture_bank();
    struct hd_texts *lists[] = {&r->undecided_why, &r->unmodelled, &r->uninstrumented, &r->notes,
                                &r->program};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < 11; k++)
            hd_report_add(r, lists[i], nasty(r, k));
    for (size_t i = 0; i < r->n_findings; i++)
        spoil_finding(r, &r->findings[i], 2 * i);
    for (size_t i = 0; i < r->n_rules; i++) {
        r->rules[i].text = nasty(r, i);
        r->rules[i].file = nasty(r, i + 1);
        r->rules[i].reason = nasty(r, i + 2);
        r->rules[i].until = nasty(r, i + 3);
    }
    r->baseline = nasty(r, 5);
    for (size_t i = 0; i < r->n_gone; i++) {
        r->gone[i].id = nasty(r, i + 5);
        r->gone[i].variable = nasty(r, i + 1);
        r->gone[i].title = nasty(r, i + 5);
    }
    r->tool_version = nasty(r, 0);
    return r;
}

/* ---- sparse ---- */

struct hd_report *hd_fixture_sparse(void)
{
    struct hd_report *r = hd_report_new();
    static const char *const ids[] = {"index", "coverage", "main", "R-1", "a b\"c"};
    r->n_findings = sizeof ids / sizeof *ids;
    r->findings = hd_report_array(r, r->n_findings, sizeof *r->findings);
    for (size_t i = 0; i < r->n_findings; i++) {
        struct hd_finding *f = &r->findings[i];
        *f = (struct hd_finding){.id = ids[i], .variable = "x", .status = i % HD_FINDING_STATUSES};
        f->property = (enum hd_property)(i % HD_PROPERTIES);
        f->n_accesses = i;
        f->accesses = hd_report_array(r, i, sizeof *f->accesses);
        for (size_t k = 0; k < i; k++)
            f->accesses[k] = (struct hd_access){.thread = "T1", .kind = "read"};
        f->n_steps = 2 * i;
        f->steps = hd_report_array(r, 2 * i, sizeof *f->steps);
        f->recorded = hd_report_array(r, 2 * i, sizeof *f->recorded);
        for (uint32_t k = 0; k < 2 * i; k++) {
            f->steps[k] = (struct hd_schedule_step){.thread = "T1", .op = k % 2 ? "rel" : "new op"};
            f->steps[k].racing = k >= i;
            f->recorded[k] = (uint32_t)(2 * i) - 1 - k;
        }
    }
    hd_report_settle(r);
    return r;
}

/* ---- many ---- */

struct hd_report *hd_fixture_many(size_t n, size_t steps)
{
    struct hd_report *r = hd_fixture_bank();
    struct row *rows = hd_report_array(r, steps, sizeof *rows);
    for (size_t i = 0; i < steps; i++) {
        rows[i] = (struct row){i / 5 % 2 ? "T1.2" : "T1.1", "r", "balance", "100", 14, true, false};
        rows[i].op = i % 5 == 0 ? "acq" : i % 5 == 4 ? "rel" : "r";
        rows[i].object = i % 5 == 0 || i % 5 == 4 ? "lock" : "balance";
        rows[i].minor = i % 5 != 0 && i % 5 != 4;
    }
    rows[steps - 2] = (struct row){"T1.1", "r", "balance", "100", 17, false, true};
    rows[steps - 1] = (struct row){"T1.2", "w", "balance", "50", 17, false, true};
    r->n_findings = n;
    r->findings = hd_report_array(r, n, sizeof *r->findings);
    for (size_t i = 0; i < n; i++) {
        struct hd_finding *f = &r->findings[i];
        race(r, f);
        f->id = hd_report_format(r, "R-%08zx", i * 2654435761u & 0xffffffffu);
        f->variable = hd_report_format(r, "table.rows[%zu]", i / 3);
        f->switches = 0;
        set_steps(r, f, rows, steps, NULL);
    }
    hd_report_settle(r);
    return r;
}

/* ---- crowd ---- */

struct hd_report *hd_fixture_crowd(void)
{
    static const char *const names[] = {"T1.1", "T1.2", "T1.3", "T1.4", "T1.5"};
    enum { THREADS = 5, STEPS = THREADS + 3 * THREADS + 2 };
    struct hd_report *r = hd_fixture_bank();
    struct row rows[STEPS];
    size_t n = 0;
    for (int i = 0; i < THREADS; i++)
        rows[n++] = (struct row){"T1", "fork", names[i], NULL, 41, false, false};
    for (int i = 0; i < THREADS; i++) { /* each gets the lock from the one after it */
        const char *name = names[THREADS - 1 - i];
        rows[n++] = (struct row){name, "acq", "lock", NULL, 13, false, false};
        rows[n++] = (struct row){name, "r", "balance", "100", 14, true, false};
        rows[n++] = (struct row){name, "rel", "lock", NULL, 15, false, false};
    }
    rows[n++] = (struct row){"T1.1", "r", "balance", "100", 17, false, true};
    rows[n++] = (struct row){"T1.5", "w", "balance", "50", 17, false, true};
    r->n_findings = 1;
    race(r, &r->findings[0]);
    r->findings[0].accesses[1].thread = "T1.5";
    r->findings[0].switches = 0;
    set_steps(r, &r->findings[0], rows, n, NULL);
    return r;
}
