/* The build id: the note that the linker adds to the program, found through the program headers. */
#include "cli/cli.h"

#include <elf.h>
#include <link.h>
#include <string.h>

static char text[2 * 64 + 1];

static bool read_notes(const char *at, size_t len)
{
    while (len >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t name = (note.n_namesz + 3u) & ~3u, desc = (note.n_descsz + 3u) & ~3u;
        if (name + desc > len - sizeof note)
            return false;
        const char *id = at + sizeof note + name;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= 64 &&
            !memcmp(at + sizeof note, "GNU", 4)) {
            for (size_t i = 0; i < note.n_descsz; i++)
                snprintf(text + 2 * i, 3, "%02x", (unsigned char)id[i]);
            return true;
        }
        at += sizeof note + name + desc;
        len -= sizeof note + name + desc;
    }
    return false;
}

/* Called for each loaded object; the program itself comes first, and one look is enough. */
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE &&
            read_notes((const char *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz))
            break;
    }
    return 1;
}

const char *hd_cli_build_id(void)
{
    if (!text[0])
        dl_iterate_phdr(look, NULL);
    return text;
}
