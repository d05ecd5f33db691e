#include "cli/runfolder.h"

#include "report/format/formats.h"
#include "report/format/report_json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPORT "report.json"

/* What run, explore and hunt write. Campaigns have folders of their own and are not listed. */
static const char *const patterns[] = {
    REPORT,           "report.txt",
    "report.html",    "run.hdr",
    "run[.-]*.hdr",   "witness-*.json",
    "trace.hdt",      "trace[.-]*.hdt", /* as recordings were called */
    "input",          "output.txt",
    "output-*.txt",   "explore.json",
    "explore.guided", "info",
    "messages.txt",   "test[0-9][0-9][0-9][0-9][0-9][0-9].*",
};

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

static FILE *open_file(int fd, const char *name)
{
    int file = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *in = file < 0 ? NULL : fdopen(file, "rb");
    if (file >= 0 && !in)
        close(file);
    return in;
}

static bool is_report(int fd)
{
    FILE *in = open_file(fd, REPORT);
    bool is = in && hd_formats_is_report(in);
    if (in)
        fclose(in);
    return is;
}

/* Recordings and traces begin with the same bytes. */
static bool is_trace(int fd, const char *name)
{
    char head[3] = "";
    FILE *in = fnmatch("*.hd[rt]", name, 0) == 0 ? open_file(fd, name) : NULL;
    bool is = in && fread(head, 1, 3, in) == 3 && !memcmp(head, "\x89HD", 3);
    if (in)
        fclose(in);
    return is;
}

/* The program's name goes to `name`, the folder that it lies in to f. Names in a report are those
 * seen from the parent of heddle-out. */
static void find_program(const char *dir, struct hd_runfolder *f, char *name, size_t size)
{
    char path[2 * PATH_MAX];
    struct hd_report *r = NULL;
    struct hd_err err = {0};
    struct stat st;
    *name = 0;
    snprintf(path, sizeof path, "%s/" REPORT, f->path);
    if (hd_report_json_load(path, &r, &err) != HD_OK || r->program.n == 0) {
        hd_report_free(r);
        return;
    }
    const char *program = r->program.items[0], *slash = strrchr(program, '/');
    int length = slash ? (int)(slash - program) : 0;
    if (*program == '/')
        snprintf(path, sizeof path, "%.*s/", length, program);
    else
        snprintf(path, sizeof path, "%s/../%.*s", dir, length, program);
    if (slash && stat(path, &st) == 0) {
        f->program_device = st.st_dev;
        f->program_inode = st.st_ino;
        snprintf(name, size, "%s", slash + 1);
    }
    hd_report_free(r);
}

static void look_at_file(int fd, const char *name, const char *program, struct hd_runfolder *f)
{
    struct stat st;
    bool own_program = f->program_inode == f->inode && f->program_device == f->device;
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        st = (struct stat){0};
    if (st.st_mtime > f->changed)
        f->changed = st.st_mtime;
    if (!S_ISREG(st.st_mode) || (!is_known(name) && !(own_program && !strcmp(name, program)))) {
        if (!*f->foreign || strcmp(name, f->foreign) < 0)
            snprintf(f->foreign, sizeof f->foreign, "%s", name);
        return;
    }
    f->trace = f->trace || is_trace(fd, name);
    f->bytes += (uint64_t)st.st_size;
    hd_names_add(&f->files, name, strlen(name));
}

static int open_folder(int fd, const struct hd_runfolder *f)
{
    char name[32];
    snprintf(name, sizeof name, "%lu", f->number);
    return openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static enum hd_status refused(const struct hd_runfolder *f, struct hd_err *err)
{
    if (errno == ENOTDIR || errno == ELOOP)
        return hd_err_at(err, HD_ERR_INPUT, f->path, 0, "not a folder, or a symbolic link; left");
    return hd_err_at(err, HD_ERR_IO, f->path, 0, "%s", strerror(errno));
}

enum hd_status hd_runfolder_look(int fd, const char *dir, unsigned long number,
                                 struct hd_runfolder *f, struct hd_err *err)
{
    char program[NAME_MAX + 1] = "";
    struct stat st;
    *f = (struct hd_runfolder){.number = number};
    int n = snprintf(f->path, sizeof f->path, "%s/%lu", dir, number);
    if (n < 0 || (size_t)n >= sizeof f->path)
        return hd_err_set(err, HD_ERR_IO, "the name of the folder is too long");
    int folder = open_folder(fd, f);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);
    if (!list || fstat(folder, &st) != 0) {
        enum hd_status s = refused(f, err);
        if (list)
            closedir(list);
        else if (folder >= 0)
            close(folder);
        return s;
    }
    f->device = st.st_dev;
    f->inode = st.st_ino;
    f->changed = st.st_mtime;
    f->report = is_report(folder);
    if (f->report)
        find_program(dir, f, program, sizeof program);
    for (struct dirent *e; (e = readdir(list));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            look_at_file(folder, e->d_name, program, f);
    closedir(list);
    return HD_OK;
}

void hd_runfolder_fini(struct hd_runfolder *f)
{
    hd_names_fini(&f->files);
}

enum hd_status hd_runfolder_remove(int fd, const struct hd_runfolder *f, struct hd_err *err)
{
    char name[32];
    int folder = open_folder(fd, f);
    bool good = folder >= 0;
    for (uint32_t i = 0; good && i < f->files.count; i++)
        if (strcmp(hd_names_text(&f->files, i), REPORT) != 0)
            good = unlinkat(folder, hd_names_text(&f->files, i), 0) == 0;
    if (good && f->report)
        good = unlinkat(folder, REPORT, 0) == 0;
    snprintf(name, sizeof name, "%lu", f->number);
    good = good && unlinkat(fd, name, AT_REMOVEDIR) == 0;
    enum hd_status s = good ? HD_OK : refused(f, err);
    if (folder >= 0)
        close(folder);
    return s;
}
