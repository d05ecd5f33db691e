/* Saving: all or nothing. Loading is io.c. */
#include "trace/io.h"

#include "base/alloc.h"
#include "trace/text.h"
#if __has_include("trace/hdt.h")
#include "trace/hdt.h"
#define HAVE_HDT 1
#else
#define HAVE_HDT 0
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
    const struct hd_trace *t;
    enum hd_format format;
    enum hd_pack pack;
};

static enum hd_status write_plain(const struct job *job, FILE *out, struct hd_err *err)
{
    if (job->format == HD_FORMAT_TEXT)
        return hd_text_write(job->t, out, err);
    if (job->format == HD_FORMAT_STD)
        return hd_text_write_std(job->t, out, err);
#if HAVE_HDT
    return hd_hdt_write(job->t, out, err);
#else
    return hd_err_set(err, HD_ERR_INTERNAL, "this build cannot write .hdt");
#endif
}

static enum hd_status write_packed(const struct job *job, FILE *out, struct hd_err *err)
{
    if (job->pack == HD_PACK_NONE)
        return write_plain(job, out, err);
    FILE *packer = hd_pack_writer(out, job->pack);
    if (!packer)
        return hd_err_set(err, HD_ERR_IO, "cannot compress: %s", strerror(errno));
    enum hd_status status = write_plain(job, packer, err);
    if (fclose(packer) != 0 && status == HD_OK)
        status = hd_err_set(err, HD_ERR_IO, "cannot write: %s", strerror(errno));
    return status;
}

static enum hd_status write_stream(const struct job *job, FILE *out, struct hd_err *err)
{
    enum hd_status status = write_packed(job, out, err);
    errno = 0;
    if (status == HD_OK && (fflush(out) != 0 || ferror(out)))
        status = hd_err_set(err, HD_ERR_IO, "cannot write: %s", strerror(errno ? errno : EIO));
    return status;
}

/* A device, a pipe: something that has no old content to keep. */
static enum hd_status save_in_place(const struct job *job, const char *path, struct hd_err *err)
{
    FILE *out = fopen(path, "wbe");
    if (!out)
        return hd_err_set(err, HD_ERR_IO, "cannot open for writing: %s", strerror(errno));
    enum hd_status status = write_stream(job, out, err);
    if (fclose(out) != 0 && status == HD_OK)
        status = hd_err_set(err, HD_ERR_IO, "cannot write: %s", strerror(errno));
    return status;
}

/* So that the new name is on disk as well. A file system that cannot sync a directory is no
 * failure. */
static void sync_directory_of(const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    memcpy(directory, path, len);
    strcpy(directory + len, ".");
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* A new file beside path, with the permissions of the old one if there is one. */
static FILE *open_temporary(const char *path, const struct stat *old, char temporary[PATH_MAX])
{
    for (unsigned n = 0; n < 100; n++) {
        int len = snprintf(temporary, PATH_MAX, "%s.tmp.%ld.%u", path, (long)getpid(), n);
        if (len >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            return NULL;
        if (old && fchmod(fd, old->st_mode & 0777) != 0)
            errno = 0; /* keeping the permissions is a courtesy */
        FILE *out = fdopen(fd, "wb");
        if (!out) {
            close(fd);
            unlink(temporary);
        }
        return out;
    }
    return NULL;
}

static enum hd_status save_by_rename(const struct job *job, const char *path,
                                     const struct stat *old, struct hd_err *err)
{
    char temporary[PATH_MAX];
    FILE *out = open_temporary(path, old, temporary);
    if (!out)
        return hd_err_set(err, HD_ERR_IO, "cannot create a file there: %s", strerror(errno));
    enum hd_status status = write_stream(job, out, err);
    if (status == HD_OK && fsync(fileno(out)) != 0)
        status = hd_err_set(err, HD_ERR_IO, "cannot write: %s", strerror(errno));
    if (fclose(out) != 0 && status == HD_OK)
        status = hd_err_set(err, HD_ERR_IO, "cannot write: %s", strerror(errno));
    if (status == HD_OK && rename(temporary, path) != 0)
        status = hd_err_set(err, HD_ERR_IO, "cannot rename into place: %s", strerror(errno));
    if (status == HD_OK)
        sync_directory_of(path);
    else
        unlink(temporary);
    return status;
}

static enum hd_status save_file(const struct job *job, const char *path, struct hd_err *err)
{
    struct stat old;
    char real[PATH_MAX];
    if (stat(path, &old) != 0)
        return save_by_rename(job, path, NULL, err);
    if (!S_ISREG(old.st_mode))
        return save_in_place(job, path, err);
    /* Through a symbolic link: the file is replaced, the link stays. */
    return save_by_rename(job, realpath(path, real) ? real : path, &old, err);
}

enum hd_status hd_trace_save(const struct hd_trace *t, const char *path, enum hd_format format,
                             struct hd_err *err)
{
    bool standard = !strcmp(path, "-");
    struct job job = {t, format, hd_pack_by_suffix(path)};
    struct hd_err local = {0};
    enum hd_status status =
        standard ? write_stream(&job, stdout, &local) : save_file(&job, path, &local);
    if (status != HD_OK && err) {
        *err = local;
        snprintf(err->file, sizeof err->file, "%s", standard ? "<stdout>" : path);
    }
    return status;
}

static bool ends_in(const char *path, size_t len, const char *suffix)
{
    size_t n = strlen(suffix);
    return len > n && !memcmp(path + len - n, suffix, n);
}

bool hd_format_by_suffix(const char *path, enum hd_format *format)
{
    static const struct {
        const char *suffix;
        enum hd_format format;
    } table[] = {
        {".hdt", HD_FORMAT_HDT},
        {".std", HD_FORMAT_STD},
        {".txt", HD_FORMAT_TEXT},
        {".trace", HD_FORMAT_TEXT},
    };
    size_t len = strlen(path);
    enum hd_pack pack = hd_pack_by_suffix(path);
    if (pack != HD_PACK_NONE)
        len -= pack == HD_PACK_ZSTD ? 4 : 3;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (ends_in(path, len, table[i].suffix)) {
            *format = table[i].format;
            return true;
        }
    }
    return false;
}
