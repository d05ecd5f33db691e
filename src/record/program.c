#include "record/program.h"

#include "abi/rt_apis.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Like execvp: the first executable one in PATH. */
static bool search(const char *name, char *path, size_t size)
{
    const char *dirs = getenv("PATH");
    dirs = dirs ? dirs : "/bin:/usr/bin";
    while (*dirs) {
        size_t n = strcspn(dirs, ":");
        int len = snprintf(path, size, "%.*s%s%s", (int)n, dirs, n ? "/" : "", name);
        if (len > 0 && (size_t)len < size && is_file(path) && access(path, X_OK) == 0)
            return true;
        dirs += n + (dirs[n] == ':');
    }
    return false;
}

static bool for_us(const char *path)
{
    Elf64_Ehdr head = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, &head, sizeof head);
    if (fd >= 0)
        close(fd);
    if (n < SELFMAG || memcmp(head.e_ident, ELFMAG, SELFMAG))
        return true; /* a script, or unreadable: the kernel will say */
    return head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == EM_X86_64;
}

enum hd_status hd_program_find(const char *name, char *path, size_t size, struct hd_err *err)
{
    bool found;
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        found = access(path, F_OK) == 0;
    } else {
        found = search(name, path, size);
    }
    if (!found)
        return hd_err_set(err, HD_ERR_INPUT, "there is no program %s", name);
    if (!is_file(path) || access(path, X_OK))
        return hd_err_set(err, HD_ERR_INPUT, "%s may not be executed", name);
    if (!for_us(path))
        return hd_err_set(err, HD_ERR_INPUT, "%s is not a program for this machine", name);
    return HD_OK;
}

static const char *const modelled[] = {
#define HD_API_NAME(group, ret, name, params, dep, text) #name,
    HD_APIS(HD_API_NAME)
#undef HD_API_NAME
};

/* Families whose members order threads, wait for one another, or access memory for the caller. */
static const char *const families[] = {
    "pthread_mutex_",
    "pthread_rwlock_",
    "pthread_cond_",
    "pthread_barrier_",
    "pthread_spin_",
    "sem_",
    "mq_",
    "mtx_",
    "cnd_",
    "thrd_",
    "GOMP_",
    "__kmpc_",
    "omp_set_lock",
    "omp_unset_lock",
    "aio_",
    "io_uring_",
    "swapcontext",
    "makecontext",
    "setcontext",
    "msgrcv",
    "msgsnd",
    "semop",
    "semtimedop",
    "clone",
    "timer_create",
    "timerfd_settime", /* these know nothing of the virtual clock */
    "setitimer",
    "alarm",
    "recvmmsg",
    "sendmmsg",
    "sendfile",
    "splice",
    "vmsplice",
    "epoll_pwait2",
    "pthread_atfork",
    "wcs", /* these access memory */
    "wmem",
    "wcp",
};
/* Members of those families that do not. */
static const char *const harmless[] = {
    "thrd_current", "thrd_equal", "thrd_exit", "pthread_cond_attr",
    "sem_unlink",   "mq_unlink",  "wcsftime",
};

static bool in_list(const char *name, const char *const *list, size_t n, bool prefix)
{
    for (size_t i = 0; i < n; i++)
        if (prefix ? !strncmp(name, list[i], strlen(list[i])) : !strcmp(name, list[i]))
            return true;
    return false;
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What libheddle_omp.so defines. */
static bool is_openmp(const char *name)
{
    return !strncmp(name, "__kmpc_", 7) || !strncmp(name, "omp_", 4);
}

static void look_at(const char *name, struct hd_remarks *remarks)
{
    if (!in_list(name, families, COUNT(families), true) ||
        in_list(name, modelled, COUNT(modelled), false) ||
        in_list(name, harmless, COUNT(harmless), true) || strstr(name, "attr"))
        return;
    hd_remarks_addf(remarks, HD_REMARK_UNMODELLED, "the program imports %.200s", name);
}

struct symbols {
    void (*see)(struct symbols *s, const char *name, bool defined);
    bool openmp; /* the program uses our OpenMP */
    struct hd_remarks *remarks;
    struct hd_names *names;
};

static void look_at_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct symbols *s)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
    for (size_t i = 0; i < n && i < INT32_MAX; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym))
            continue;
        const char *name = elf_strptr(elf, head->sh_link, sym.st_name);
        if (name && *name)
            s->see(s, name, sym.st_shndx != SHN_UNDEF);
    }
}

/* The dynamic symbols of an ELF file. */
static void each_symbol(const char *path, struct symbols *s)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    GElf_Shdr head;
    while (elf && (section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &head) && head.sh_type == SHT_DYNSYM)
            look_at_section(elf, section, &head, s);
    if (elf)
        elf_end(elf);
    close(fd);
}

/* ---- is it instrumented? ---- */

static const char *const plain_libraries[] = {
    "libc.so.",  "libm.so.", "libpthread.so.", "libdl.so.",
    "librt.so.", "ld-linux", "libstdc++.so.",  "libgcc_s.so.",
};
/* A program that calls these may start or load something that is. */
static const char *const starters[] = {"exec", "fexec", "posix_spawn", "system", "popen", "dlopen"};

struct look {
    bool ours, tsan, openmp, others, starts, dynamic, concolic;
    bool libc, behind; /* behind: the C library is named before ours */
};

static void look_at_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct look *l)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
    l->dynamic = true;
    for (size_t i = 0; i < n && i < INT32_MAX; i++) {
        GElf_Dyn dyn;
        if (!gelf_getdyn(data, (int)i, &dyn) || dyn.d_tag != DT_NEEDED)
            continue;
        const char *name = elf_strptr(elf, head->sh_link, dyn.d_un.d_val);
        if (!name)
            continue;
        const char *slash = strrchr(name, '/');
        name = slash ? slash + 1 : name;
        l->libc = l->libc || !strncmp(name, "libc.so.", 8);
        if (!strncmp(name, "libheddle_rt.", 13)) {
            l->ours = true;
            l->behind = l->libc;
        } else if (!strncmp(name, "libheddle_omp.", 14))
            l->openmp = true;
        else if (!strncmp(name, "libtsan.", 8))
            l->tsan = true;
        else if (!in_list(name, plain_libraries, COUNT(plain_libraries), true))
            l->others = true;
    }
}

static void look_at_imports(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct look *l)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
    for (size_t i = 0; i < n && i < INT32_MAX; i++) {
        GElf_Sym sym;
        if (!gelf_getsym(data, (int)i, &sym))
            continue;
        const char *name = elf_strptr(elf, head->sh_link, sym.st_name);
        if (!name)
            continue;
        l->concolic |= !strncmp(name, "__hd_sym_", 9);
        if (sym.st_shndx == SHN_UNDEF)
            l->starts |= in_list(name, starters, COUNT(starters), true);
        else
            l->tsan |= !strcmp(name, "__tsan_init"); /* clang puts its runtime into the program */
    }
}

/* false: it cannot be opened. */
static bool look_at_file(const char *path, struct look *l)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    GElf_Shdr head;
    while (elf && (section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &head))
            continue;
        if (head.sh_type == SHT_DYNAMIC)
            look_at_needed(elf, section, &head, l);
        else if (head.sh_type == SHT_DYNSYM)
            look_at_imports(elf, section, &head, l);
    }
    if (elf)
        elf_end(elf);
    close(fd);
    return true;
}

bool hd_program_may_be_concolic(const char *path)
{
    struct look l = {0};
    /* Its own libraries may be. */
    return !look_at_file(path, &l) || !l.ours || l.others || l.concolic;
}

/* Whether the file has the name, with the zero that ends it. What comes before is not looked at:
 * the linker lets a text be the end of another. */
static bool file_has(const char *path, const char *name)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    bool sized = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0;
    void *at = sized ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    bool has = at == MAP_FAILED || memmem(at, (size_t)st.st_size, name, strlen(name) + 1);
    if (at != MAP_FAILED)
        munmap(at, (size_t)st.st_size);
    if (fd >= 0)
        close(fd);
    return has;
}

bool hd_program_may_be_behind(const char *path)
{
    struct look l = {0};
    return look_at_file(path, &l) && !l.tsan && (l.ours ? l.behind : l.others) &&
           file_has(path, "ld-linux-x86-64.so.2");
}

bool hd_program_may_call(const char *path, const char *name)
{
    struct look l = {0};
    return !look_at_file(path, &l) || !l.ours || l.others || l.starts || file_has(path, name);
}

enum hd_program_kind hd_program_kind(const char *path)
{
    struct look l = {0};
    if (!look_at_file(path, &l))
        return HD_PROGRAM_UNKNOWN;
    if (l.ours)
        return HD_PROGRAM_INSTRUMENTED;
    if (l.tsan)
        return HD_PROGRAM_TSAN;
    return !l.dynamic || l.others || l.starts ? HD_PROGRAM_UNKNOWN : HD_PROGRAM_NOT;
}

/* ---- what is not modelled ---- */

static void see_import(struct symbols *s, const char *name, bool defined)
{
    if (!defined && !(s->openmp && is_openmp(name)))
        look_at(name, s->remarks);
}

void hd_program_unmodelled(const char *path, struct hd_remarks *remarks)
{
    struct look l = {0};
    if (!look_at_file(path, &l))
        return;
    struct symbols s = {.see = see_import, .openmp = l.openmp, .remarks = remarks};
    each_symbol(path, &s);
}

static void see_entry(struct symbols *s, const char *name, bool defined)
{
    if (defined && is_openmp(name))
        hd_names_add(s->names, name, strlen(name));
}

void hd_program_openmp(const char *path, struct hd_names *names)
{
    struct symbols s = {.see = see_entry, .names = names};
    each_symbol(path, &s);
}
