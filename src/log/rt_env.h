/* Which variables of the environment the program read: hashes of their names, so that a recording
 * keeps the values of these and not of others. */
#ifndef HEDDLE_RT_ENV_H
#define HEDDLE_RT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_ENV_READ 64 /* more are not noted */

struct hd_env_read {
    uint32_t n;
    uint32_t hashes[HD_ENV_READ];
};

static inline uint32_t hd_env_hash(const char *name, size_t len)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)name[i]) * 16777619u;
    return h;
}

static inline bool hd_env_was_read(const struct hd_env_read *r, uint32_t hash)
{
    for (uint32_t i = 0; i < r->n && i < HD_ENV_READ; i++)
        if (r->hashes[i] == hash)
            return true;
    return false;
}

static inline void hd_env_note(struct hd_env_read *r, uint32_t hash)
{
    if (r->n < HD_ENV_READ && !hd_env_was_read(r, hash))
        r->hashes[r->n++] = hash;
}

#endif
