/* Object files that are given to the wrapper ready-made: were they compiled for a sanitizer whose
 * runtime cannot be in one program with ours? Each calls its runtime's first function. */
#include "cli/cc.h"

#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *calls, *option;
} others[] = {{"__asan_init", "-fsanitize=address"},
              {"__hwasan_init", "-fsanitize=hwaddress"},
              {"__msan_init", "-fsanitize=memory"}};

static const char *option_of(Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym sym;
    for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
        const char *name = elf_strptr(elf, head->sh_link, sym.st_name);
        for (size_t k = 0; name && k < sizeof others / sizeof *others; k++)
            if (sym.st_shndx == SHN_UNDEF && strcmp(name, others[k].calls) == 0)
                return others[k].option;
    }
    return NULL;
}

static const char *look_at(Elf *elf)
{
    const char *option = NULL;
    Elf_Scn *section = NULL;
    GElf_Ehdr file;
    GElf_Shdr head;
    if (!gelf_getehdr(elf, &file) || file.e_type != ET_REL)
        return NULL; /* the program of an earlier build, after -o */
    while (!option && (section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, &head) && head.sh_type == SHT_SYMTAB)
            option = option_of(elf, section, &head);
    return option;
}

/* An object, or an archive of them. */
static const char *look_in(int fd)
{
    const char *option = NULL;
    Elf *file = elf_begin(fd, ELF_C_READ, NULL), *elf;
    if (elf_kind(file) == ELF_K_ELF)
        option = look_at(file);
    Elf_Cmd next = ELF_C_READ;
    while (!option && elf_kind(file) == ELF_K_AR && (elf = elf_begin(fd, next, file)) != NULL) {
        if (elf_kind(elf) == ELF_K_ELF)
            option = look_at(elf);
        next = elf_next(elf);
        elf_end(elf);
    }
    elf_end(file);
    return option;
}

const char *hd_cc_objects_clash(int argc, char **argv, const char **option)
{
    elf_version(EV_CURRENT);
    for (int i = 0; i < argc; i++) {
        int fd = argv[i][0] == '-' ? -1 : open(argv[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        *option = look_in(fd);
        close(fd);
        if (*option)
            return argv[i];
    }
    return NULL;
}
