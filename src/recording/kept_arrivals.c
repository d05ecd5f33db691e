#include "recording/kept_arrivals.h"

#include "abi/rt_arrivals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY "run.arrivals"

/* "T1.2.3": third child of the second child of the main thread. */
static uint64_t path_of(const char *thread)
{
    uint64_t h = 1;
    for (const char *end = thread + strlen(thread), *dot; end > thread; end = dot) {
        dot = memrchr(thread, '.', (size_t)(end - thread));
        if (!dot)
            break;
        h = hd_arrivals_thread(h, (uint32_t)strtoul(dot + 1, NULL, 10));
    }
    return h;
}

void hd_arrivals_add(struct hd_bytes *items, const char *thread, const struct hd_raw *rec)
{
    static const char zeros[8];
    struct hd_arrivals_item head = {.thread = path_of(thread),
                                    .kind = (uint32_t)(rec->w[0] & 0xff),
                                    .id = (uint32_t)(rec->w[0] >> 8),
                                    .len = rec->len};
    hd_bytes_put(items, &head, sizeof head);
    hd_bytes_put(items, rec->data, rec->len);
    hd_bytes_put(items, zeros, -rec->len & 7);
}

void hd_arrivals_save(const struct hd_bytes *items, struct hd_trace *t)
{
    if (items->len)
        hd_trace_meta_add(t, KEY, items->data, items->len);
}

/* The trace is a file that anybody may have written: the runtime trusts what passes here. */
static bool count(const uint8_t *data, size_t len, uint64_t *n)
{
    *n = 0;
    for (size_t at = 0; at < len; ++*n) {
        struct hd_arrivals_item head;
        if (len - at < sizeof head)
            return false;
        memcpy(&head, data + at, sizeof head);
        at += sizeof head;
        if (head.len > len - at || ((head.len + 7) & ~UINT64_C(7)) > len - at ||
            head.id > UINT32_MAX >> 8)
            return false;
        uint32_t listener = 0;
        if (head.kind == HD_ARRIVAL_ACCEPT && head.len == sizeof listener)
            memcpy(&listener, data + at, sizeof listener);
        if (head.kind == HD_ARRIVAL_ACCEPT &&
            (head.len != sizeof listener || listener > UINT32_MAX >> 8))
            return false;
        at += (head.len + 7) & ~UINT64_C(7);
    }
    return true;
}

enum hd_status hd_arrivals_write(const struct hd_trace *t, const char *path, bool *any,
                                 struct hd_err *err)
{
    struct hd_arrivals_header h = {.magic = HD_ARRIVALS_MAGIC};
    size_t len;
    const uint8_t *data = hd_trace_meta(t, KEY, &len);
    *any = data != NULL;
    if (!data)
        return HD_OK;
    if (!count(data, len, &h.n))
        return hd_err_set(err, HD_ERR_INPUT,
                          "what the trace tells about its inputs from outside is damaged");
    h.bytes = sizeof h + len;
    FILE *f = fopen(path, "we");
    bool good = f && fwrite(&h, sizeof h, 1, f) == 1 && (!len || fwrite(data, len, 1, f) == 1);
    int e = errno;
    if (f && fclose(f)) {
        good = false;
        e = errno;
    }
    return good ? HD_OK : hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(e));
}
