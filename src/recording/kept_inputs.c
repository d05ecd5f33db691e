#include "recording/kept_inputs.h"

#include "base/log.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define KEY_PROGRAM "run.program"
#define KEY_ARGV    "run.argv"
#define KEY_ENV     "run.environment"
#define KEY_PRELOAD "run.preload"
#define KEY_CWD     "run.directory"
#define KEY_FDS     "run.descriptors"
#define KEY_DATE    "run.date"
#define KEY_RANDOM  "run.random"
#define KEY_PID     "run.process"
#define KEY_POLICY  "run.policy"
#define KEY_FAMILY  "run.family"
#define KEY_CHILD   "run.child"
#define KEY_INPUT   "run.input"

char hd_inputs_fd(int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return '-';
    if (S_ISFIFO(st.st_mode))
        return 'p';
    if (S_ISREG(st.st_mode))
        return 'f';
    if (S_ISSOCK(st.st_mode))
        return 's';
    if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
        return 'n';
    return isatty(fd) ? 't' : '?';
}

static void add_text(struct hd_trace *t, const char *key, const char *text)
{
    hd_trace_meta_add(t, key, text, strlen(text) + 1);
}

static void add_list(struct hd_trace *t, const char *key, char **list)
{
    hd_trace_meta_add(t, key, NULL, 0);
    for (; *list; list++)
        add_text(t, key, *list);
}

/* ---- the environment ---- */

static bool is_one_of(const char *name, size_t len, const char *const *list)
{
    for (; *list; list++) {
        size_t n = strlen(*list);
        bool open = (*list)[n - 1] == '*';
        if (open ? len >= n - 1 && !strncmp(name, *list, n - 1)
                 : len == n && !strncmp(name, *list, n))
            return true;
    }
    return false;
}

/* Names of variables whose value is a secret. */
static bool is_secret(const char *name, size_t len)
{
    static const char *const words[] = {"TOKEN", "SECRET",  "PASS",   "KEY",
                                        "CRED",  "PRIVATE", "COOKIE", "AUTH"};
    char upper[128];
    size_t n = len < sizeof upper - 1 ? len : sizeof upper - 1;
    for (size_t i = 0; i < n; i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    upper[n] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(upper, words[i]))
            return true;
    return false;
}

/* The value is kept of what the program read and of what most programs depend on; never of what
 * makes the loader run other code, and never of a secret. */
static bool keeps_value(const char *name, size_t len, const struct hd_env_read *read)
{
    static const char *const common[] = {
        "PATH", "HOME", "USER",   "LOGNAME", "LANG",        "LC_*", "TZ",
        "TERM", "PWD",  "TMPDIR", "OMP_*",   "HEDDLE_RT_*", NULL}; /* the last: our runtime's own */
    static const char *const never[] = {"LD_*", "GLIBC_TUNABLES", "MALLOC_*", NULL};
    return !is_one_of(name, len, never) && !is_secret(name, len) &&
           (is_one_of(name, len, common) || hd_env_was_read(read, hd_env_hash(name, len)));
}

static void add_environment(struct hd_trace *t, char **list, const struct hd_env_read *read)
{
    hd_trace_meta_add(t, KEY_ENV, NULL, 0);
    for (; *list; list++) {
        size_t len = strcspn(*list, "=");
        if (!strncmp(*list, HD_LOG_ENV "=", sizeof HD_LOG_ENV))
            continue;
        if (keeps_value(*list, len, read)) {
            add_text(t, KEY_ENV, *list);
        } else if (len) {
            hd_trace_meta_add(t, KEY_ENV, *list, len);
            hd_trace_meta_add(t, KEY_ENV, "", 1);
        }
    }
}

/* A name without a value stands for the value of today; one that is not set now is left out. */
static void complete_environment(char **list, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(list[i]);
        char *text = strchr(list[i], '=') ? list[i] : NULL;
        for (char **e = environ; !text && *e; e++)
            if (!strncmp(*e, list[i], len) && (*e)[len] == '=')
                text = *e;
        if (text)
            list[kept++] = text;
    }
    list[kept] = NULL;
}

static void add_number(struct hd_trace *t, const char *key, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    add_text(t, key, text);
}

void hd_inputs_save(struct hd_trace *t, const char *program, char **argv, char **env,
                    const char *cwd, const char *fds, const struct hd_bytes *input,
                    const struct hd_log_header *header)
{
    add_text(t, KEY_PROGRAM, program);
    add_list(t, KEY_ARGV, argv);
    add_environment(t, env, &header->env_read);
    add_text(t, KEY_CWD, cwd);
    add_text(t, KEY_FDS, fds);
    if (header->preload)
        add_number(t, KEY_PRELOAD, 1);
    if (header->asked_date)
        add_number(t, KEY_DATE, header->real_base);
    if (header->asked_random)
        add_number(t, KEY_RANDOM, header->entropy);
    if (header->pid)
        add_number(t, KEY_PID, header->pid);
    char policy[128];
    snprintf(policy, sizeof policy, "%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32,
             header->policy, header->seed, header->quantum, header->depth, header->steps);
    add_text(t, KEY_POLICY, policy);
    if (input)
        hd_trace_meta_add(t, KEY_INPUT, input->data, input->len);
}

static bool has_key(const struct hd_trace *t, const char *key)
{
    for (size_t i = 0; i < t->n_meta; i++)
        if (!strcmp(t->meta[i].key, key))
            return true;
    return false;
}

void hd_inputs_save_process(struct hd_trace *t, const struct hd_recmeta *meta)
{
    static const struct {
        const char *from, *to;
    } keys[] = {
        {"process", KEY_FAMILY}, {"pid", KEY_CHILD}, {"date", KEY_DATE}, {"random", KEY_RANDOM}};
    char text[HD_LOG_TARGET];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (hd_recmeta_get(meta, keys[i].from, 0, text, sizeof text) && !has_key(t, keys[i].to))
            add_text(t, keys[i].to, text);
}

bool hd_inputs_read(int fd, struct hd_bytes *out)
{
    struct stat st;
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size - at > HD_INPUTS_KEPT)
        return false;
    size_t n = st.st_size > at ? (size_t)(st.st_size - at) : 0;
    ssize_t got = pread(fd, hd_bytes_room(out, n + 1), n, at);
    out->len = got > 0 ? (size_t)got : 0;
    return got >= 0;
}

/* A copy of the text under a key, or NULL. Its bytes are in in->text, which may move: so offsets
 * first. */
static size_t copy(const struct hd_trace *t, struct hd_inputs *in, const char *key, size_t *at)
{
    size_t len;
    const uint8_t *data = hd_trace_meta(t, key, &len);
    *at = in->text.len;
    if (!data || !len || data[len - 1])
        return 0;
    hd_bytes_put(&in->text, data, len);
    return len;
}

static size_t count(const struct hd_inputs *in, size_t at, size_t len)
{
    size_t n = 0;
    for (size_t i = at; i < at + len; i++)
        n += in->text.data[i] == 0;
    return n;
}

static char **list(const struct hd_inputs *in, size_t at, size_t n)
{
    char **out = hd_calloc(n + 1, sizeof *out), *p = (char *)in->text.data + at;
    for (size_t i = 0; i < n; i++) {
        out[i] = p;
        p += strlen(p) + 1;
    }
    return out;
}

/* ".2.x" for people: "child2.exec". See record/forked.h. */
static void name_process(const char *process, char *out, size_t size)
{
    size_t at = 0;
    *out = 0;
    while (*process == '.' && at < size) {
        size_t n = strcspn(++process, ".");
        const char *dot = at ? "." : "";
        int len = *process == 'x'
                      ? snprintf(out + at, size - at, "%sexec", dot)
                      : snprintf(out + at, size - at, "%schild%.*s", dot, (int)n, process);
        at += len > 0 ? (size_t)len : size;
        process += n;
    }
}

bool hd_inputs_process(const struct hd_trace *t, char *out, size_t size)
{
    size_t len;
    const char *text = (const char *)hd_trace_meta(t, KEY_FAMILY, &len);
    bool other = text && len && !text[len - 1];
    name_process(other ? text : "", out, size);
    return other;
}

void hd_inputs_load(const struct hd_trace *t, struct hd_inputs *in)
{
    static const char *const keys[] = {KEY_PROGRAM, KEY_ARGV,   KEY_ENV,    KEY_CWD,
                                       KEY_FDS,     KEY_DATE,   KEY_RANDOM, KEY_PID,
                                       KEY_POLICY,  KEY_FAMILY, KEY_CHILD};
    size_t at[11], len[11];
    *in = (struct hd_inputs){0};
    for (int i = 0; i < 11; i++)
        len[i] = copy(t, in, keys[i], &at[i]);
    char *text = (char *)in->text.data;
    in->program = len[0] ? text + at[0] : NULL;
    in->n_argv = count(in, at[1], len[1]);
    in->n_env = count(in, at[2], len[2]);
    in->argv = in->n_argv ? list(in, at[1], in->n_argv) : NULL;
    in->env = len[0] ? list(in, at[2], in->n_env) : NULL;
    if (in->env)
        complete_environment(in->env, in->n_env);
    in->cwd = len[3] ? text + at[3] : NULL;
    in->fds = len[4] == 4 ? text + at[4] : NULL;
    in->real_base = len[5] ? strtoull(text + at[5], NULL, 10) : 0;
    in->entropy = len[6] ? strtoull(text + at[6], NULL, 10) : 0;
    in->pid = len[7] ? (uint32_t)strtoul(text + at[7], NULL, 10) : 0;
    in->quantum = in->depth = in->steps = 1;
    if (len[8])
        sscanf(text + at[8], "%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu32 " %" SCNu32,
               &in->policy, &in->seed, &in->quantum, &in->depth, &in->steps);
    in->preload = has_key(t, KEY_PRELOAD);
    in->process = len[9] ? text + at[9] : NULL;
    in->target_pid = len[10] ? (uint32_t)strtoul(text + at[10], NULL, 10) : 0;
    in->input = hd_trace_meta(t, KEY_INPUT, &in->input_len);
    if (!in->input && has_key(t, KEY_INPUT))
        in->input = (const uint8_t *)"";
    HD_DEBUG_LINE(RECORDING, "inputs: %zu arguments, %zu variables, %zu bytes of stdin", in->n_argv,
                  in->n_env, in->input_len);
}

void hd_inputs_fini(struct hd_inputs *in)
{
    if (in->argv)
        hd_free(in->argv, (in->n_argv + 1) * sizeof *in->argv);
    if (in->env)
        hd_free(in->env, (in->n_env + 1) * sizeof *in->env);
    hd_bytes_fini(&in->text);
}
