/* symbols/symtab.h against libdwfl: both give each place of a function the same name. */
#include "symbols/symtab.h"

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
    dwfl_end(dwfl);
    return seen;
}

static void test_this_program(void **state)
{
    (void)state;
    assert_true(compare("/proc/self/exe") > 50);
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
        ".type whole, @function\n.type brief, @function\n" PAIR("a", "b") PAIR("c", "d")
            PAIR("e", "f") PAIR("g", "h") PAIR("i", "j") PAIR("k", "l");
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
                                       cmocka_unit_test(test_overlaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
