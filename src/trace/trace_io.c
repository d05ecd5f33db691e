/* Loading. Saving is trace_save.c. */
#include "trace/trace_io.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/stop.h"
#include "trace/hdt/hdt.h"
#include "trace/text/text.h"
#include "trace/trace_form.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK = 1 << 20,
    HEAD = 16, /* bytes that tell the form: every magic number is shorter */
};

/* Where unpacked bytes go. Until HEAD bytes have come the form is open; text is read as it comes,
 * an .hdt is gathered, since its reader wants the whole. */
struct load {
    const char *name;
    const struct hd_form *other; /* or NULL */
    struct hd_load_info info;
    bool decided;
    struct hd_text_reader *text;
    char *data; /* the first bytes, or the whole .hdt */
    size_t len, cap;
};

static void gather(struct load *l, const char *data, size_t len)
{
    if (l->len + len > l->cap) {
        size_t cap = l->cap * 2 > l->len + len ? l->cap * 2 : l->len + len;
        l->data = hd_realloc(l->data, l->cap, cap);
        l->cap = cap;
    }
    memcpy(l->data + l->len, data, len);
    l->len += len;
}

static enum hd_status decide(struct load *l, struct hd_err *err)
{
    l->decided = true;
    if (hd_hdt_is(l->data, l->len)) {
        l->info.format = HD_FORMAT_HDT;
        return HD_OK;
    }
    if (l->other && l->other->is(l->data, l->len)) {
        l->info.format = HD_FORMAT_OTHER;
        return HD_OK;
    }
    l->info.format = HD_FORMAT_TEXT;
    l->text = hd_text_new(l->name);
    return hd_text_feed(l->text, l->data, l->len, err);
}

/* Text is cut behind a line: what comes after it is left out. */
static enum hd_status take_text(struct load *l, const char *data, size_t len, struct hd_err *err)
{
    enum hd_stop why = hd_stop_now();
    const char *end = why ? memchr(data, '\n', len) : NULL;
    if (why == HD_STOP_ASKED)
        return hd_err_set(err, HD_ERR_STOPPED, "interrupted");
    if (end)
        l->info.cut = why;
    return hd_text_feed(l->text, data, end ? (size_t)(end + 1 - data) : len, err);
}

static enum hd_status take(void *ctx, const char *data, size_t len, struct hd_err *err)
{
    struct load *l = ctx;
    if (l->info.cut)
        return HD_OK;
    if (l->text)
        return take_text(l, data, len, err);
    gather(l, data, len);
    return l->decided || l->len < HEAD ? HD_OK : decide(l, err);
}

static enum hd_status finish(struct load *l, struct hd_trace **trace, struct hd_err *err)
{
    enum hd_status status = l->decided ? HD_OK : decide(l, err);
    if (status != HD_OK)
        return status;
    if (l->text) {
        struct hd_text_reader *text = l->text;
        l->text = NULL;
        return hd_text_finish(text, trace, err);
    }
    if (l->info.format == HD_FORMAT_OTHER)
        return l->other->read(l->other->ctx, l->name, l->data, l->len, false, trace, err);
    struct hd_hdt_info info = {0};
    status = hd_hdt_read(l->data, l->len, l->name, trace, &info, err);
    l->info.truncated = info.truncated;
    l->info.cut = info.cut;
    return status;
}

/* Reads until the block is full or the input ends. */
static enum hd_status read_block(int fd, const char *name, char *block, size_t *len,
                                 struct hd_err *err)
{
    *len = 0;
    while (*len < BLOCK) {
        ssize_t got = read(fd, block + *len, BLOCK - *len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return hd_err_at(err, HD_ERR_IO, name, 0, "cannot read: %s", strerror(errno));
        if (got == 0)
            break;
        *len += (size_t)got;
    }
    return HD_OK;
}

static enum hd_status load_blocks(int fd, struct load *l, char *block, struct hd_err *err)
{
    struct hd_unpack *unpack = NULL;
    enum hd_status status;
    size_t len;
    for (;;) {
        status = read_block(fd, l->name, block, &len, err);
        if (status != HD_OK)
            break;
        if (!unpack) {
            l->info.pack = hd_pack_sniff(block, len);
            unpack = hd_unpack_new(l->info.pack, take, l);
        }
        if (!unpack)
            return hd_err_set(err, HD_ERR_IO, "cannot decompress: out of memory");
        l->info.bytes += len;
        status = len ? hd_unpack_feed(unpack, block, len, err) : hd_unpack_end(unpack, err);
        if (status != HD_OK || !len || l->info.cut)
            break;
    }
    hd_unpack_free(unpack);
    return status;
}

/* A file of the other form is not copied: its pages are the system's, which can take them back.
 * False: it has to be read. */
static bool load_mapped(int fd, struct load *l, struct hd_trace **trace, enum hd_status *status,
                        struct hd_err *err)
{
    char head[HEAD];
    struct stat st;
    if (!l->other || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < HEAD ||
        lseek(fd, 0, SEEK_CUR) != 0 || pread(fd, head, HEAD, 0) != HEAD ||
        !l->other->is(head, HEAD))
        return false;
    size_t len = (size_t)st.st_size;
    void *map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    l->info = (struct hd_load_info){.format = HD_FORMAT_OTHER, .bytes = len};
    *status = l->other->read(l->other->ctx, l->name, map, len, true, trace, err);
    munmap(map, len);
    return true;
}

enum hd_status hd_trace_io_load_form(const char *path, const struct hd_form *other,
                                     struct hd_trace **trace, struct hd_load_info *info,
                                     struct hd_err *err)
{
    bool standard = !strcmp(path, "-");
    struct load l = {.name = standard ? "<stdin>" : path, .other = other};
    struct hd_err local = {0};
    *trace = NULL;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return hd_err_at(err, HD_ERR_IO, path, 0, "cannot open: %s", strerror(errno));
    enum hd_status status;
    if (!load_mapped(fd, &l, trace, &status, &local)) {
        char *block = hd_alloc(BLOCK);
        status = load_blocks(fd, &l, block, &local);
        hd_free(block, BLOCK);
        if (status == HD_OK)
            status = finish(&l, trace, &local);
    }
    if (!standard)
        close(fd);
    hd_text_free(l.text);
    hd_free(l.data, l.cap);
    if (status == HD_OK && *trace) /* readers have refused by now what has another form */
        HD_SELF_CHECK(hd_trace_form_check(*trace));
    HD_DEBUG_LINE(TRACE, "%s: %s", l.name,
                  status != HD_OK ? local.text
                  : *trace        ? "read"
                                  : "read in part");
    if (status != HD_OK && !local.file[0])
        snprintf(local.file, sizeof local.file, "%s", l.name);
    if (status != HD_OK && err)
        *err = local;
    if (info)
        *info = l.info;
    return status;
}

enum hd_status hd_trace_io_load_info(const char *path, struct hd_trace **trace,
                                     struct hd_load_info *info, struct hd_err *err)
{
    return hd_trace_io_load_form(path, NULL, trace, info, err);
}

enum hd_status hd_trace_io_load(const char *path, struct hd_trace **trace, struct hd_err *err)
{
    return hd_trace_io_load_info(path, trace, NULL, err);
}
