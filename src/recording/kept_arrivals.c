#include "recording/kept_arrivals.h"

#include "abi/rt_arrivals.h"
#include "base/log.h"

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

static void pad(struct hd_bytes *items, uint64_t len)
{
    static const char zeros[8];
    hd_bytes_put(items, zeros, -len & 7);
}

/* A loop that waits for the time to come asks thousands of times: one item for all of them. */
static void add_answer(struct hd_kept_arrivals *k, uint64_t thread, uint32_t kind, uint64_t answer)
{
    struct hd_arrivals_item head = {.thread = thread, .kind = kind}, last = {0};
    if (k->items.len)
        memcpy(&last, k->items.data + k->last, sizeof last);
    if (last.kind == kind && last.thread == thread) {
        head = last;
    } else {
        k->last = k->items.len;
        hd_bytes_put(&k->items, &head, sizeof head);
    }
    k->items.len = k->last + sizeof head + head.len;
    hd_bytes_varint(&k->items, answer);
    head.len = k->items.len - k->last - sizeof head;
    memcpy(k->items.data + k->last, &head, sizeof head);
    pad(&k->items, head.len);
}

void hd_kept_arrivals_add(struct hd_kept_arrivals *k, const char *thread, const struct hd_raw *rec)
{
    struct hd_arrivals_item head = {.thread = path_of(thread),
                                    .kind = (uint32_t)(rec->w[0] & 0xff),
                                    .id = (uint32_t)(rec->w[0] >> 8),
                                    .len = rec->len};
    if (head.kind == HD_ARRIVAL_TIME || head.kind == HD_ARRIVAL_WAITED) {
        add_answer(k, head.thread, head.kind, rec->w[0] >> 8);
        return;
    }
    k->last = k->items.len;
    hd_bytes_put(&k->items, &head, sizeof head);
    hd_bytes_put(&k->items, rec->data, rec->len);
    pad(&k->items, rec->len);
}

void hd_kept_arrivals_save(const struct hd_kept_arrivals *k, struct hd_trace *t)
{
    HD_DEBUG_LINE(RECORDING, "%zu bytes came from outside", k->items.len);
    if (k->items.len)
        hd_trace_meta_add(t, KEY, k->items.data, k->items.len);
}

void hd_kept_arrivals_fini(struct hd_kept_arrivals *k)
{
    hd_bytes_fini(&k->items);
    k->last = 0;
}

/* The trace is a file of unknown origin: the runtime trusts what passes here. */
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

enum hd_status hd_kept_arrivals_write(const struct hd_trace *t, const char *path, bool *any,
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
