/* threadprivate variables: one copy for each member of a team, kept from region to region. Tasks on
 * threads of their own get copies of their own. */
#include "openmp/omp_team.h"

#include <stdlib.h>

struct hd_omp_private {
    struct hd_omp_private *next;
    void *data, *copy; /* the variable of the program, and this thread's */
};

struct registered { /* C++ objects; made before main, on one thread */
    struct registered *next;
    void *data;
    void *(*make)(void *);
    void *(*copy)(void *, void *);
    void (*end)(void *);
};
static struct registered *registered;

/* Copies of threads that are between two regions, by number. Only the thread that forks and joins
 * an outermost team uses them. */
#define MAX_KEPT 1024
static __thread struct hd_omp_private **kept;

void hd_omp_privates_keep(struct hd_omp_thread *t)
{
    if (!kept)
        kept = hd_omp_alloc(MAX_KEPT * sizeof *kept);
    if (t->num < MAX_KEPT)
        kept[t->num] = t->privates;
}

void hd_omp_privates_fetch(struct hd_omp_thread *t)
{
    t->privates = kept && t->num < MAX_KEPT ? kept[t->num] : NULL;
}

void __kmpc_threadprivate_register(hd_omp_ident *loc, void *data, void *(*make)(void *),
                                   void *(*copy)(void *, void *), void (*end)(void *));
void __kmpc_threadprivate_register(hd_omp_ident *loc, void *data, void *(*make)(void *),
                                   void *(*copy)(void *, void *), void (*end)(void *))
{
    struct registered *r = hd_omp_alloc(sizeof *r);
    (void)loc;
    *r = (struct registered){registered, data, make, copy, end};
    registered = r;
}

/* Copies begin with the value that the variable had when the program began. The thread that comes
 * first keeps it, before a thread can write. That is no access of the program: it is not
 * instrumented. */
#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
struct image {
    struct image *next;
    const void *data;
    unsigned char bytes[];
};
static _Atomic(struct image *) images;

UNSEEN static const struct image *find_image(const void *data)
{
    const struct image *i = atomic_load(&images);
    while (i && i->data != data)
        i = i->next;
    return i;
}

UNSEEN static void add_image(struct image *i, const void *data, size_t size)
{
    i->data = data;
    for (size_t k = 0; k < size; k++)
        ((volatile unsigned char *)i->bytes)[k] = ((const volatile unsigned char *)data)[k];
    i->next = atomic_load(&images);
    while (!atomic_compare_exchange_weak(&images, &i->next, i))
        continue;
}

UNSEEN static unsigned char byte_of(const struct image *i, size_t k)
{
    return i->bytes[k];
}

static const struct image *image_of(const void *data, size_t size)
{
    if (!find_image(data))
        add_image(hd_omp_alloc(sizeof(struct image) + size), data, size);
    return find_image(data);
}

/* The initial thread has the variable itself. */
static void *new_copy(const struct hd_omp_thread *t, void *data, size_t size)
{
    const struct image *image = image_of(data, size);
    if (t->num == 0 && !t->task)
        return data;
    unsigned char *copy = hd_omp_alloc(size);
    for (struct registered *r = registered; r; r = r->next)
        if (r->data == data && r->make) {
            r->make(copy);
            return copy;
        }
    for (size_t k = 0; k < size; k++)
        copy[k] = byte_of(image, k);
    return copy;
}

void *__kmpc_threadprivate_cached(hd_omp_ident *loc, int32_t gtid, void *data, size_t size,
                                  void ***cache);
void *__kmpc_threadprivate_cached(hd_omp_ident *loc, int32_t gtid, void *data, size_t size,
                                  void ***cache)
{
    struct hd_omp_thread *t = hd_omp_self();
    (void)loc;
    (void)gtid;
    (void)cache;
    for (struct hd_omp_private *p = t->privates; p; p = p->next)
        if (p->data == data)
            return p->copy;
    struct hd_omp_private *p = hd_omp_alloc(sizeof *p);
    *p = (struct hd_omp_private){t->privates, data, new_copy(t, data, size)};
    t->privates = p;
    return p->copy;
}
