/* Memory and string functions of the runtime, which look at several bytes at once, against loops of
 * single bytes: all short lengths, up to the last byte before memory that must not be touched. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

static unsigned long cases, wrong;

static void expect(int ok)
{
    cases++;
    wrong += !ok;
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static void searches(char *s, size_t len)
{
    expect(strlen(s) == len);
    expect(strnlen(s, len / 2) == len / 2);
    expect(strnlen(s, len + 1) == len);
    expect(strchr(s, 'q') == NULL);
    expect(strchr(s, 0) == s + len);
    if (len < 4)
        return;
    s[len - 3] = 'Q';
    expect(strchr(s, 'Q') == s + len - 3);
    expect(memchr(s, 'Q', len) == s + len - 3);
    expect(memchr(s, 'Q', len - 3) == NULL);
}

static void copies(char *to, const char *s, size_t len)
{
    strcpy(to, s);
    for (size_t i = 0; i <= len; i++)
        expect(to[i] == s[i]);
    expect(strcmp(to, s) == 0 && memcmp(to, s, len) == 0);
    for (size_t k = 0; k < len; k += 5) {
        char old = to[k];
        to[k] = '~';
        expect(sign(strcmp(to, s)) == 1 && sign(strcmp(s, to)) == -1);
        expect(sign(memcmp(s, to, len)) == -1 && memcmp(s, to, k) == 0);
        to[k] = old;
    }
}

static void moves(size_t len, int distance)
{
    char w[300], expected[300];
    for (int i = 0; i < 300; i++)
        w[i] = expected[i] = (char)(i * 7);
    for (size_t i = 0; i < len; i++)
        expected[(size_t)(100 + distance) + i] = w[100 + i];
    memmove(w + 100 + distance, w + 100, len);
    int same = 1;
    for (int i = 0; i < 300; i++)
        same &= w[i] == expected[i];
    expect(same);
}

static void fills(size_t len, int byte)
{
    unsigned char w[200];
    int same = 1;
    for (int i = 0; i < 200; i++)
        w[i] = 1;
    memset(w + 20, byte, len);
    for (size_t i = 0; i < 200; i++)
        same &= w[i] == (i >= 20 && i < 20 + len ? byte : 1);
    expect(same);
}

static void *nothing(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    char *m = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED || mprotect(m + PAGE, PAGE, PROT_NONE))
        return 2;
    for (size_t len = 0; len < 90; len++) {
        for (size_t behind = 0; behind < 10; behind++) {
            char *s = m + PAGE - len - 1 - behind;
            for (size_t i = 0; i < len; i++)
                s[i] = (char)('a' + i % 7);
            s[len] = 0;
            memset(s + len + 1, 'z', behind);
            searches(s, len);
            copies(m + 2 * PAGE + behind, s, len);
            moves(len, (int)behind * 2 - 9);
            fills(len, (int)behind + 200);
        }
    }
    printf("%lu cases, %lu wrong\n", cases, wrong);
    return wrong != 0;
}
