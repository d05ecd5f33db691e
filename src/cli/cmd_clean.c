/* heddle clean: remove old runs. */
#include "cli/cmds.h"

#include "base/sort.h"
#include "base/vec.h"
#include "cli/common.h"
#include "cli/outdir.h"
#include "cli/runfolder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct values {
    uint64_t keep;
    bool dry;
};

static const struct hd_opt options[] = {
    {0, "keep", HD_OPT_COUNT, offsetof(struct values, keep), "N",
     "Keep so many runs, the latest first (1)", NULL, 0, 0},
    {0, "dry-run", HD_OPT_FLAG, offsetof(struct values, dry), NULL,
     "Say what would be removed, and remove nothing", NULL, 0, 0},
    {0},
};

struct clean {
    const struct hd_cli *cli;
    const struct values *v;
    const char *dir;
    int fd;             /* of dir */
    struct hd_vec runs; /* struct hd_runfolder: the latest first, then by number, newest first */
    enum hd_exit code;
    uint64_t removed, bytes;
};

/* A folder as heddle run names it: digits, no zero in front. 0: it is not. */
static unsigned long number_of(const char *name)
{
    size_t n = strlen(name);
    bool good = n > 0 && n < 19 && *name != '0' && strspn(name, "0123456789") == n;
    return good ? strtoul(name, NULL, 10) : 0;
}

/* The number that the link `latest` holds; 0: there is no such link. */
static unsigned long latest_of(int fd)
{
    char name[64];
    ssize_t n = readlinkat(fd, HD_OUTDIR_LINK, name, sizeof name - 1);
    if (n <= 0)
        return 0;
    name[n] = 0;
    return number_of(name);
}

static int newest_first(const void *a, const void *b, void *latest)
{
    const struct hd_runfolder *x = a, *y = b;
    unsigned long first = *(const unsigned long *)latest;
    if (x->number == first || y->number == first)
        return (y->number == first) - (x->number == first);
    return (x->number < y->number) - (x->number > y->number);
}

static void leave(struct clean *c, const struct hd_err *err)
{
    c->code = hd_cli_fail_input(c->cli, err);
}

/* Takes the folder up if it is a run. An empty one may belong to a run that begins just now. */
static void take(struct clean *c, unsigned long number)
{
    struct hd_runfolder f;
    struct hd_err err = {0};
    enum hd_status s = hd_runfolder_look(c->fd, c->dir, number, &f, &err);
    if (s == HD_OK && (f.report || f.trace)) {
        *(struct hd_runfolder *)hd_vec_push(&c->runs) = f;
        return;
    }
    if (s == HD_OK && (*f.foreign || f.files.count))
        s = hd_err_at(&err, HD_ERR_INPUT, f.path, 0,
                      "it has no report and no trace of heddle; left");
    if (s != HD_OK)
        leave(c, &err);
    hd_runfolder_fini(&f);
}

/* A run without a report that changed within a day may still be at work. */
static bool may_be_at_work(const struct hd_runfolder *f)
{
    return !f->report && time(NULL) - f->changed < 24 * 3600;
}

/* The newest ones, those at work, and those whose program a kept run needs for its replays. */
static void choose(struct clean *c)
{
    for (size_t i = 0; i < c->runs.len; i++) {
        struct hd_runfolder *f = hd_vec_at(&c->runs, i);
        f->kept = i < c->v->keep || may_be_at_work(f);
    }
    for (size_t i = 0; i < c->runs.len; i++) {
        const struct hd_runfolder *f = hd_vec_at(&c->runs, i);
        for (size_t k = 0; f->kept && k < c->runs.len; k++) {
            struct hd_runfolder *old = hd_vec_at(&c->runs, k);
            if (old->kept || old->inode != f->program_inode || old->device != f->program_device)
                continue;
            old->kept = true;
            hd_cli_print(stdout, "kept %s: %s runs its program\n", old->path, f->path);
        }
    }
}

static void remove_run(struct clean *c, struct hd_runfolder *f)
{
    struct hd_err err = {0};
    enum hd_status s = HD_OK;
    if (*f->foreign)
        s = hd_err_at(&err, HD_ERR_INPUT, f->path, 0, "'%s' is not a file of a run; left",
                      f->foreign);
    else if (!c->v->dry)
        s = hd_runfolder_remove(c->fd, f, &err);
    if (s != HD_OK) {
        f->kept = true;
        leave(c, &err);
        return;
    }
    hd_cli_print(stdout, "%s %s: %s, %s\n", c->v->dry ? "would remove" : "removed", f->path,
                 hd_common_plural(f->files.count, "file"), hd_common_plural(f->bytes, "byte"));
    c->removed++;
    c->bytes += f->bytes;
}

/* `latest` points to the newest run that is left; it goes when there is none. */
static void mend_latest(const struct clean *c)
{
    unsigned long newest = 0;
    struct stat st;
    if (fstatat(c->fd, HD_OUTDIR_LINK, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(st.st_mode) ||
        fstatat(c->fd, HD_OUTDIR_LINK, &st, 0) == 0)
        return;
    for (size_t i = 0; i < c->runs.len; i++) {
        const struct hd_runfolder *f = hd_vec_at(&c->runs, i);
        if (f->kept && f->report && f->number > newest)
            newest = f->number;
    }
    char name[32];
    snprintf(name, sizeof name, "%lu", newest);
    if (newest)
        hd_outdir_point(c->fd, name);
    else
        unlinkat(c->fd, HD_OUTDIR_LINK, 0);
}

static int by_number(const void *a, const void *b, void *arg)
{
    unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;
    (void)arg;
    return (x > y) - (x < y);
}

/* In the order of their numbers, for messages. */
static void take_all(struct clean *c, DIR *list)
{
    struct hd_vec numbers = HD_VEC_INIT(unsigned long);
    for (struct dirent *e; (e = readdir(list));)
        if (number_of(e->d_name))
            *(unsigned long *)hd_vec_push(&numbers) = number_of(e->d_name);
    hd_sort(numbers.data, numbers.len, sizeof(unsigned long), by_number, NULL);
    for (size_t i = 0; i < numbers.len; i++)
        take(c, *(unsigned long *)hd_vec_at(&numbers, i));
    hd_vec_fini(&numbers);
}

static void clean_folder(struct clean *c, DIR *list)
{
    unsigned long latest = latest_of(c->fd);
    take_all(c, list);
    hd_sort(c->runs.data, c->runs.len, sizeof(struct hd_runfolder), newest_first, &latest);
    choose(c);
    for (size_t i = c->runs.len; i-- > 0;) {
        struct hd_runfolder *f = hd_vec_at(&c->runs, i);
        if (!f->kept)
            remove_run(c, f);
    }
    if (!c->v->dry)
        mend_latest(c);
    if (c->removed)
        printf("%s %s, %s\n", c->v->dry ? "would remove" : "removed",
               hd_common_plural(c->removed, "run"), hd_common_plural(c->bytes, "byte"));
    else
        printf("nothing to remove\n");
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.keep = 1};
    struct hd_err err = {0};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    if (argc) /* with a slash behind it a symbolic link would be followed */
        for (size_t n = strlen(argv[0]); n > 1 && argv[0][n - 1] == '/'; n--)
            argv[0][n - 1] = 0;
    struct clean c = {.cli = cli, .v = &v, .dir = argc ? argv[0] : HD_OUTDIR};
    c.runs = HD_VEC_INIT(struct hd_runfolder);
    c.fd = open(c.dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = c.fd < 0 ? NULL : fdopendir(c.fd);
    if (!list && errno == ENOENT && !argc) {
        printf("nothing to remove: there is no " HD_OUTDIR " here\n");
        return HD_EXIT_OK;
    }
    if (!list) {
        hd_err_at(&err, HD_ERR_IO, c.dir, 0, "%s",
                  errno == ENOTDIR || errno == ELOOP ? "not a folder, or a symbolic link"
                                                     : strerror(errno));
        return hd_cli_fail_input(cli, &err);
    }
    clean_folder(&c, list);
    for (size_t i = 0; i < c.runs.len; i++)
        hd_runfolder_fini(hd_vec_at(&c.runs, i));
    hd_vec_fini(&c.runs);
    closedir(list);
    return c.code;
}

const struct hd_cmd hd_cmd_clean = {
    .name = "clean",
    .path = "clean",
    .summary = "remove old runs",
    .args = "[DIR]",
    .detail =
        "Removes the runs below heddle-out, or below DIR, but the latest one (--keep N: the N\n"
        "newest), and says which and how many bytes. Only numbered folders with a report or a\n"
        "trace of heddle are removed, and only when all files in them are files of a run;\n"
        "others are named and left, and so are campaigns. A run whose program a kept run\n"
        "needs is kept, and so is one without a report that changed within a day: it may be\n"
        "at work. Symbolic links are not followed.",
    .options = options,
    .min_args = 0,
    .max_args = 1,
    .run = run,
};
