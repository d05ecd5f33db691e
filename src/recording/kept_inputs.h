/* What a run got from outside, kept in the META of its trace (docs/TRACE_FORMAT.md section 9) and
 * given back to a replay. */
#ifndef HD_RECORDING_KEPT_INPUTS_H
#define HD_RECORDING_KEPT_INPUTS_H

#include "base/bytes.h"
#include "recording/recmeta.h"
#include "log/rt_log.h"
#include "trace/trace.h"

/* Lists are ended by NULL and live as long as the struct. */
struct hd_inputs {
    char *program; /* its file; NULL: the trace does not have it */
    char **argv, **env;
    char *cwd;
    char *fds;           /* what descriptors 0, 1 and 2 were: a letter of hd_inputs_fd each */
    uint64_t real_base;  /* 0: the program never asked for the date */
    uint64_t entropy;    /* of its random numbers */
    uint32_t pid;        /* 0: it never asked for its process id */
    bool preload;        /* LD_PRELOAD put the runtime before the C library */
    char *process;       /* as in `target` of log/rt_log.h; NULL: the first one */
    uint32_t target_pid; /* `pid` of that process */
    uint32_t policy;     /* enum hd_policy_kind, and its settings */
    uint64_t seed, quantum;
    uint32_t depth, steps;
    const uint8_t *input; /* its standard input, in the trace; NULL: not kept */
    size_t input_len;
    struct hd_bytes text; /* what the pointers point into */
    size_t n_argv, n_env;
};

/* 'p' pipe, 'f' file, 't' terminal, 'n' the null device, 's' socket, '-' closed, '?' else. */
char hd_inputs_fd(int fd);

/* Standard input as far as it is a file of at most HD_INPUTS_KEPT bytes, from where it stands;
 * false: it is not. Its position stays. */
#define HD_INPUTS_KEPT (1u << 20)
bool hd_inputs_read(int fd, struct hd_bytes *out);

/* input NULL: not kept. fds is what hd_inputs_fd said. */
void hd_inputs_save(struct hd_trace *t, const char *program, char **argv, char **env,
                    const char *cwd, const char *fds, const struct hd_bytes *input,
                    const struct hd_log_header *header);
/* The trace is of another process than the first: what is in the META of its recording. */
void hd_inputs_save_process(struct hd_trace *t, const struct hd_recmeta *meta);
/* Of which process a trace is, for people ("child1"); false: the first of its run. */
bool hd_inputs_process(const struct hd_trace *t, char *out, size_t size);
void hd_inputs_load(const struct hd_trace *t, struct hd_inputs *in);
void hd_inputs_fini(struct hd_inputs *in);

#endif
