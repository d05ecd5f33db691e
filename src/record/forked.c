#include "record/forked.h"

#include "base/log.h"
#include "base/outfile.h"
#include "build/build.h"
#include "record/recording_finish.h"
#include "record/ring.h"
#include "recording/rawlog.h"
#include "recording/recfile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEVEL 1

/* A whole file in memory; data is NULL when there is none. */
struct file {
    char *data;
    size_t len;
};

static struct file map_file(const char *path)
{
    struct file f = {NULL, 0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED)
            f = (struct file){p, (size_t)st.st_size};
    }
    if (fd >= 0)
        close(fd);
    return f;
}

static void unmap_file(struct file *f)
{
    if (f->data)
        munmap(f->data, f->len);
}

/* From the parent's recording: what the run got from outside, and for a forked process all that it
 * says about the log, one level further out. */
static void put_ancestors(const struct file *parent, const struct hd_finish_process *who,
                          struct hd_rec_writer *w, struct hd_err *err)
{
    struct hd_rec rec;
    size_t n = who->n_forks;
    if (hd_rec_open("parent", parent->data, parent->len, &rec, err) != HD_OK)
        return;
    for (size_t i = 0; i < rec.blocks.len; i++) {
        const struct hd_rec_block *b = hd_vec_at(&rec.blocks, i);
        if (b->type == HD_REC_INPUTS || (n && b->type >= HD_REC_ANCESTOR))
            hd_rec_copy(w, b->type, b);
        else if (n && b->type == HD_REC_LOG)
            hd_rec_copy(w, HD_REC_ANCESTOR + (unsigned)n - 1, b);
    }
    hd_rec_close(&rec);
}

static void put_chunks(const struct file *log, struct hd_rec_writer *w)
{
    for (size_t at = HD_LOG_CHUNKS_AT; at + HD_LOG_CHUNK <= log->len; at += HD_LOG_CHUNK) {
        size_t used = hd_ring_used((const uint8_t *)log->data + at);
        if (used)
            hd_rec_put(w, HD_REC_LOG, log->data + at, used, LEVEL);
    }
}

/* The recording of one process. False: the reason is the errno in w->error. */
static bool put_all(const struct file *log, const struct file *parent,
                    const struct hd_finish_process *who, struct hd_rec_writer *w,
                    struct hd_err *err)
{
    struct hd_ring ring = {.header = (struct hd_log_header *)(void *)log->data};
    put_ancestors(parent, who, w, err);
    put_chunks(log, w);
    hd_recording_finish_short(&ring, who, w);
    return !w->error;
}

static enum hd_status write_one(const struct file *log, const struct file *parent,
                                const struct hd_finish_process *who, const char *out,
                                struct hd_err *err)
{
    struct hd_outfile file;
    struct hd_rec_writer w;
    enum hd_status s = hd_outfile_open(out, &file, err);
    if (s != HD_OK)
        return s;
    hd_rec_writer_init(&w, fileno(file.file));
    put_all(log, parent, who, &w, err);
    int error = w.error;
    hd_rec_writer_fini(&w);
    if (!error)
        return hd_outfile_commit(&file, err);
    hd_outfile_discard(&file);
    return hd_err_set(err, HD_ERR_IO, "%s", strerror(error));
}

/* What a recording holds, for the user. */
static void tell(const char *out, struct hd_remarks *remarks)
{
    struct file f = map_file(out);
    struct hd_trace *trace = NULL;
    struct hd_build_info info = {0};
    struct hd_err err = {0};
    if (!f.data)
        return;
    if (hd_build_trace(out, f.data, f.len, NULL, &trace, &info, &err) == HD_OK)
        hd_remarks_addf(remarks, HD_REMARK_OTHER,
                        "%.300s: %zu events of another process of the program", out,
                        trace->n_events);
    else
        hd_remarks_addf(remarks, HD_REMARK_OTHER, "%.300s: %.150s", out, err.text);
    if (info.lost)
        hd_remarks_addf(remarks, HD_REMARK_OTHER, "%.300s is incomplete: %s", out,
                        strerror((int)info.lost));
    hd_remarks_merge(remarks, &info.remarks);
    hd_trace_free(trace);
    hd_build_info_fini(&info);
    unmap_file(&f);
}

void hd_forked_tell(const struct hd_names *recordings, struct hd_remarks *remarks)
{
    for (uint32_t i = 0; i < recordings->count; i++)
        tell(hd_names_text(recordings, i), remarks);
}

/* "t.hdr" and "child1": "t.child1.hdr". */
static bool name_of(const char *out, const char *what, char *name, size_t size)
{
    size_t n = strlen(out);
    bool named = n > 4 && (!strcmp(out + n - 4, ".hdr") || !strcmp(out + n - 4, ".hdt"));
    size_t ext = named ? 4 : 0;
    int len = snprintf(name, size, "%.*s.%s%s", (int)(n - ext), out, what, out + n - ext);
    return len > 0 && (size_t)len < size;
}

/* Where we are in the tree of processes. */
struct family {
    const char *logs; /* of the first process */
    bool keep_all;    /* events */
    unsigned forks[HD_RAW_LEVELS + 1];
    struct hd_names *recordings;
    struct hd_remarks *remarks;
    uint32_t took;
};

static void keep_one(struct family *f, const char *path, const char *parent, size_t n,
                     const char *out)
{
    struct file log = map_file(path), from = map_file(parent);
    struct hd_finish_process who = {path + strlen(f->logs), f->forks, n, f->keep_all};
    struct hd_err err = {0};
    HD_DEBUG_LINE(RECORD, "process %s: %zu bytes of log", who.name, log.len);
    if (log.data && log.len >= HD_LOG_CHUNKS_AT && from.data) {
        f->took |= ((const struct hd_log_header *)(const void *)log.data)->took;
        if (write_one(&log, &from, &who, out, &err) == HD_OK) {
            hd_names_add(f->recordings, out, strlen(out));
        } else {
            hd_remarks_addf(f->remarks, HD_REMARK_OTHER, "%.300s: %.150s", out, err.text);
        }
    }
    unmap_file(&log);
    unmap_file(&from);
}

static void keep_all(struct family *f, const char *logs, const char *out, size_t n)
{
    char path[PATH_MAX], name[PATH_MAX], what[32];
    for (unsigned child = 0; child <= HD_LOG_CHILDREN; child++) {
        bool became = child == 0;
        int len = became ? snprintf(path, sizeof path, "%s.x", logs)
                         : snprintf(path, sizeof path, "%s.%u", logs, child);
        snprintf(what, sizeof what, became ? "exec" : "child%u", child);
        if (len < 0 || (size_t)len >= sizeof path || access(path, R_OK))
            continue;
        size_t depth = became ? 0 : n + 1;
        if (depth <= HD_RAW_LEVELS && name_of(out, what, name, sizeof name)) {
            if (!became)
                f->forks[n] = child;
            keep_one(f, path, out, depth, name);
            keep_all(f, path, name, depth);
        }
        unlink(path);
    }
}

void hd_forked_keep(const char *logs, const char *out, bool all_events, struct hd_names *recordings,
                    struct hd_remarks *remarks, uint32_t *took)
{
    struct family f = {
        .logs = logs, .keep_all = all_events, .recordings = recordings, .remarks = remarks};
    keep_all(&f, logs, out, 0);
    *took |= f.took;
}

/* ---- one process of a run whose logs are still there ---- */

/* A recording in memory; false: see errno. */
static bool open_memory(struct hd_rec_writer *w)
{
    int fd = memfd_create("heddle-process", MFD_CLOEXEC);
    if (fd < 0)
        return false;
    hd_rec_writer_init(w, fd);
    return true;
}

static struct file close_memory(struct hd_rec_writer *w)
{
    struct file f = {NULL, 0};
    void *p = w->error ? MAP_FAILED : mmap(NULL, w->size, PROT_READ, MAP_SHARED, w->fd, 0);
    if (p != MAP_FAILED)
        f = (struct file){p, w->size};
    close(w->fd);
    hd_rec_writer_fini(w);
    return f;
}

/* The part of a process's name up to `end`: its recording from its parent's. */
static enum hd_status step_down(const char *logs, const char *process, size_t end, size_t *n,
                                unsigned *forks, struct file *recording,
                                struct hd_log_header *header, struct hd_err *err)
{
    char path[PATH_MAX], name[HD_LOG_TARGET];
    struct hd_rec_writer w;
    snprintf(name, sizeof name, "%.*s", (int)end, process);
    const char *last = strrchr(name, '.') + 1;
    int len = snprintf(path, sizeof path, "%s%s", logs, name);
    if (len < 0 || (size_t)len >= sizeof path || *n == HD_RAW_LEVELS)
        return hd_err_set(err, HD_ERR_LIMIT, "the name of a process is too long");
    struct file log = map_file(path);
    if (!log.data || log.len < HD_LOG_CHUNKS_AT) {
        unmap_file(&log);
        return hd_err_set(err, HD_ERR_LIMIT, "the process was not started");
    }
    *n = *last == 'x' ? 0 : *n + 1;
    if (*n)
        forks[*n - 1] = (unsigned)strtoul(last, NULL, 10);
    struct hd_finish_process who = {name, forks, *n, false};
    *header = *(const struct hd_log_header *)(const void *)log.data;
    struct file made = {NULL, 0};
    if (open_memory(&w)) {
        put_all(&log, recording, &who, &w, err);
        made = close_memory(&w);
    }
    unmap_file(&log);
    unmap_file(recording);
    *recording = made;
    return made.data ? HD_OK
                     : hd_err_set(err, HD_ERR_IO, "cannot keep the log of the replay: %s",
                                  strerror(errno));
}

enum hd_status hd_forked_read(const char *logs, const char *process, void **data, size_t *len,
                              struct hd_log_header *header, struct hd_err *err)
{
    struct file recording = {*data, *len};
    unsigned forks[HD_RAW_LEVELS];
    size_t n = 0, end = 0;
    enum hd_status s = HD_OK;
    while (s == HD_OK && process[end] == '.') {
        end += 1 + strcspn(process + end + 1, ".");
        s = step_down(logs, process, end, &n, forks, &recording, header, err);
    }
    *data = recording.data;
    *len = recording.len;
    return s;
}
