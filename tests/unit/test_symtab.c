/* symbols/symtab.h against libdwfl: both give each place of a function the same name, and know the
 * same variables. */
#include "symbols/symtab.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int no_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **out)
{
    (void)mod, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)out;
    return -1;
}

static int no_elf(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, char **file,
                  Elf **elf)
{
    (void)mod, (void)user, (void)name, (void)base, (void)file, (void)elf;
    return -1;
}

static void same_name(struct hd_symtab *f, Dwfl_Module *mod, uint64_t pc)
{
    const char *ours = hd_symtab_name(f, mod, pc), *theirs = dwfl_module_addrname(mod, pc);
    assert_int_equal(ours != NULL, theirs != NULL);
    if (ours)
        assert_string_equal(ours, theirs);
}

struct expected {
    Dwfl_Module *mod;
    int at, n; /* of libdwfl's symbols */
    unsigned seen;
};

/* The next variable of libdwfl's table; false: there is none. */
static bool next_variable(struct expected *e, const char **name, GElf_Sym *sym, GElf_Addr *addr)
{
    for (; e->at < e->n; e->at++) {
        *name = dwfl_module_getsym_info(e->mod, e->at, sym, addr, NULL, NULL, NULL);
        if (*name && **name && sym->st_size && sym->st_shndx != SHN_UNDEF &&
            GELF_ST_TYPE(sym->st_info) == STT_OBJECT)
            return true;
    }
    return false;
}

static void see_variable(void *ctx, const char *name, uint64_t addr, uint64_t size)
{
    struct expected *e = ctx;
    const char *theirs;
    GElf_Sym sym;
    GElf_Addr at;
    assert_true(next_variable(e, &theirs, &sym, &at));
    assert_string_equal(name, theirs);
    assert_int_equal(addr, at);
    assert_int_equal(size, sym.st_size);
    e->at++;
    e->seen++;
}

static unsigned compare_variables(Dwfl_Module *mod)
{
    struct expected e = {mod, 1, dwfl_module_getsymtab(mod), 0};
    const char *name;
    GElf_Sym sym;
    GElf_Addr addr;
    hd_symtab_variables(mod, see_variable, &e);
    assert_false(next_variable(&e, &name, &sym, &addr));
    return e.seen;
}

/* Returns how many functions were looked at. */
static unsigned compare(const char *path)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = no_elf, .find_debuginfo = no_debuginfo};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(dwfl);
    Dwfl_Module *mod = dwfl_report_elf(dwfl, "it", path, -1, 0x555555554000, true);
    assert_non_null(mod);
    dwfl_report_end(dwfl, NULL, NULL);
    struct hd_symtab f = {.symbols = {0}};
    unsigned seen = 0;
    int n = dwfl_module_getsymtab(mod);
    for (int i = 1; i < n; i += 1 + n / 1500) {
        GElf_Sym sym;
        GElf_Addr addr;
        if (!dwfl_module_getsym_info(mod, i, &sym, &addr, NULL, NULL, NULL) ||
            GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF)
            continue;
        seen++;
        same_name(&f, mod, addr);
        same_name(&f, mod, addr + sym.st_size / 2);
        same_name(&f, mod, addr + sym.st_size); /* what comes next, or nothing */
        same_name(&f, mod, addr - 1);
    }
    hd_symtab_fini(&f);
    assert_true(compare_variables(mod) > 0);
    dwfl_end(dwfl);
    return seen;
}

static void test_this_program(void **state)
{
    (void)state;
    assert_true(compare("/proc/self/exe") > 50);
}

static void test_stripped(void **state)
{
    Dl_info libc;
    (void)state;
    void *in_libc = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    assert_true(dladdr(in_libc, &libc) != 0);
    assert_true(compare(libc.dli_fname) > 500);
}

/* A weak and a global one at one place; the linker puts them in some order. */
#define PAIR(w, g)                                                                                 \
    ".weak " w "\n.globl " g "\n" w ":\n" g ": .zero 8\n.size " w ", 8\n.size " g ", 8\n"          \
    ".type " w ", @function\n.type " g ", @function\n"

/* Symbols at one place, one within another, and labels without a size. */
static void test_overlaps(void **state)
{
    static const char *const file = HD_TEST_TMP "/symtab.s";
    static const char text[] =
        ".text\n.weak soft\n.globl big, alias, tail\n"
        "big: .zero 16\nsoft:\nalias: .zero 8\ninner: .zero 8\ntail: .zero 8\n.zero 8\n"
        "label: .zero 24\nlast: .zero 8\n"
        ".size big, 48\n.size alias, 16\n.size soft, 16\n.size inner, 4\n.size tail, 2\n"
        ".size last, 8\n.type big, @function\n.type alias, @function\n.type soft, @function\n"
        ".type inner, @function\n.type tail, @function\n.type last, @function\n"
        "first: .zero 8\nfirst_too = first\n.globl wide\nwide = first\n"
        ".size first, 8\n.size first_too, 8\n.size wide, 8\n"
        ".type first, @function\n.type first_too, @function\n.type wide, @function\n"
        "whole: .zero 8\nbrief = whole\n.size whole, 8\n.size brief, 6\n"
        ".type whole, @function\n.type brief, @function\n" PAIR("a", "b")
            PAIR("c", "d") ".data\n.globl number\nnumber: .zero 4\n.size number, 4\n.type number, "
                           "@object\n" PAIR("e", "f") PAIR("g", "h") PAIR("i", "j") PAIR("k", "l");
    (void)state;
    FILE *out = fopen(file, "we");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    assert_int_equal(
        system("gcc -shared -nostdlib -o " HD_TEST_TMP "/symtab.so " HD_TEST_TMP "/symtab.s"), 0);
    assert_true(compare(HD_TEST_TMP "/symtab.so") >= 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_this_program),
                                       cmocka_unit_test(test_stripped),
                                       cmocka_unit_test(test_overlaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
