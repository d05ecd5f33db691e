/* Formats read and write memory: snprintf races with a reader of its buffer, %n writes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[32] = "x";
static int n, a, b;
static char word[16];

static void *work(void *arg)
{
    snprintf(line, sizeof line, "%s-%d%n", (char *)arg, 42, &n); /* RACE a */
    return NULL;
}

int main(void)
{
    pthread_t t;
    char own[] = "abc", *made = NULL;
    pthread_create(&t, NULL, work, own);
    size_t len = strlen(line); /* RACE a */
    pthread_join(t, NULL);
    printf("%s %d %d\n", line, n, len > 0);
    printf("scan %d\n", sscanf(line, "%3s-%d", word, &a));
    printf("%s %d\n", word, a);
    sprintf(line, "%5.2f|%-4s|%*d", 1.5, "ab", 3, 7);
    puts(line);
    int r = asprintf(&made, "%s:%x", word, 255);
    printf("%d %s\n", r, made);
    free(made);
    sscanf("12 34", "%*d %d", &b);
    printf("b %d\n", b);
    return 0;
}
