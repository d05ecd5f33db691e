/* A stream into memory is named: libc writes its buffer when it likes to. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    fprintf(f, "heddle %d", 7);
    fclose(f);
    printf("%s %zu\n", text, n);
    free(text);
    return 0;
}
