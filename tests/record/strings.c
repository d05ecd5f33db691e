/* Memory and string functions are accesses of what they touch. no outside writes */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char a[16] = "one", b[32], c[32];
static long mixed;

static void *work(void *arg)
{
    (void)arg;
    memcpy(b, a, 4);
    memmove(b + 1, b, 4);
    memset(c, 'x', 8);
    strcpy(c + 8, a);
    strcat(c, "+");
    strncpy(b + 8, a, 8);
    strncat(b, "zz", 1);
    memset(&mixed, 0, sizeof mixed);
    ((char *)&mixed)[1] = 1;
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    char *d = strdup(c);
    printf("%s %s %d %d %zu %ld %d %s\n", b, c, strcmp(a, "onf") < 0, memcmp(a, "on", 2), strlen(c),
           mixed, strchr(c, 'o') - c == 8, strrchr(d, 'x') ? "x" : "-");
    free(d);
    return 0;
}
