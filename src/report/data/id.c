#include "report/data/id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 64-bit FNV-1a, with the terminating zero, so that ("ab", "c") and ("a", "bc") differ. */
static uint64_t hash_text(uint64_t h, const char *text)
{
    do {
        h ^= (unsigned char)*text;
        h *= UINT64_C(0x100000001b3);
    } while (*text++);
    return h;
}

static uint64_t hash_access(const struct hd_access *a, struct hd_sources *s)
{
    uint64_t h = hash_text(UINT64_C(0xcbf29ce484222325), a->at.function ? a->at.function : "");
    const char *line = hd_sources_squeezed(s, a->at.file, a->at.line);
    char number[16];
    snprintf(number, sizeof number, "%u", a->at.line);
    /* Without the source only the number of the line is left to tell lines of a function apart. */
    h = hash_text(h, line ? line : number);
    uint32_t above = hd_sources_equal_above(s, a->at.file, a->at.line);
    if (above) {
        snprintf(number, sizeof number, "#%u", above);
        h = hash_text(h, number);
    }
    return hash_text(h, a->kind);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void hd_id_set(struct hd_report *r, struct hd_finding *f, const char *stable_variable,
               struct hd_sources *s)
{
    uint64_t *parts = hd_report_array(r, f->n_accesses, sizeof *parts);
    for (size_t i = 0; i < f->n_accesses; i++)
        parts[i] = hash_access(&f->accesses[i], s);
    if (f->n_accesses)
        qsort(parts, f->n_accesses, sizeof *parts, by_value);
    uint64_t h = hash_text(UINT64_C(0xcbf29ce484222325), hd_property_names[f->property]);
    h = hash_text(h, stable_variable);
    for (size_t i = 0; i < f->n_accesses; i++) {
        char hex[17];
        snprintf(hex, sizeof hex, "%016llx", (unsigned long long)parts[i]);
        h = hash_text(h, hex);
    }
    /* FNV's high bits change little with the last bytes. */
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 32;
    f->fingerprint = hd_report_format(r, "%016llx", (unsigned long long)h);
    f->id = hd_report_format(r, "R-%.6s", f->fingerprint);
}
