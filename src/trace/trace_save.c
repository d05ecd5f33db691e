/* Saving: all or nothing. Loading is trace_io.c. */
#include "trace/trace_io.h"

#include "base/outfile.h"
#include "trace/hdt/hdt.h"
#include "trace/text/text.h"

#include <errno.h>
#include <string.h>

struct job {
    const struct hd_trace *t;
    enum hd_format format;
    enum hd_packing pack;
};

static enum hd_status write_plain(const struct job *job, FILE *out, struct hd_err *err)
{
    if (job->format == HD_FORMAT_TEXT)
        return hd_text_write(job->t, out, err);
    if (job->format == HD_FORMAT_STD)
        return hd_text_write_std(job->t, out, err);
    return hd_hdt_write(job->t, out, err);
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
        status = hd_err_set(err, HD_ERR_IO, "%s", strerror(errno));
    return status;
}

/* name is for messages: failures of the system speak of it, refusals speak of the trace. */
static enum hd_status write_stream(const struct job *job, FILE *out, const char *name,
                                   struct hd_err *err)
{
    struct hd_err local = {0};
    enum hd_status status = write_packed(job, out, &local);
    errno = 0;
    if (status == HD_OK && (fflush(out) != 0 || ferror(out)))
        status = hd_err_set(&local, HD_ERR_IO, "%s", strerror(errno ? errno : EIO));
    if (status == HD_ERR_IO)
        return hd_err_set(err, status, "cannot write %.200s: %.250s", name, local.text);
    return status == HD_OK ? HD_OK : hd_err_set(err, status, "%s", local.text);
}

static enum hd_status save_file(const struct job *job, const char *path, struct hd_err *err)
{
    struct hd_outfile out;
    enum hd_status status = hd_outfile_open(path, &out, err);
    if (status == HD_OK)
        status = write_stream(job, out.file, path, err);
    if (status == HD_OK)
        return hd_outfile_commit(&out, err);
    hd_outfile_discard(&out);
    return status;
}

enum hd_status hd_trace_io_save(const struct hd_trace *t, const char *path, enum hd_format format,
                                struct hd_err *err)
{
    struct job job = {t, format, hd_pack_by_suffix(path)};
    if (strcmp(path, "-") != 0)
        return save_file(&job, path, err);
    return write_stream(&job, stdout, "standard output", err);
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
    enum hd_packing pack = hd_pack_by_suffix(path);
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
