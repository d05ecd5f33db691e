#include "drive/rawlog.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_WORDS (HD_LOG_CHUNK / 8)
#define WITH_DATA   255

static const uint8_t kind_words[HD_LOG_KIND_COUNT] = {
#define HD_KIND_WORDS(name, words, what) words,
    HD_LOG_KINDS(HD_KIND_WORDS)
#undef HD_KIND_WORDS
};

enum hd_status hd_rawlog_open(const char *path, struct hd_rawlog *log, struct hd_err *err)
{
    *log = (struct hd_rawlog){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) {
        int e = errno;
        if (fd >= 0)
            close(fd);
        return hd_err_set(err, HD_ERR_IO, "cannot read the raw log %s: %s", path, strerror(e));
    }
    void *base = MAP_FAILED;
    if (st.st_size >= HD_LOG_PAGE)
        base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (base == MAP_FAILED)
        return hd_err_set(err, HD_ERR_IO, "cannot map the raw log %s", path);
    log->base = base;
    log->size = (size_t)st.st_size;
    log->header = base;
    if (log->header->magic != HD_LOG_MAGIC || log->header->version != HD_LOG_VERSION) {
        hd_rawlog_close(log);
        return hd_err_set(err, HD_ERR_INPUT, "%s is not a raw log of this version", path);
    }
    return HD_OK;
}

void hd_rawlog_close(struct hd_rawlog *log)
{
    if (log->base)
        munmap((void *)(uintptr_t)log->base, log->size);
    *log = (struct hd_rawlog){0};
}

void hd_rawlog_rewind(struct hd_rawlog *log)
{
    log->chunk = log->pos = 0;
    log->broken = false;
}

/* The words of the present chunk, or NULL after the last. */
static const uint64_t *chunk_words(const struct hd_rawlog *log)
{
    size_t at = HD_LOG_PAGE + log->chunk * (size_t)HD_LOG_CHUNK;
    return at + HD_LOG_CHUNK <= log->size ? (const uint64_t *)(const void *)(log->base + at) : NULL;
}

static bool is_access(enum hd_log_kind kind)
{
    return kind >= HD_LOG_READ && kind <= HD_LOG_RANGE_WRITE;
}

static bool fill(struct hd_rawlog *log, const uint64_t *p, struct hd_raw *rec)
{
    uint64_t head = *p;
    size_t left = CHUNK_WORDS - log->pos, n = kind_words[rec->kind];
    rec->aux = (unsigned)(head >> 8 & 0xff);
    rec->site = head >> 16;
    rec->data = NULL;
    rec->len = 0;
    rec->addr = rec->val = HD_TOK_NONE;
    if (n == WITH_DATA) {
        if (left < 3 || p[2] > (left - 3) * 8)
            return false;
        rec->w[0] = p[1];
        rec->len = p[2];
        rec->data = (const uint8_t *)(p + 3);
        log->pos += 3 + (rec->len + 7) / 8;
        return true;
    }
    unsigned tokens = 0;
    if (is_access(rec->kind))
        tokens = !!(rec->aux & HD_LOG_ADDR) + !!(rec->aux & HD_LOG_VAL);
    if (left < 1 + n + tokens)
        return false;
    memcpy(rec->w, p + 1, n * 8);
    p += 1 + n;
    if (is_access(rec->kind) && (rec->aux & HD_LOG_ADDR))
        rec->addr = *p++;
    if (is_access(rec->kind) && (rec->aux & HD_LOG_VAL))
        rec->val = *p;
    log->pos += 1 + n + tokens;
    return true;
}

static bool sound(const struct hd_raw *rec)
{
    if (rec->kind >= HD_LOG_READ && rec->kind <= HD_LOG_RMW) {
        unsigned size = rec->aux & HD_LOG_SIZE;
        return size >= 1 && size <= 8;
    }
    return true;
}

bool hd_rawlog_next(struct hd_rawlog *log, struct hd_raw *rec)
{
    for (;;) {
        const uint64_t *p = chunk_words(log);
        if (!p || log->broken)
            return false;
        uint64_t head =
            log->pos < CHUNK_WORDS ? __atomic_load_n(p + log->pos, __ATOMIC_ACQUIRE) : 0;
        if ((head & 0xff) == HD_LOG_END) {
            if (log->pos == 0)
                return false;
            log->chunk++;
            log->pos = 0;
            continue;
        }
        rec->kind = (enum hd_log_kind)(head & 0xff);
        if (rec->kind >= HD_LOG_KIND_COUNT || !fill(log, p + log->pos, rec) || !sound(rec)) {
            log->broken = true;
            return false;
        }
        return true;
    }
}
