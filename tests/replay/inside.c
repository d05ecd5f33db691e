/* Races that need a thread in the middle of a call, and races of calls that wait for bytes.
 *
 * The receiver looks at what the sender copied first (`kind`) and uses what is copied later: only a
 * stop inside the copy has both threads before their accesses to `data`. The reader of the pipe
 * writes into a buffer that another thread looks at. Two threads take bytes out of one pipe: who
 * comes first gets other bytes. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct message {
    int kind;
    char data[20];
} box;
static char line[8];
static int ends[2], seen;

static void *sender(void *arg)
{
    struct message mine = {1, "hello"};
    memcpy(&box, &mine, sizeof box);
    return arg;
}

static void *receiver(void *arg)
{
    if (box.kind == 1)
        seen += box.data[4] == 'o';
    return arg;
}

static void *reader(void *arg)
{
    if (read(ends[0], line, 2) != 2)
        seen++;
    return arg;
}

static void *looker(void *arg)
{
    if (line[1])
        seen += 2;
    return arg;
}

int main(void)
{
    void *(*work[])(void *) = {sender, receiver, reader, reader, looker};
    pthread_t t[5];
    if (pipe(ends) != 0 || write(ends[1], "abcd", 4) != 4)
        return 1;
    for (int i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, work[i], NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", seen > 0);
    return 0;
}
