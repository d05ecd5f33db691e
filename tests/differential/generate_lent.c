/* Writes a random C program that lends memory of its stack: generate_lent SEED >program.c
 *
 * The first thread works on a buffer of its own in stretches; between them it gives workers a
 * pointer to it through a mailbox under a lock, and waits until they are done, or does not. The
 * workers use it inside of their section, behind it, and now and then when they have said that they
 * are done. Accesses have 1 to 16 bytes and stand on lines of their own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 2, LENDS = 5, BYTES = 16 };

static uint64_t state;

static unsigned pick(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state * 0x2545F4914F6CDD1Du) >> 33) % n;
}

/* "*(int *)(p + 4)": mostly aligned. */
static void print_cell(const char *p)
{
    static const struct {
        const char *type;
        unsigned size;
    } cells[] = {{"char", 1}, {"short", 2}, {"int", 4}, {"long", 8}, {"long", 8}};
    unsigned i = pick(5), size = cells[i].size;
    unsigned at = pick(8) ? pick(BYTES / size) * size : pick(BYTES - size + 1);
    printf("*(%s *)(%s + %u)", cells[i].type, p, at);
}

static void print_write(const char *p)
{
    print_cell(p);
    printf(" = %u;\n", pick(100));
}

static void print_access(const char *p)
{
    switch (pick(9)) {
    case 0:
    case 1:
    case 2:
        print_write(p);
        break;
    case 3:
        print_cell(p);
        printf(" += 3;\n");
        break;
    case 4:
        print_cell(p);
        printf(" = own_sum;\n");
        break;
    case 5:
        printf("if (");
        print_cell(p);
        printf(" & 1) own_sum ^= 5;\n");
        break;
    case 6:
        printf("memset(%s + %u, %u, %u);\n", p, pick(8), pick(9), 1 + pick(8));
        break;
    case 7:
        printf("memcpy(%s, %s + 8, 8);\n", p, p);
        break;
    default:
        printf("own_sum += ");
        print_cell(p);
        printf(";\n");
    }
}

static void print_accesses(const char *p, unsigned most)
{
    for (unsigned n = pick(most + 1); n > 0; n--)
        print_access(p);
}

static void print_section(const char *p)
{
    printf("pthread_mutex_lock(&lock);\n");
    print_accesses(p, 2);
    printf("pthread_mutex_unlock(&lock);\n");
}

/* Steps that touch nothing else. */
static void print_delay(void)
{
    printf("for (int k = 0; k < %u; k++)\nown_sum ^= k;\n", pick(60));
}

/* What goes on to memory that all threads use. */
static void print_common(void)
{
    switch (pick(3)) {
    case 0:
        printf("common = own_sum;\n");
        break;
    case 1:
        printf(
            "pthread_mutex_lock(&lock);\ncommon += own_sum & 3;\npthread_mutex_unlock(&lock);\n");
        break;
    default:
        printf("if (common & 1)\nown_sum++;\n");
    }
}

static void print_stretch(const char *p)
{
    printf("for (int k = 0; k < %u; k++) {\n", 1 + pick(12));
    for (unsigned n = 1 + pick(2); n > 0; n--)
        print_write(p);
    print_accesses(p, 4);
    if (!pick(4))
        print_section(p);
    printf("}\n");
    if (!pick(3))
        print_section(p);
    print_accesses(p, 3);
    if (!pick(3))
        print_common();
}

static void print_worker(unsigned w, unsigned lends)
{
    printf("static void *worker%u(void *arg)\n{\nlong own_sum = 0;\n", w);
    for (unsigned i = 0; i < lends; i++) {
        printf("pthread_mutex_lock(&lock);\n");
        printf("while (given[%u] <= %u)\npthread_cond_wait(&cond, &lock);\n", w, i);
        printf("{ char *p = box[%u];\n", w);
        if (pick(2))
            print_accesses("p", 2);
        printf("pthread_mutex_unlock(&lock);\n");
        print_accesses("p", 3);
        printf("pthread_mutex_lock(&lock);\ndone[%u]++;\n", w);
        printf("pthread_cond_broadcast(&cond);\npthread_mutex_unlock(&lock);\n");
        if (!pick(6)) {
            print_delay();
            print_access("p"); /* too late */
        }
        printf("}\n");
    }
    printf("common += own_sum;\nreturn arg;\n}\n");
}

static void print_lend(unsigned w, unsigned i)
{
    printf("pthread_mutex_lock(&lock);\nbox[%u] = p;\ngiven[%u]++;\n", w, w);
    printf("pthread_cond_broadcast(&cond);\npthread_mutex_unlock(&lock);\n");
    if (!pick(6))
        print_access("p"); /* too early */
    if (!pick(6))
        return;
    printf("pthread_mutex_lock(&lock);\nwhile (done[%u] <= %u)\n", w, i);
    printf("pthread_cond_wait(&cond, &lock);\npthread_mutex_unlock(&lock);\n");
}

int main(int argc, char **argv)
{
    unsigned lends[WORKERS] = {0}, order[LENDS];
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15u + 1 : 1;
    for (int i = 0; i < LENDS; i++)
        lends[order[i] = pick(WORKERS)]++;
    printf("#include <pthread.h>\n#include <string.h>\n");
    printf("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n");
    printf("static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\n");
    printf("static char *box[%d];\nstatic int given[%d], done[%d];\nstatic long common;\n", WORKERS,
           WORKERS, WORKERS);
    for (unsigned w = 0; w < WORKERS; w++)
        print_worker(w, lends[w]);
    printf("int main(void)\n{\nlong own_sum = 0;\n_Alignas(16) char p[%d];\npthread_t t[%d];\n",
           BYTES, WORKERS);
    for (unsigned w = 0; w < WORKERS; w++)
        printf("pthread_create(&t[%u], NULL, worker%u, NULL);\n", w, w);
    unsigned so_far[WORKERS] = {0};
    for (int i = 0; i < LENDS; i++) {
        print_stretch("p");
        print_lend(order[i], so_far[order[i]]++);
    }
    print_stretch("p");
    for (unsigned w = 0; w < WORKERS; w++)
        printf("pthread_join(t[%u], NULL);\n", w);
    printf("return own_sum == 77;\n}\n");
    return 0;
}
