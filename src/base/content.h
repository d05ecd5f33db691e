/* A digest: 128 bits of content, the same on every machine, as 32 hexadecimal digits. It names
 * things by what they are, and guards against mistakes, not against malice.
 */
#ifndef HD_BASE_CONTENT_H
#define HD_BASE_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#define HD_CONTENT_SIZE 33 /* of the text, with its end */

struct hd_content {
    uint64_t h[2];
};

void hd_content_init(struct hd_content *d);
void hd_content_add(struct hd_content *d, const void *data, size_t len);
/* May be asked in between. */
void hd_content_text(const struct hd_content *d, char text[HD_CONTENT_SIZE]);

#endif
