/* Wide strings: what the functions read and write. */
#include <pthread.h>
#include <stdio.h>
#include <wchar.h>

static wchar_t text[16], other[16];

static void *work(void *arg)
{
    wcscpy(text, L"warp"); /* RACE a */
    wcscat(other, L"weft");
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    int much = wcslen(text) > 100; /* RACE a */
    pthread_join(t, NULL);
    size_t n = wcslen(text) + wcsnlen(other, 2);
    wmemset(other + 4, L'x', 3);
    wmemcpy(text + 8, text, 5);
    printf("%zu %d %d %d\n", n, wcscmp(text, text + 8), wcsncmp(text, other, 2) != 0,
           (int)(wcschr(text, L'p') - text));
    printf("%d %d %d\n", much, wmemcmp(text, text + 8, 5), wmemchr(other, L'x', 8) == other + 4);
    return 0;
}
