#include "explore/exec.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/process.h"
#include "explore/run_server.h"
#include "explore/steps.h"
#include "record/program.h"
#include "record/record_child.h"
#include "record/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT   10000  /* milliseconds */
#define MAX_STEPS 200000 /* operations */
#define LOOK_MS   50     /* how often we look whether the user wants to stop */
#define PLAN_ROOM (1u << 22)

const char *const hd_exec_end_names[] = {"exit",    "crash",    "deadlock",  "timeout",
                                         "died",    "cut",      "redundant", "parked",
                                         "blocked", "diverged", "crowded"};
_Static_assert(HD_STEER_THREADS == 64, "HD_EXEC_CROWD_TEXT");

struct hd_exec {
    struct hd_exec_opts opts;
    struct hd_exec_names *names;
    char program[PATH_MAX];
    char log[64], steer[64], serve[64]; /* variables of the environment */
    char **env;
    size_t n_env, serve_at;
    char *pad; /* a variable */
    size_t pad_bytes;
    struct hd_ring ring;
    struct hd_log_header settings;
    int area_id;
    struct hd_steer_header *area;
    size_t area_bytes;
    int in, null, err; /* what the program's standard descriptors are */
    pid_t pid;         /* 0: none runs */
    int gone;          /* readable when it has ended, or -1 */
    uint64_t deadline;
    struct hd_server server;
    bool ended; /* the server told the status of the run */
    int status;
    bool no_server; /* it was tried, and the program cannot be one */
};

static uint64_t now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* ---- making and freeing ---- */

/* Variables that fill the environment up to multiples of these, so that the program's stack lies
 * where it did when the search goes on later in a somewhat other environment. */
#define PAD_BYTES 16384
#define PAD_COUNT 64
#define PAD_ENV   "HEDDLE_RT_PAD"

/* n others are there, and `rest` come behind. */
static size_t pad_env(struct hd_exec *x, size_t n, size_t rest)
{
    static char filler[] = PAD_ENV "=";
    size_t bytes = sizeof filler + strlen(x->log) + strlen(x->steer) + strlen(x->serve);
    while ((n + 1 + rest) % PAD_COUNT)
        x->env[n++] = filler;
    for (size_t i = 0; i < n; i++)
        bytes += strlen(x->env[i]) + 1;
    x->pad_bytes = sizeof filler + (PAD_BYTES - bytes % PAD_BYTES);
    x->pad = hd_alloc(x->pad_bytes);
    memset(x->pad, 'x', x->pad_bytes - 1);
    x->pad[x->pad_bytes - 1] = 0;
    memcpy(x->pad, filler, sizeof filler - 1);
    x->env[n++] = x->pad;
    return n;
}

static bool is_ours(const char *variable)
{
    return !strncmp(variable, HD_LOG_ENV "=", sizeof HD_LOG_ENV) ||
           !strncmp(variable, HD_STEER_ENV "=", sizeof HD_STEER_ENV) ||
           !strncmp(variable, PAD_ENV "=", sizeof PAD_ENV);
}

/* Our environment with three more variables and filling, that for the server last. */
static void make_env(struct hd_exec *x)
{
    size_t n = 0, k = 0;
    while (environ[n])
        n++;
    x->n_env = n + 4 + PAD_COUNT;
    x->env = hd_calloc(x->n_env, sizeof *x->env);
    for (size_t i = 0; i < n; i++)
        if (!is_ours(environ[i]))
            x->env[k++] = environ[i];
    k = pad_env(x, k, 3);
    x->env[k++] = x->log;
    x->env[k++] = x->steer;
    x->env[k] = x->serve;
    x->serve_at = k;
}

static enum hd_status make_area(struct hd_exec *x, struct hd_err *err)
{
    x->area_bytes = sizeof *x->area + PLAN_ROOM + x->opts.max_steps * sizeof(struct hd_steer_op);
    x->area_id = shmget(IPC_PRIVATE, x->area_bytes, 0600);
    void *at = x->area_id < 0 ? (void *)-1 : shmat(x->area_id, NULL, 0);
    int e = errno;
    if (x->area_id >= 0)
        shmctl(x->area_id, IPC_RMID, NULL); /* it goes when the last process lets go */
    if (at == (void *)-1)
        return hd_err_set(err, HD_ERR_IO, "cannot make memory to share with the program: %s",
                          strerror(e));
    x->area = at;
    snprintf(x->steer, sizeof x->steer, "%s=%010d", HD_STEER_ENV, x->area_id);
    return HD_OK;
}

static enum hd_status make_log(struct hd_exec *x, struct hd_err *err)
{
    char id[32];
    x->settings = (struct hd_log_header){
        .policy = HD_POLICY_STEER, .quantum = 1, .depth = 1, .steps = 1, .real_base = 1};
    enum hd_status s = hd_ring_open(&x->ring, &x->settings, err);
    if (s != HD_OK)
        return s;
    x->settings = *x->ring.header;
    hd_ring_path(&x->ring, id, sizeof id);
    snprintf(x->log, sizeof x->log, "%s=%s", HD_LOG_ENV, id);
    return HD_OK;
}

static enum hd_status open_files(struct hd_exec *x, struct hd_err *err)
{
    x->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    x->in = open(x->opts.input ? x->opts.input : "/dev/null", O_RDONLY | O_CLOEXEC);
    x->err = memfd_create("heddle-explore", MFD_CLOEXEC);
    return x->null >= 0 && x->in >= 0 && x->err >= 0
               ? HD_OK
               : hd_err_set(err, HD_ERR_IO, "cannot open a file: %s", strerror(errno));
}

enum hd_status hd_exec_open(const struct hd_exec_opts *opts, struct hd_exec_names *names,
                            struct hd_exec **exec, struct hd_err *err)
{
    struct hd_exec *x = *exec = hd_calloc(1, sizeof *x);
    *x = (struct hd_exec){.opts = *opts,
                          .names = names,
                          .in = -1,
                          .null = -1,
                          .err = -1,
                          .gone = -1,
                          .server = {.ours = -1, .theirs = -1}};
    snprintf(x->serve, sizeof x->serve, "%s=%d", HD_SERVE_ENV, HD_SERVER_FD);
    if (!x->opts.timeout)
        x->opts.timeout = TIMEOUT;
    if (!x->opts.max_steps)
        x->opts.max_steps = MAX_STEPS;
    enum hd_status s = hd_program_find(opts->argv[0], x->program, sizeof x->program, err);
    if (s == HD_OK && (hd_program_kind(x->program) == HD_PROGRAM_NOT ||
                       hd_program_kind(x->program) == HD_PROGRAM_TSAN))
        s = hd_err_set(err, HD_ERR_INPUT,
                       "%s is not instrumented: compile and link it with heddle cc", opts->argv[0]);
    if (s == HD_OK)
        s = make_area(x, err);
    if (s == HD_OK)
        s = make_log(x, err);
    if (s == HD_OK)
        s = open_files(x, err);
    if (s == HD_OK)
        make_env(x);
    if (s != HD_OK) {
        hd_exec_close(x);
        *exec = NULL;
    }
    return s;
}

/* The process is dead or dying. */
static void reap(struct hd_exec *x, int *status)
{
    kill(-x->pid, SIGKILL); /* and what it may have left running */
    if (x->server.pid && !x->ended && !hd_server_ended(&x->server, -1, status))
        hd_server_close(&x->server);
    if (!x->server.pid)
        *status = hd_process_wait(x->pid);
    if (x->server.pid && x->ended)
        *status = x->status;
    if (x->gone >= 0)
        close(x->gone);
    x->gone = -1;
    x->pid = 0;
}

void hd_exec_close(struct hd_exec *x)
{
    int status;
    if (!x)
        return;
    if (x->pid) {
        kill(x->pid, SIGKILL);
        reap(x, &status);
    }
    hd_server_close(&x->server);
    if (x->area)
        shmdt(x->area);
    hd_ring_close(&x->ring);
    if (x->in >= 0)
        close(x->in);
    if (x->null >= 0)
        close(x->null);
    if (x->err >= 0)
        close(x->err);
    hd_free(x->env, x->n_env * sizeof *x->env);
    hd_free(x->pad, x->pad_bytes);
    hd_free(x, sizeof *x);
}

/* ---- the plan ---- */

/* Puts n bytes behind *at, which moves on; where they are from the start of the area. */
static uint64_t put(struct hd_exec *x, size_t *at, const void *data, size_t n)
{
    size_t here = *at;
    if (n)
        memcpy((char *)x->area + here, data, n);
    *at = (here + n + 15) & ~(size_t)15;
    return here;
}

static enum hd_status write_plan(struct hd_exec *x, const struct hd_exec_plan *p, bool silent,
                                 struct hd_err *err)
{
    size_t n_threads = x->names->threads.len;
    size_t bytes = n_threads * sizeof(struct hd_steer_thread) + p->n_choices * sizeof *p->choices +
                   p->n_sleepers * sizeof *p->sleepers + p->n_ops * sizeof *p->ops + 64;
    if (n_threads > HD_STEER_THREADS || bytes > PLAN_ROOM)
        return hd_err_set(err, HD_ERR_LIMIT, "%s",
                          n_threads > HD_STEER_THREADS ? HD_EXEC_CROWD_TEXT
                                                       : "an execution has too many steps");
    struct hd_steer_header *h = x->area;
    size_t at = sizeof *h;
    *h = (struct hd_steer_header){.magic = HD_STEER_MAGIC,
                                  .n_threads = (uint32_t)n_threads,
                                  .n_choices = (uint32_t)p->n_choices,
                                  .n_sleepers = (uint32_t)p->n_sleepers,
                                  .n_plan_ops = (uint32_t)p->n_ops,
                                  .parked = p->parked,
                                  .first = p->first,
                                  .silent = silent};
    h->threads = put(x, &at, x->names->threads.data, n_threads * sizeof(struct hd_steer_thread));
    h->choices = put(x, &at, p->choices, p->n_choices * sizeof *p->choices);
    h->sleepers = put(x, &at, p->sleepers, p->n_sleepers * sizeof *p->sleepers);
    h->plan_ops = put(x, &at, p->ops, p->n_ops * sizeof *p->ops);
    h->ops = sizeof *h + PLAN_ROOM;
    h->room = x->opts.max_steps;
    return HD_OK;
}

/* ---- running ---- */

static enum hd_status spawn(const struct hd_exec *x, pid_t *pid, struct hd_err *err)
{
    const struct hd_process_fd fds[] = {
        {x->in, 0}, {x->null, 1}, {x->err, 2}, {x->server.theirs, HD_SERVER_FD}};
    const struct hd_process p = {.file = x->program,
                                 .argv = x->opts.argv,
                                 .env = x->env,
                                 .fds = fds,
                                 .n_fds = x->server.theirs >= 0 ? 4 : 3,
                                 .own_group = true,
                                 .tied = true,
                                 .fixed_addresses = true};
    return hd_process_start(&p, pid, err);
}

/* From the server, which is started when there is none; 0: the program cannot be one. */
static pid_t ask_server(struct hd_exec *x)
{
    if (x->no_server)
        return 0;
    if (!x->server.pid && hd_server_open(&x->server)) {
        x->env[x->serve_at] = x->serve;
        pid_t pid;
        x->server.pid = spawn(x, &pid, NULL) == HD_OK ? pid : 0;
    }
    pid_t run = x->server.pid ? hd_server_run(&x->server, (int)x->opts.timeout) : 0;
    if (run)
        return run;
    HD_DEBUG_LINE(EXPLORE, "the program cannot be started once for many executions");
    hd_server_close(&x->server);
    x->no_server = true;
    x->env[x->serve_at] = NULL;
    return 0;
}

enum hd_status hd_exec_start(struct hd_exec *x, const struct hd_exec_plan *plan, struct hd_err *err)
{
    HD_ASSERT(!x->pid);
    enum hd_status s = write_plan(x, plan, false, err);
    if (s != HD_OK)
        return s;
    *x->ring.header = x->settings;
    lseek(x->in, 0, SEEK_SET); /* what the server was given is the same open file */
    if (ftruncate(x->err, 0) < 0 || lseek(x->err, 0, SEEK_SET) < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot empty a file: %s", strerror(errno));
    x->ended = false;
    pid_t pid = ask_server(x);
    if (!pid) { /* it may have run as the program: that does not count */
        *x->ring.header = x->settings;
        s = write_plan(x, plan, false, err);
        if (s == HD_OK)
            s = spawn(x, &pid, err);
    }
    if (s != HD_OK)
        return s;
    x->pid = pid;
    if (!x->server.pid)
        x->gone = hd_process_watch(pid);
    x->deadline = now_ms() + x->opts.timeout;
    return HD_OK;
}

static bool has_ended(struct hd_exec *x, int wait)
{
    if (x->ended)
        return true;
    if (x->server.pid)
        return x->ended = hd_server_ended(&x->server, wait, &x->status);
    siginfo_t info = {0};
    struct pollfd p = {x->gone, POLLIN, 0};
    poll(&p, 1, wait);
    return waitid(P_PID, (id_t)x->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == x->pid;
}

/* True: it ended by itself, in its time. */
static bool wait_for_end(struct hd_exec *x, bool *stopped)
{
    bool told = x->gone >= 0 || x->server.pid;
    for (unsigned wait = told ? LOOK_MS : 1;;
         wait = told || wait > LOOK_MS / 2 ? LOOK_MS : wait * 2) {
        bool ended = has_ended(x, (int)wait);
        *stopped = !ended && hd_interrupt_requested();
        if (ended || *stopped || now_ms() >= x->deadline)
            return ended;
    }
}

const char *hd_exec_program(const struct hd_exec *x)
{
    return x->program;
}

bool hd_exec_thread(const struct hd_exec *x, uint32_t name, struct hd_steer_thread *path)
{
    if (name >= x->names->threads.len)
        return false;
    *path = *(const struct hd_steer_thread *)hd_vec_at(&x->names->threads, name);
    return true;
}

/* The program's output goes to a file beside the recording, which does not stay. */
enum hd_status hd_exec_record(struct hd_exec *x, const struct hd_exec_plan *plan, const char *path,
                              uint64_t limit, enum hd_exec_end *end, struct hd_err *err)
{
    static const enum hd_exec_end ends[] = {[HD_END_EXIT] = HD_EXEC_EXIT,
                                            [HD_END_SIGNAL] = HD_EXEC_CRASH,
                                            [HD_END_DEADLOCK] = HD_EXEC_DEADLOCK,
                                            [HD_END_TIMEOUT] = HD_EXEC_TIMEOUT,
                                            [HD_END_MEMORY] = HD_EXEC_DIED};
    char output[PATH_MAX];
    struct hd_record_child aside = {.answer = -1};
    HD_ASSERT(!x->pid);
    int n = snprintf(output, sizeof output, "%s.output", path);
    if (n < 0 || (size_t)n >= sizeof output)
        return hd_err_set(err, HD_ERR_IO, "the path of the recording is too long");
    struct hd_record_child_opts opts = {.record = {.out = path,
                                                   .argv = x->opts.argv,
                                                   .policy = HD_POLICY_STEER,
                                                   .quantum = 1,
                                                   .depth = 1,
                                                   .steps = 1,
                                                   .keep_all = true,
                                                   .limit = limit},
                                        .output = output,
                                        .input = x->opts.input,
                                        .seconds = x->opts.timeout / 1000 + 1,
                                        .variable = HD_STEER_ENV,
                                        .value = x->steer + sizeof HD_STEER_ENV};
    enum hd_status s = write_plan(x, plan, true, err);
    if (s == HD_OK)
        s = hd_record_child_start(&aside, &opts, err);
    if (s == HD_OK)
        s = hd_record_child_wait(&aside, err);
    *end = ends[aside.ending];
    hd_record_child_kill(&aside);
    unlink(output);
    return s;
}

/* ---- what happened ---- */

void hd_exec_run_init(struct hd_exec_run *run)
{
    *run = (struct hd_exec_run){.steps = HD_VEC_INIT(struct hd_exec_step),
                                .ops = HD_VEC_INIT(struct hd_exec_op),
                                .starts = HD_VEC_INIT(struct hd_exec_start),
                                .states = HD_VEC_INIT(struct hd_exec_state)};
}

void hd_exec_run_fini(struct hd_exec_run *run)
{
    hd_vec_fini(&run->steps);
    hd_vec_fini(&run->ops);
    hd_vec_fini(&run->starts);
    hd_vec_fini(&run->states);
}

/* The first line that looks like the message of assert. */
static void find_assertion(const struct hd_exec *x, char *line, size_t size)
{
    char text[4096];
    ssize_t n = pread(x->err, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    char *at = strstr(text, ": Assertion `"), *end;
    if (!at)
        return;
    end = at + strcspn(at, "\n");
    while (at > text && at[-1] != '\n')
        at--;
    snprintf(line, size, "%.*s", (int)(end - at), at);
}

const char *hd_exec_run_untold(const struct hd_exec_run *run)
{
    static const struct {
        uint32_t what;
        const char *why;
    } reasons[] = {
        {HD_STEER_FOREIGN_RELEASE, "a thread released a lock that another one held"},
        {HD_STEER_UNMAPPED, "memory was unmapped or protected while other threads could use it"},
        {HD_STEER_UNMODELLED,
         "the program did something whose meaning for other threads is not known, such as inline "
         "assembly"},
        {HD_STEER_FUTEX, "the program wakes threads by the system call futex"},
        {HD_STEER_INPUT,
         "threads use files, clocks or random numbers, whose order is not followed"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (run->untold & reasons[i].what)
            return reasons[i].why;
    return NULL;
}

static enum hd_exec_end end_of(uint32_t how, int wait_status, bool ended)
{
    static const enum hd_exec_end ends[] = {
        [HD_STEER_EXIT] = HD_EXEC_EXIT,         [HD_STEER_CRASH] = HD_EXEC_CRASH,
        [HD_STEER_DEADLOCK] = HD_EXEC_DEADLOCK, [HD_STEER_REDUNDANT] = HD_EXEC_REDUNDANT,
        [HD_STEER_PARKED] = HD_EXEC_PARKED,     [HD_STEER_CUT] = HD_EXEC_CUT,
        [HD_STEER_BLOCKED] = HD_EXEC_BLOCKED,   [HD_STEER_DIVERGED] = HD_EXEC_DIVERGED,
        [HD_STEER_CROWDED] = HD_EXEC_CROWDED,
    };
    if (!ended)
        return HD_EXEC_TIMEOUT;
    if (WIFSIGNALED(wait_status))
        return HD_EXEC_DIED;
    if (how == HD_STEER_RUNS || how >= sizeof ends / sizeof *ends)
        return HD_EXEC_DIED; /* exec, or a system call of its own: the runtime saw no end */
    return ends[how];
}

/* Waits for the end; what the run left is still in the shared memory. */
static enum hd_status end_run(struct hd_exec *x, struct hd_exec_left *left, struct hd_err *err)
{
    bool stopped;
    *left = (struct hd_exec_left){0};
    HD_ASSERT(x->pid);
    left->ended = wait_for_end(x, &stopped);
    if (!left->ended)
        kill(x->pid, SIGKILL);
    reap(x, &left->wait_status);
    if (stopped)
        return hd_err_set(err, HD_ERR_STOPPED, "interrupted");
    if (!x->ring.header->owner)
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s is not instrumented: compile and link it with heddle cc",
                          x->opts.argv[0]);
    find_assertion(x, left->assertion, sizeof left->assertion);
    return HD_OK;
}

static enum hd_status read_area(const struct hd_exec *x, const struct hd_steer_header *area,
                                size_t bytes, const struct hd_exec_left *left,
                                struct hd_exec_run *run, struct hd_err *err)
{
    run->wait_status = left->wait_status;
    run->end = end_of(area->end, left->wait_status, left->ended);
    run->chosen = area->chosen;
    run->untold = area->untold;
    memcpy(run->assertion, left->assertion, sizeof run->assertion);
    HD_DEBUG_LINE(EXPLORE, "execution: %s, %u of its choices taken", hd_exec_end_names[run->end],
                  (unsigned)run->chosen);
    return hd_steps_read(area, bytes, x->names, run, err);
}

enum hd_status hd_exec_finish(struct hd_exec *x, struct hd_exec_run *run, struct hd_err *err)
{
    struct hd_exec_left left;
    hd_exec_run_init(run);
    enum hd_status s = end_run(x, &left, err);
    return s == HD_OK ? read_area(x, x->area, x->area_bytes, &left, run, err) : s;
}

bool hd_exec_ready(struct hd_exec *x)
{
    return has_ended(x, 0);
}

enum hd_status hd_exec_collect(struct hd_exec *x, struct hd_exec_left *left, struct hd_err *err)
{
    enum hd_status s = end_run(x, left, err);
    const struct hd_steer_header *h = x->area;
    if (s == HD_OK && (h->ops > x->area_bytes ||
                       h->n_ops > (x->area_bytes - h->ops) / sizeof(struct hd_steer_op)))
        s = hd_err_set(err, HD_ERR_INPUT, "the program wrote over the runtime's memory");
    if (s != HD_OK)
        return s;
    size_t ops = h->n_ops * sizeof(struct hd_steer_op);
    left->bytes = sizeof *h + ops;
    left->area = hd_alloc(left->bytes);
    *left->area = *h;
    left->area->ops = sizeof *h;
    if (ops)
        memcpy(left->area + 1, (const char *)h + h->ops, ops);
    return HD_OK;
}

enum hd_status hd_exec_read(const struct hd_exec *x, const struct hd_exec_left *left,
                            struct hd_exec_run *run, struct hd_err *err)
{
    hd_exec_run_init(run);
    return read_area(x, left->area, left->bytes, left, run, err);
}

void hd_exec_left_fini(struct hd_exec_left *left)
{
    hd_free(left->area, left->bytes);
    left->area = NULL;
}

enum hd_status hd_exec_run(struct hd_exec *x, const struct hd_exec_plan *plan,
                           struct hd_exec_run *run, struct hd_err *err)
{
    enum hd_status s = hd_exec_start(x, plan, err);
    if (s != HD_OK) {
        hd_exec_run_init(run);
        return s;
    }
    return hd_exec_finish(x, run, err);
}
