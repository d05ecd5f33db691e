/* Streams of files: written by one thread, read back by another, lines of any length. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;
static char text[64];

static void *writer(void *arg)
{
    fputs("first line\n", file);
    fprintf(file, "%d %s\n", 17, (char *)arg);
    fputc('z', file);
    fwrite("raw\n", 1, 4, file);
    return NULL;
}

int main(void)
{
    pthread_t t;
    char word[] = "seventeen", *line = NULL;
    size_t cap = 0;
    int number;
    file = tmpfile();
    pthread_create(&t, NULL, writer, word);
    pthread_join(t, NULL);
    rewind(file);
    printf("%s", fgets(text, sizeof text, file));
    printf("%d\n", fscanf(file, "%d %15s\n", &number, text));
    printf("%d %s %c\n", number, text, fgetc(file));
    printf("%zd\n", getline(&line, &cap, file));
    printf("%s%d\n", line, fgetc(file) == EOF && feof(file));
    fseek(file, 2, SEEK_SET);
    size_t n = fread(text, 1, 5, file);
    printf("%zu %ld\n", n, ftell(file));
    free(line);
    fclose(file);
    return 0;
}
