#include "cli/outdir.h"

#include "report/format/report_json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum hd_status fits(int n, size_t size, struct hd_err *err)
{
    return n > 0 && (size_t)n < size
               ? HD_OK
               : hd_err_set(err, HD_ERR_IO, "the name of the folder is too long");
}

static enum hd_status cannot_make(const char *path, struct hd_err *err)
{
    return hd_err_set(err, HD_ERR_IO, "cannot make the folder %s: %s", path, strerror(errno));
}

static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    if (!dir)
        return false;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n == 2; /* itself and its parent */
}

static enum hd_status make_wanted(const char *path, struct hd_err *err)
{
    if (mkdir(path, 0700) == 0)
        return HD_OK;
    if (errno != EEXIST)
        return cannot_make(path, err);
    if (!is_empty(path))
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s is not an empty folder; an earlier run is never overwritten", path);
    return access(path, W_OK) == 0 ? HD_OK : cannot_make(path, err);
}

/* The largest number among the names in heddle-out. */
static unsigned long last_number(void)
{
    DIR *dir = opendir(HD_OUTDIR);
    unsigned long last = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char *end;
        unsigned long n = strtoul(entry->d_name, &end, 10);
        if (*end == 0 && end != entry->d_name && n > last)
            last = n;
    }
    if (dir)
        closedir(dir);
    return last;
}

static enum hd_status make_next(char *path, size_t size, struct hd_err *err)
{
    if (mkdir(HD_OUTDIR, 0700) && errno != EEXIST)
        return cannot_make(HD_OUTDIR, err);
    for (unsigned long n = last_number() + 1;; n++) {
        enum hd_status s = fits(snprintf(path, size, "%s/%lu", HD_OUTDIR, n), size, err);
        if (s != HD_OK || mkdir(path, 0700) == 0)
            return s;
        if (errno != EEXIST) /* another run may be quicker */
            return cannot_make(path, err);
    }
}

enum hd_status hd_outdir_make(const char *wanted, char *path, size_t size, struct hd_err *err)
{
    if (!wanted)
        return make_next(path, size, err);
    enum hd_status s = fits(snprintf(path, size, "%s", wanted), size, err);
    return s == HD_OK ? make_wanted(path, err) : s;
}

void hd_outdir_link(const char *path)
{
    if (strncmp(path, HD_OUTDIR "/", strlen(HD_OUTDIR "/")) != 0)
        return;
    int fd = open(HD_OUTDIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    hd_outdir_point(fd, path + strlen(HD_OUTDIR "/"));
    close(fd);
}

void hd_outdir_point(int fd, const char *name)
{
    char next[64];
    snprintf(next, sizeof next, ".latest-%ld", (long)getpid());
    if (symlinkat(name, fd, next) == 0 && renameat(fd, next, fd, HD_OUTDIR_LINK) != 0)
        unlinkat(fd, next, 0);
}

void hd_outdir_latest(char *path, size_t size)
{
    char name[64];
    ssize_t n = readlink(HD_OUTDIR_LATEST, name, sizeof name - 1);
    if (n > 0)
        snprintf(path, size, HD_OUTDIR "/%.*s", (int)n, name);
    else
        snprintf(path, size, HD_OUTDIR_LATEST);
}

void hd_outdir_drop(const char *path)
{
    rmdir(path);
    if (strncmp(path, HD_OUTDIR "/", strlen(HD_OUTDIR "/")) == 0)
        rmdir(HD_OUTDIR);
}

enum hd_status hd_outdir_report(const char *word, char *path, size_t size, struct hd_err *err)
{
    struct stat st;
    const char *name = word ? word : HD_OUTDIR_LATEST;
    if (stat(name, &st) != 0) {
        if (!word)
            return hd_err_set(err, HD_ERR_INPUT,
                              "there is no run here yet (" HD_OUTDIR_LATEST "); use heddle run");
        return hd_err_at(err, HD_ERR_IO, name, 0, "%s", strerror(errno));
    }
    return fits(snprintf(path, size, S_ISDIR(st.st_mode) ? "%s/report.json" : "%s", name), size,
                err);
}

bool hd_outdir_is_id(const char *word)
{
    return !strncmp(word, "R-", 2) && word[2] &&
           strspn(word + 2, "0123456789abcdef") == strlen(word + 2);
}

enum hd_status hd_outdir_find(const struct hd_report *r, const char *id, const char *report,
                              bool witness, const struct hd_finding **found, struct hd_err *err)
{
    size_t matches = 0;
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct hd_finding *f = &r->findings[i];
        if ((!f->witness && witness) || (id && strncmp(f->id, id, strlen(id)) != 0))
            continue;
        if (matches++ == 0)
            *found = f;
        if (!id || !strcmp(f->id, id))
            return HD_OK;
    }
    if (matches == 1)
        return HD_OK;
    if (!id)
        return hd_err_set(err, HD_ERR_INPUT, "%s has no race to %s", report,
                          witness ? "replay" : "show");
    return hd_err_set(err, HD_ERR_INPUT,
                      matches ? "%s has several races that begin with %s" : "%s has no race %s",
                      report, id);
}

enum hd_status hd_outdir_witness(const char *word, const char *run, char *path, size_t size,
                                 size_t *others, struct hd_err *err)
{
    char report[PATH_MAX];
    struct hd_report *r = NULL;
    const struct hd_finding *found = NULL;
    *others = 0;
    struct stat st;
    bool there = word && strcmp(word, "-") != 0 && stat(word, &st) == 0;
    if (there && S_ISDIR(st.st_mode))
        return hd_err_at(err, HD_ERR_INPUT, word, 0,
                         "a folder; name a race of the run in it with --run %s R-...", word);
    if (word && !there && strcmp(word, "-") != 0 && !hd_outdir_is_id(word))
        return hd_err_at(err, HD_ERR_INPUT, word, 0,
                         !strncmp(word, "R-", 2)
                             ? "not an id: R- and hexadecimal digits, such as R-7f3a9c"
                             : "there is no such witness file, and it is no id such as R-7f3a9c");
    if (word && (there || !hd_outdir_is_id(word)))
        return fits(snprintf(path, size, "%s", word), size, err);
    enum hd_status s = hd_outdir_report(run, report, sizeof report, err);
    if (s == HD_OK)
        s = hd_report_json_load(report, &r, err);
    if (s == HD_OK)
        s = hd_outdir_find(r, word, report, true, &found, err);
    if (s == HD_OK) {
        char *slash = strrchr(report, '/');
        s = fits(
            slash ? snprintf(path, size, "%.*s/%s", (int)(slash - report), report, found->witness)
                  : snprintf(path, size, "%s", found->witness),
            size, err);
        *others = word ? 0 : r->n_findings - 1;
    }
    hd_report_free(r);
    return s;
}
