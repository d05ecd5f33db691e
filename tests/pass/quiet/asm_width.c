/* Assembly gets its memory as a char, whatever it moves there: the mnemonic has the width (as in
 * Concurrency Kit). */
#include <pthread.h>

struct message {
    struct message *next;
    int *value;
};

static void publish(struct message **at, struct message *m)
{
    __asm__ __volatile__("movq %1, %0" : "=m"(*(char *)at) : "r"(m) : "memory");
}

static struct message *look(struct message **at)
{
    struct message *m;
    __asm__ __volatile__("movq %1, %0" : "=r"(m) : "m"(*(char *)at) : "memory");
    return m;
}

static struct message *box;
static int quiet, loud0;

static void *send(void *arg)
{
    static struct message m
        __attribute__((aligned(256))); /* its first byte is 0, as that of NULL */
    m.value = &quiet;
    quiet = 1;
    publish(&box, &m);
    loud0++;
    return arg;
}

int main(void)
{
    struct message *m;
    pthread_t t;
    pthread_create(&t, NULL, send, NULL);
    while (!(m = look(&box)))
        ;
    ++*m->value;
    loud0++;
    pthread_join(t, NULL);
    return 0;
}
