/* Which build of a program or trace a file is. */
#include "campaign/unitplan.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "": the file has none. */
static void build_id(int fd, char *text, size_t size)
{
    const void *bytes = NULL;
    *text = 0;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    ssize_t n = elf && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;
    for (ssize_t i = 0; i < n && 2 * (size_t)i + 3 <= size; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
    elf_end(elf);
}

static bool content(int fd, char text[HD_CONTENT_SIZE])
{
    char part[65536];
    struct hd_content d;
    ssize_t n = 0;
    hd_content_init(&d);
    if (lseek(fd, 0, SEEK_SET) < 0)
        return false;
    while ((n = read(fd, part, sizeof part)) > 0)
        hd_content_add(&d, part, (size_t)n);
    hd_content_text(&d, text);
    return n == 0;
}

enum hd_status hd_unitplan_build(const char *path, char text[80], struct hd_err *err)
{
    char id[65], sum[HD_CONTENT_SIZE];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0;
    if (ok) {
        build_id(fd, id, sizeof id);
        ok = *id || content(fd, sum);
    }
    int why = errno;
    if (fd >= 0)
        close(fd);
    if (!ok)
        return hd_err_at(err, HD_ERR_INPUT, path, 0, "%s", strerror(why));
    snprintf(text, 80, *id ? "build-id %s" : "content %s", *id ? id : sum);
    return HD_OK;
}
