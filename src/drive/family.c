#include "drive/family.h"

#include "base/outfile.h"
#include "drive/build.h"
#include "drive/rawlog.h"
#include "drive/recfile.h"
#include "drive/ring.h"
#include "drive/trailer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
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

/* Everything that the parent's recording says about the log, one level further out. */
static void put_ancestors(const struct file *parent, size_t level, struct hd_rec_writer *w,
                          struct hd_err *err)
{
    struct hd_rec rec;
    if (hd_rec_open("parent", parent->data, parent->len, &rec, err) != HD_OK)
        return;
    for (size_t i = 0; i < rec.blocks.len; i++) {
        const struct hd_rec_block *b = hd_vec_at(&rec.blocks, i);
        if (b->type == HD_REC_LOG)
            hd_rec_copy(w, HD_REC_ANCESTOR + (unsigned)level, b);
        else if (b->type >= HD_REC_ANCESTOR)
            hd_rec_copy(w, b->type, b);
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

static enum hd_status write_one(const struct file *log, const struct file *parent,
                                const unsigned *forks, size_t n, const char *out,
                                struct hd_err *err)
{
    struct hd_outfile file;
    struct hd_rec_writer w;
    struct hd_ring ring = {.header = (struct hd_log_header *)(void *)log->data};
    enum hd_status s = hd_outfile_open(out, &file, err);
    if (s != HD_OK)
        return s;
    hd_rec_writer_init(&w, fileno(file.file));
    if (n)
        put_ancestors(parent, n - 1, &w, err);
    put_chunks(log, &w);
    hd_trailer_short(&ring, forks, n, &w);
    int error = w.error;
    hd_rec_writer_fini(&w);
    if (!error)
        return hd_outfile_commit(&file, err);
    hd_outfile_discard(&file);
    return hd_err_set(err, HD_ERR_IO, "%s", strerror(error));
}

/* What the new recording holds, for the user. */
static void tell(const char *out, struct hd_names *notes)
{
    struct file f = map_file(out);
    struct hd_trace *trace = NULL;
    struct hd_build_info info = {0};
    struct hd_err err = {0};
    char text[PATH_MAX + 200];
    if (!f.data)
        return;
    if (hd_drive_build(out, f.data, f.len, NULL, &trace, &info, &err) == HD_OK)
        snprintf(text, sizeof text, "%s: %zu events of another process of the program", out,
                 trace->n_events);
    else
        snprintf(text, sizeof text, "%s: %.150s", out, err.text);
    hd_names_add(notes, text, strlen(text));
    if (info.lost) {
        snprintf(text, sizeof text, "%s is incomplete: %s", out, strerror((int)info.lost));
        hd_names_add(notes, text, strlen(text));
    }
    for (uint32_t i = 0; i < info.notes.count; i++)
        hd_names_add(notes, hd_names_text(&info.notes, i), hd_names_len(&info.notes, i));
    hd_trace_free(trace);
    hd_build_info_fini(&info);
    unmap_file(&f);
}

/* "t.hdt" and "child1": "t.child1.hdt". */
static bool name_of(const char *out, const char *what, char *name, size_t size)
{
    size_t n = strlen(out), ext = n > 4 && !strcmp(out + n - 4, ".hdt") ? 4 : 0;
    int len = snprintf(name, size, "%.*s.%s%s", (int)(n - ext), out, what, out + n - ext);
    return len > 0 && (size_t)len < size;
}

static void keep_one(const char *path, const char *parent, const unsigned *forks, size_t n,
                     const char *out, struct hd_names *notes)
{
    struct file log = map_file(path), from = map_file(parent);
    struct hd_err err = {0};
    char text[PATH_MAX + 200];
    if (log.data && log.len >= HD_LOG_CHUNKS_AT && from.data) {
        if (write_one(&log, &from, forks, n, out, &err) == HD_OK) {
            tell(out, notes);
        } else {
            snprintf(text, sizeof text, "%s: %.150s", out, err.text);
            hd_names_add(notes, text, strlen(text));
        }
    }
    unmap_file(&log);
    unmap_file(&from);
}

static void keep_all(const char *logs, const char *out, unsigned *forks, size_t n,
                     struct hd_names *notes)
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
                forks[n] = child;
            keep_one(path, out, forks, depth, name, notes);
            keep_all(path, name, forks, depth, notes);
        }
        unlink(path);
    }
}

void hd_family_keep(const char *logs, const char *out, struct hd_names *notes)
{
    unsigned forks[HD_RAW_LEVELS + 1] = {0};
    keep_all(logs, out, forks, 0, notes);
}
