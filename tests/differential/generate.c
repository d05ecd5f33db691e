/* Writes a random multithreaded C program: generate SEED [free] >program.c
 *
 * The programs are made so that two detectors can be compared by line. Every access stands on a
 * line of its own. No branch depends on shared memory and no call may fail or choose, so every
 * schedule runs the same lines: a race that any run shows is then a race in the neighbourhood of
 * every run. They end under every schedule: locks are taken in one order, and a thread waits only
 * for what its creator did before creating it or for threads it created itself. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { VARIABLES = 4, LOCKS = 3, DEPTH = 3, THREADS_MAX = 4 };

static uint64_t state;
static int free_form;

static unsigned pick(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state * 0x2545F4914F6CDD1Du) >> 33) % n;
}

static void indent(int depth)
{
    for (int i = 0; i < depth; i++)
        fputs("    ", stdout);
}

static void access_line(int depth)
{
    indent(depth);
    switch (pick(6)) {
    case 0:
        printf("g%u = %u;\n", pick(VARIABLES), pick(9));
        break;
    case 1:
        printf("sink += g%u;\n", pick(VARIABLES));
        break;
    case 2:
        printf("box->f%u = (short)%u;\n", pick(2), pick(9));
        break;
    case 3:
        printf("sink += box->f%u;\n", pick(2));
        break;
    case 4:
        printf("array[%u] = (char)%u;\n", pick(3), pick(9));
        break;
    default:
        printf("g%u++;\n", pick(VARIABLES));
        break;
    }
}

static void atomic_line(int depth)
{
    static const char *const forms[] = {"atomic_store(&a%u, 1);\n", "sink += atomic_load(&a%u);\n",
                                        "atomic_fetch_add(&a%u, 2);\n"};
    indent(depth);
    printf(forms[pick(3)], pick(2));
}

static void body(int depth, unsigned first_lock);

static void section(int depth, unsigned lock)
{
    static const char *const open[] = {"pthread_mutex_lock(&m%u);\n",
                                       "pthread_rwlock_rdlock(&rw%u);\n",
                                       "pthread_rwlock_wrlock(&rw%u);\n"};
    static const char *const close[] = {"pthread_mutex_unlock(&m%u);\n",
                                        "pthread_rwlock_unlock(&rw%u);\n",
                                        "pthread_rwlock_unlock(&rw%u);\n"};
    unsigned kind = pick(3);
    indent(depth);
    printf(open[kind], lock);
    body(depth, lock + 1);
    indent(depth);
    printf(close[kind], lock);
}

static void loop(int depth, unsigned first_lock)
{
    indent(depth);
    printf("for (int i%d = 0; i%d < %u; i%d++) {\n", depth, depth, 2 + pick(2), depth);
    body(depth + 1, first_lock);
    indent(depth);
    puts("}");
}

static void choice(int depth, unsigned first_lock)
{
    static const char *const forms[] = {"if (g%u > 2) {\n", "if (box->f%u == 0) {\n",
                                        "while (atomic_fetch_add(&w%u, 1) < 4) {\n",
                                        "if (sem_trywait(&spare%u) == 0) {\n"};
    indent(depth);
    printf(forms[pick(4)], pick(2));
    body(depth + 1, first_lock);
    indent(depth);
    puts("}");
    if (pick(2)) {
        indent(depth);
        printf("sem_post(&spare%u);\n", pick(2));
    }
}

static void attempt(int depth, unsigned lock)
{
    indent(depth);
    printf("if (pthread_mutex_trylock(&m%u) == 0) {\n", lock);
    body(depth + 1, lock + 1);
    indent(depth + 1);
    printf("pthread_mutex_unlock(&m%u);\n", lock);
    indent(depth);
    puts("}");
}

/* Accesses whose addresses were read, some of them more than once. */
static void pointed(int depth, unsigned first_lock)
{
    static const char *const forms[] = {
        "q->x = %u;\n",        "sink += q->y + %u;\n",    "cells[q->x & 3] = (char)%u;\n",
        "q->y = q->x + %u;\n", "cells[g%u & 3]++;\n",     "top = &nodes[%u];\n",
        "if (q->y < %u)\n",    "memset(cells, %u, 3);\n", "sink += pair->x + %u;\n"};
    indent(depth);
    puts("{");
    indent(depth + 1);
    puts("struct node *q = top;");
    unsigned lines = 2 + pick(5);
    for (unsigned i = 0; i < lines; i++) {
        indent(depth + 1);
        printf(forms[pick(9)], pick(3));
    }
    body(depth + 1, first_lock);
    indent(depth + 1);
    puts("sink += cells[q->y & 3];");
    indent(depth);
    puts("}");
}

static void body(int depth, unsigned first_lock)
{
    unsigned lines = 1 + pick(4);
    for (unsigned i = 0; i < lines; i++) {
        unsigned what = pick(10);
        if (what < 2 && first_lock < LOCKS && depth < DEPTH)
            section(depth, first_lock + pick(LOCKS - first_lock));
        else if (what == 2 && depth < DEPTH)
            loop(depth, first_lock);
        else if (what == 3)
            atomic_line(depth);
        else if (what == 4 && free_form && depth < DEPTH)
            choice(depth, first_lock);
        else if (what == 5 && free_form && depth < DEPTH && first_lock < LOCKS)
            attempt(depth, first_lock + pick(LOCKS - first_lock));
        else if (what == 6 && free_form && depth < DEPTH)
            pointed(depth, first_lock);
        else
            access_line(depth);
    }
}

static void thread_function(unsigned n, int waits)
{
    printf("static void *thread%u(void *unused) {\n    long sink = 0;\n", n);
    if (waits)
        printf("    sem_wait(&ready%u);\n", n);
    body(1, 0);
    printf("    pthread_mutex_lock(&end);\n    total += sink;\n    pthread_mutex_unlock(&end);\n");
    printf("    return unused;\n}\n");
}

static void globals(void)
{
    puts(
        "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdio.h>\n"
        "#include <stdlib.h>\n#include <string.h>\n"
        "static struct node { int x, y; long z; } nodes[3], *top = nodes, *pair = &nodes[2];\n"
        "static char cells[4];\n"
        "static struct { short f0, f1; } *box;\nstatic char array[3];\nstatic long total;\n"
        "static pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;\nstatic atomic_int w0, w1, a0, "
        "a1;\nstatic sem_t spare0, spare1;");
    for (int i = 0; i < VARIABLES; i++)
        printf("static int g%d;\n", i);
    for (int i = 0; i < LOCKS; i++)
        printf("static pthread_mutex_t m%d = PTHREAD_MUTEX_INITIALIZER;\n"
               "static pthread_rwlock_t rw%d = PTHREAD_RWLOCK_INITIALIZER;\n",
               i, i);
}

static void main_function(unsigned threads, const int *waits)
{
    puts("int main(void) {\n    long sink = 0;\n    pthread_t t[4];");
    puts("    box = calloc(1, sizeof *box);\n    sem_init(&spare0, 0, 1);\n    sem_init(&spare1, "
         "0, 0);");
    for (unsigned i = 0; i < threads; i++)
        if (waits[i])
            printf("    sem_init(&ready%u, 0, 0);\n", i);
    unsigned joined = 0;
    for (unsigned i = 0; i < threads; i++) {
        access_line(1);
        printf("    pthread_create(&t[%u], 0, thread%u, 0);\n", i, i);
        if (pick(3) == 0)
            access_line(1);
        if (waits[i])
            printf("    sem_post(&ready%u);\n", i);
        if (pick(4) == 0) {
            for (; joined <= i; joined++)
                printf("    pthread_join(t[%u], 0);\n", joined);
            access_line(1);
        }
    }
    for (; joined < threads; joined++)
        printf("    pthread_join(t[%u], 0);\n", joined);
    puts("    printf(\"%d\\n\", total + sink > 0);\n    free(box);\n    return 0;\n}");
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    free_form = argc > 2;
    state = (strtoull(argv[1], NULL, 10) + 1) * 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 8; i++)
        pick(2);
    unsigned threads = 2 + pick(THREADS_MAX - 1);
    int waits[THREADS_MAX];
    globals();
    for (unsigned i = 0; i < threads; i++) {
        waits[i] = pick(3) == 0;
        if (waits[i])
            printf("static sem_t ready%u;\n", i);
        thread_function(i, waits[i]);
    }
    main_function(threads, waits);
    return 0;
}
