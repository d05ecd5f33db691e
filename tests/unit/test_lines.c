/* symbols/lines.h against libdw: both say the same of every address at which a row begins, and of
 * those around it, in files of several compilers and versions of the debug information. Damaged
 * tables do no harm. */
#include "symbols/dies.h"
#include "symbols/lines.h"

#include <dwarf.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* What libdw says of an address. */
static bool row_of(Dwarf_Lines *lines, size_t n, Dwarf_Addr pc, const char **file, int *line,
                   int *column)
{
    Dwarf_Line *last = NULL;
    bool end = false;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *l = dwarf_onesrcline(lines, i);
        Dwarf_Addr addr = 0;
        dwarf_lineaddr(l, &addr);
        if (addr > pc)
            break;
        last = l;
        dwarf_lineendsequence(l, &end);
    }
    if (!last || end)
        return false;
    dwarf_lineno(last, line);
    dwarf_linecol(last, column);
    *file = dwarf_linesrc(last, NULL, NULL);
    return *line > 0 && *file;
}

static void compare_at(const struct hd_lines *ours, Dwarf_Lines *lines, size_t n, Dwarf_Addr pc)
{
    const char *file = NULL;
    char name[PATH_MAX];
    int line = 0, column = 0;
    bool known = row_of(lines, n, pc, &file, &line, &column);
    const struct hd_line *l = hd_lines_find(ours, pc);
    assert_int_equal(l != NULL, known);
    if (!known)
        return;
    assert_true(hd_lines_file(ours, l, name, sizeof name));
    assert_string_equal(name, file);
    assert_int_equal(l->line, line);
    assert_int_equal(l->column, column);
}

static size_t compare_unit(const struct hd_dies *d, Dwarf_Die *cu)
{
    enum { MOST = 400 }; /* libdw's rows are looked through from the first for each address */
    Dwarf_Attribute attr;
    Dwarf_Word offset = 0;
    Dwarf_Lines *lines = NULL;
    size_t n = 0;
    struct hd_lines ours;
    if (dwarf_formudata(dwarf_attr(cu, DW_AT_stmt_list, &attr), &offset) ||
        dwarf_getsrclines(cu, &lines, &n))
        return 0;
    hd_lines_read(&ours, d, offset, dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr)), 0);
    assert_int_equal(ours.rows.len, n);
    for (size_t i = 0; i < n; i += 1 + n / MOST) {
        Dwarf_Addr addr = 0;
        dwarf_lineaddr(dwarf_onesrcline(lines, i), &addr);
        compare_at(&ours, lines, n, addr);
        compare_at(&ours, lines, n, addr + 1);
        if (addr)
            compare_at(&ours, lines, n, addr - 1);
    }
    hd_lines_fini(&ours);
    return n;
}

static size_t compare_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    assert_non_null(dwarf);
    struct hd_dies d;
    assert_true(hd_dies_open(&d, dwarf, NULL));
    size_t head, rows = 0;
    Dwarf_Off next, offset = 0;
    for (; dwarf_nextcu(dwarf, offset, &next, &head, NULL, NULL, NULL) == 0; offset = next) {
        Dwarf_Die cu;
        if (dwarf_offdie(dwarf, offset + head, &cu))
            rows += compare_unit(&d, &cu);
    }
    hd_dies_close(&d);
    dwarf_end(dwarf);
    close(fd);
    return rows;
}

static void test_this_program(void **state)
{
    (void)state;
    assert_true(compare_file("/proc/self/exe") > 1000);
}

/* Lines of more and more code: what a table has for them depends on their length. */
#define LINE "x ^= x * 7 + 1; "
#define LONG LINE LINE LINE
static const char source[] =
    "#include \"sub/inline.h\"\n"
    "int cold(int) __attribute__((section(\".text.cold\")));\n"
    "int cold(int x)\n{\n" LINE "\n" LINE LINE "\n" LONG "\n" LONG LINE "\n" LONG LINE LINE
    "\n" LONG LONG "\n" LONG LONG LONG "\n" LONG LONG LONG LONG LONG LONG LONG LONG LONG
    "\n    return x * 3;\n}\n"
    "#line 70000 \"/elsewhere/made.y\"\n"
    "int main(int n, char **v)\n{\n    (void)v;\n"
    "    return twice(n) + cold(n) ? 1 : 0;\n}\n";

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool run(const char *format, ...)
{
    char command[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command) == 0;
}

#define AT HD_TEST_TMP "/lines"

static const char *const forms[] = {"-gdwarf-2", "-gdwarf-3",           "-gdwarf-4",   "-gdwarf-5",
                                    "-g -gz",    "-gdwarf64 -gdwarf-5", "-g -O2 -flto"};
#define N_FORMS (sizeof forms / sizeof *forms)

static void prepare(void)
{
    assert_true(run("rm -rf '%s' && mkdir -p '%s/sub' '%s/build'", AT, AT, AT));
    write_file(AT "/main.c", source);
    write_file(AT "/sub/inline.h",
               "static inline int twice(int x)\n{\n    for (int i = 0; i < x; i++)\n"
               "        x += i & 1;\n    return 2 * x;\n}\n");
}

static void test_forms(void **state)
{
    static const char *const compilers[] = {"gcc", "clang"};
    (void)state;
    unsigned built = 0;
    prepare();
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < N_FORMS; i++) {
            if (!run("cd '%s/build' && %s %s -ffunction-sections ../main.c -o p 2>log", AT,
                     compilers[c], forms[i]))
                continue;
            built++;
            assert_true(compare_file(AT "/build/p") > 10);
        }
    assert_true(built >= N_FORMS);
}

/* One folder, one file, a sequence of two rows and its end. */
static const uint8_t good[] = {59, 0,  0,   0, 5, 0, 8, 0, 33, 0,  0,   0, 1, 1, 1, 0xfb,
                               14, 13, 0,   1, 1, 1, 1, 0, 0,  0,  1,   0, 0, 1, 1, 1,
                               8,  1,  'd', 0, 2, 1, 8, 2, 11, 1,  'a', 0, 0, 0, 9, 2,
                               0,  1,  0,   0, 0, 0, 0, 0, 1,  20, 2,   4, 0, 1, 1};

/* A table with any byte of it another one: nothing is read outside of it. */
static void test_damaged(void **state)
{
    struct hd_dies d = {0};
    uint8_t table[300];
    unsigned seed = 1;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        memset(table, 0, sizeof table);
        memcpy(table, good, sizeof good);
        for (int k = i ? rand_r(&seed) % 4 : 0; k > 0; k--)
            table[rand_r(&seed) % sizeof good] = (uint8_t)rand_r(&seed);
        size_t len = i % 2 ? (size_t)rand_r(&seed) % (sizeof good + 1) : sizeof good;
        uint8_t *exact = malloc(len + 1); /* so that a sanitizer sees what is behind it */
        memcpy(exact, table, len);
        d.line = d.line_str = (struct hd_dies_section){exact, exact + len};
        struct hd_lines l;
        char name[100];
        hd_lines_read(&l, &d, 0, "/dir", 0);
        assert_true(i || (l.rows.len == 3 && l.sequences.len == 1 && l.files.len == 1));
        for (size_t r = 0; r < l.rows.len; r++) {
            const struct hd_line *at = hd_vec_at(&l.rows, r);
            const struct hd_line *found = hd_lines_find(&l, at->addr);
            if (found)
                hd_lines_file(&l, found, name, sizeof name);
        }
        hd_lines_fini(&l);
        free(exact);
    }
}

/* Entries of no bytes: as many folders as the number says would fill the memory. */
static void test_empty_entries(void **state)
{
    struct hd_dies d = {0};
    struct hd_lines l;
    uint8_t table[sizeof good];
    (void)state;
    memcpy(table, good, sizeof table);
    memcpy(table + 30, "\0\xff\xff\xff\xff\xff\x7f", 7);
    d.line = (struct hd_dies_section){table, table + sizeof table};
    hd_lines_read(&l, &d, 0, "/dir", 0);
    assert_int_equal(l.dirs.len, 0);
    assert_int_equal(l.rows.len, 0);
    hd_lines_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_this_program),
                                       cmocka_unit_test(test_forms), cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_empty_entries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
