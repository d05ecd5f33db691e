/* Block and string functions: lines are built, copied, searched and compared. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define LINES   64
#define WIDTH   128

static char lines[THREADS][LINES][WIDTH];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;
static int rounds;

static void *work(void *arg)
{
    char(*mine)[WIDTH] = arg, buffer[WIDTH];
    unsigned long sum = 0;
    for (int r = 0; r < rounds; r++) {
        char *line = mine[r % LINES];
        memset(line, 'a' + r % 26, WIDTH - 1);
        memcpy(line + 8, "key=", 4);
        strcpy(buffer, line);
        buffer[20 + r % 50] = 0;
        sum += strlen(buffer);
        if (strcmp(buffer, mine[(r + 1) % LINES]) < 0)
            memmove(line, line + 4, WIDTH - 8);
        char *key = strchr(line, '=');
        sum += key ? (unsigned long)(key - line) : 0;
        for (int i = 0; i < WIDTH - 1; i += 3)
            line[i] ^= 1;
        if (r % 100 == 0) {
            pthread_mutex_lock(&lock);
            total += sum;
            pthread_mutex_unlock(&lock);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    rounds = 15000 * (argc > 1 ? atoi(argv[1]) : 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, lines[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%lu\n", total);
    return 0;
}
