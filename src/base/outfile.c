#include "base/outfile.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No allocation here: the table must work when memory has run out and inside signal handlers. */
enum { SLOTS = 16, SUFFIX = 32 };

enum slot_state { FREE, CLAIMED, LIVE }; /* LIVE: temp names a file that is to be removed */

struct slot {
    atomic_int state; /* set to LIVE by make_temporary, read by hd_outfile_discard_all */
    pid_t owner;      /* a forked child must not remove its parent's files */
    char target[PATH_MAX];
    char temp[PATH_MAX + SUFFIX];
};

static struct slot slots[SLOTS];
static pthread_once_t at_exit_once = PTHREAD_ONCE_INIT;

static void register_at_exit(void)
{
    atexit(hd_outfile_discard_all);
}

/* Slots are numbered from 1, so that a zeroed struct hd_outfile owns none; 0: all are taken. */
static int claim_slot(void)
{
    for (int i = 0; i < SLOTS; i++) {
        int expected = FREE;
        if (atomic_compare_exchange_strong(&slots[i].state, &expected, CLAIMED))
            return i + 1;
    }
    return 0;
}

/* Creates the temporary with the mode that the finished file is to have. */
static int make_temporary(struct slot *s, int slot, mode_t mode)
{
    size_t len = strlen(s->target);
    memcpy(s->temp, s->target, len);
    s->owner = getpid();
    for (int attempt = 0; attempt < 100; attempt++) {
        snprintf(s->temp + len, SUFFIX, ".tmp%ld-%d-%d", (long)s->owner, slot, attempt);
        int fd = open(s->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0) {
            atomic_store(&s->state, LIVE);
            return fd;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static enum hd_status open_beside(const char *path, mode_t mode, struct hd_outfile *out,
                                  struct hd_err *err)
{
    int i = claim_slot();
    if (!i)
        return hd_err_set(err, HD_ERR_LIMIT, "too many output files are open at once");
    struct slot *s = &slots[i - 1];
    pthread_once(&at_exit_once, register_at_exit);
    int fd = -1;
    if (strlen(path) >= sizeof s->target) {
        errno = ENAMETOOLONG;
    } else {
        if (!realpath(path, s->target))
            strcpy(s->target, path);
        fd = make_temporary(s, i, mode);
    }
    if (fd < 0) {
        int why = errno;
        atomic_store(&s->state, FREE);
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(why));
    }
    *out = (struct hd_outfile){.file = fdopen(fd, "wb"), .slot = i};
    if (!out->file) {
        close(fd);
        hd_outfile_discard(out);
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(ENOMEM));
    }
    return HD_OK;
}

enum hd_status hd_outfile_open(const char *path, struct hd_outfile *out, struct hd_err *err)
{
    struct stat st;
    *out = (struct hd_outfile){0};
    int exists = stat(path, &st) == 0;
    if (!exists || S_ISREG(st.st_mode)) {
        if (exists && access(path, W_OK))
            return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
        return open_beside(path, exists ? st.st_mode & 0777 : 0600, out, err);
    }
    out->file = fopen(path, "wbe");
    if (!out->file)
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    return HD_OK;
}

enum hd_status hd_outfile_commit(struct hd_outfile *out, struct hd_err *err)
{
    struct slot *s = out->slot ? &slots[out->slot - 1] : NULL;
    const char *name = s ? s->target : "the output";
    errno = 0;
    int failed = ferror(out->file) | fflush(out->file);
    /* A name must not come to mean a file whose content is still on its way to the disk. */
    failed = failed || (s && fsync(fileno(out->file)));
    int why = errno;
    if (fclose(out->file) && !failed) {
        failed = 1;
        why = errno;
    }
    out->file = NULL;
    if (s && !failed && rename(s->temp, s->target)) {
        failed = 1;
        why = errno;
    }
    if (failed) {
        hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", name,
                   why ? strerror(why) : "write error");
        hd_outfile_discard(out);
        return HD_ERR_IO;
    }
    HD_DEBUG_LINE(BASE, "%s is written", name);
    if (s)
        atomic_store(&s->state, FREE);
    out->slot = 0;
    return HD_OK;
}

void hd_outfile_discard(struct hd_outfile *out)
{
    if (out->file)
        fclose(out->file);
    if (out->slot) {
        struct slot *s = &slots[out->slot - 1];
        unlink(s->temp);
        atomic_store(&s->state, FREE);
    }
    *out = (struct hd_outfile){0};
}

void hd_outfile_discard_all(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].state) == LIVE && slots[i].owner == getpid())
            unlink(slots[i].temp);
}
