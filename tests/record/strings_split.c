/* Functions that cut texts into pieces, and rarer ones of the copying kind. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char text[32], pieces[32] = "a,b", *rest = pieces;
char other[32];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void split(void)
{
    char list[] = ",one,two;;three", *at, *left = list;
    for (char *p = strtok(list, ",;"); p; p = strtok(NULL, ",;"))
        printf("[%s]", p);
    strcpy(list, ",one,two;;three");
    for (char *p = strtok_r(list, ",;", &at); p; p = strtok_r(NULL, ",;", &at))
        printf("(%s)", p);
    strcpy(list, ",one,two;;three");
    for (char *p = strsep(&left, ",;"); p; p = strsep(&left, ",;"))
        printf("<%s>", p);
    printf("\n");
}

static void copy(void)
{
    char *end = stpncpy(text, "stpncpy", 10);
    printf("%s %d\n", text, (int)(end - text));
    end = memccpy(text, "up to: here", ':', sizeof text);
    printf("%.6s %d %d\n", text, (int)(end - text), memccpy(text, "ab", 'x', 2) == NULL);
    bcopy(text, text + 2, 6);
    printf("%.8s\n", text);
    bzero(text, 4);
    explicit_bzero(text + 4, 4);
    printf("%d %d\n", text[3], text[7]);
    printf("%s %d\n", (char *)memmem("haystack", 8, "st", 2),
           strcasestr("HAYSTACK", "sta") != NULL);
    printf("%ld %lld %g %g %d %d\n", atol("12"), atoll("-7x"), atof("1.5"),
           (double)strtof("2.5z", NULL), strcoll("a", "b") < 0, strverscmp("a9", "a10") < 0);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    split();
    copy();
    pthread_mutex_unlock(&lock);
    memccpy(other, "other", 0, sizeof other); /* RACE a */
    strsep(&rest, ",");                       /* RACE b */
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    bzero(other, 3); /* RACE a */
    rest = NULL;     /* RACE b */
    pthread_join(t, NULL);
    return 0;
}
