/* Prints everything that would differ from run to run. A replay must print the same; and the thread
 * that starts second gets its own random numbers in either order. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static int flag, result;
static unsigned numbers[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
    getrandom(&numbers[0], sizeof numbers[0], 0);
    flag = 1;
    pthread_mutex_lock(&lock);
    result = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&lock);
    result = 2;
    pthread_mutex_unlock(&lock);
    getrandom(&numbers[1], sizeof numbers[1], 0);
    return flag ? arg : NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    char line[100] = "nothing";
    uint64_t random;
    int fd = open("/dev/urandom", O_RDONLY);
    if (read(fd, &random, sizeof random) != sizeof random)
        return 1;
    srand((unsigned)time(NULL));
    printf("pid %d, urandom %llu, rand %d, word %s, environment %s\n", (int)getpid(),
           (unsigned long long)random, rand(), argc > 1 ? argv[1] : "none", getenv("INPUT_TEST"));
    ssize_t n = read(0, line, sizeof line - 1);
    line[n > 0 ? n : 0] = 0;
    printf("date %lld, stack %p, heap %p, input %s\n", (long long)time(NULL), (void *)t, malloc(10),
           line);
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("numbers %u %u\n", numbers[0], numbers[1]);
    return 0;
}
