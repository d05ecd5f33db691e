#include "base/content.h"

#include "base/hash.h"

#include <stdio.h>

void hd_content_init(struct hd_content *d)
{
    d->h[0] = UINT64_C(0xcbf29ce484222325);
    d->h[1] = UINT64_C(0x84222325cbf29ce4);
}

/* Two runs of the same function that drift apart: the second adds one for each byte. */
void hd_content_add(struct hd_content *d, const void *data, size_t len)
{
    const unsigned char *p = data;
    uint64_t x = d->h[0], y = d->h[1];
    for (size_t i = 0; i < len; i++) {
        x = (x ^ p[i]) * UINT64_C(0x100000001b3);
        y = (y ^ p[i]) * UINT64_C(0x100000001b3) + 1;
    }
    d->h[0] = x;
    d->h[1] = y;
}

void hd_content_text(const struct hd_content *d, char text[HD_CONTENT_SIZE])
{
    snprintf(text, HD_CONTENT_SIZE, "%016llx%016llx", (unsigned long long)hd_hash_mix(d->h[0]),
             (unsigned long long)hd_hash_mix(d->h[1]));
}
