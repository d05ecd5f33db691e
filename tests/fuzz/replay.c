/* Runs a fuzz target on files instead of under libFuzzer: the corpus and old findings, in every
 * suite. Arguments: files or folders (their files, in order of name). At least one file must be
 * there. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *data = NULL;
    size_t len;
    if (!in)
        return 0;
    FILE *out = open_memstream(&data, &len);
    for (int c; (c = getc(in)) != EOF;)
        putc(c, out);
    fclose(in);
    fclose(out);
    fprintf(stderr, "%s\n", path);
    /* An exact copy, so that reading past the end is noticed by the sanitizer. */
    uint8_t *exact = malloc(len ? len : 1);
    memcpy(exact, data, len);
    LLVMFuzzerTestOneInput(exact, len);
    free(exact);
    free(data);
    return 1;
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **entries;
        int n = scandir(argv[i], &entries, not_hidden, alphasort);
        if (n < 0) {
            files += run_file(argv[i]);
            continue;
        }
        for (int j = 0; j < n; j++) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", argv[i], entries[j]->d_name);
            files += run_file(path);
            free(entries[j]);
        }
        free(entries);
    }
    fprintf(stderr, "%d files\n", files);
    return files ? 0 : 1;
}
