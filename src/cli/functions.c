#include "cli/functions.h"

#include "base/alloc.h"
#include "base/names.h"
#include "build/details.h"

#include <stdio.h>
#include <string.h>

/* The number of a function; static functions of two files may have one name. */
static uint32_t number_of(struct hd_names *names, const char *function, const char *place)
{
    char key[1024];
    const char *colon = strrchr(place, ':');
    int n = snprintf(key, sizeof key, "%.*s|%s", colon ? (int)(colon - place) : 0, place, function);
    uint32_t id;
    if (n < 0 || (size_t)n >= sizeof key)
        return 0;
    id = hd_names_add(names, key, (size_t)n);
    return id + 1;
}

uint32_t *hd_functions_of_events(const struct hd_trace *t)
{
    struct hd_details *details = hd_details_open(t);
    if (!details)
        return NULL;
    struct hd_names names = {0};
    uint32_t *functions = hd_calloc(t->n_events, sizeof *functions);
    for (hd_eid e = 0; e < t->n_events; e++) {
        struct hd_detail detail;
        if (hd_details_at(details, e, &detail) && *detail.function)
            functions[e] = number_of(&names, detail.function, hd_trace_place_name(t, e));
    }
    hd_names_fini(&names);
    hd_details_close(details);
    return functions;
}
