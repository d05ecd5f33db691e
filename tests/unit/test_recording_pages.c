/* What stays in memory of a recording that is read: of a mapped file a few megabytes. */
#include "recording/rawlog.h"
#include "recording/recfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define BLOCK  300000u /* pages are given back behind every 14th */
#define BLOCKS 224u
#define MOST   (9u << 20)   /* bytes that may stay while it is read: of two windows */
#define LAST   (256u << 10) /* the same at the end */

/* A recording of 67 MB that is no log: each chunk ends at once, as its first byte is 0. */
static FILE *make(size_t *len)
{
    struct hd_rec_writer w;
    uint8_t *block = malloc(BLOCK);
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_non_null(block);
    hd_rec_writer_init(&w, fileno(f));
    for (unsigned i = 0; i < BLOCKS; i++) {
        memset(block, (int)i + 1, BLOCK);
        block[0] = 0;
        hd_rec_put(&w, HD_REC_LOG, block, BLOCK, 0);
    }
    hd_rec_put(&w, HD_REC_END, NULL, 0, 0);
    assert_int_equal(w.error, 0);
    *len = (size_t)w.size;
    hd_rec_writer_fini(&w);
    free(block);
    return f;
}

/* Bytes of the mapping that this process holds. */
static size_t resident(const void *map)
{
    char line[512], start[32];
    size_t kb = 0;
    bool here = false;
    FILE *f = fopen("/proc/self/smaps", "r");
    assert_non_null(f);
    snprintf(start, sizeof start, "%lx-", (unsigned long)(uintptr_t)map);
    while (fgets(line, sizeof line, f)) {
        here = here || !strncmp(line, start, strlen(start));
        if (here && sscanf(line, "Rss: %zu kB", &kb) == 1)
            break;
    }
    fclose(f);
    assert_true(here);
    return kb << 10;
}

/* Reads all of it twice. map: of which no more than LAST may stay; or NULL. */
static void walk(const struct hd_rec *rec, const void *map)
{
    const uint64_t key = 0;
    struct hd_rawlog log;
    struct hd_raw raw;
    hd_rawlog_init(&log, rec, &key, 1);
    for (int i = 0; i < 2; i++) {
        hd_rawlog_rewind(&log);
        assert_false(hd_rawlog_next(&log, &raw));
        assert_false(log.broken);
        assert_int_equal(log.before + log.chunk_len, (size_t)BLOCKS * BLOCK);
        assert_true(!map || resident(map) <= LAST);
    }
    hd_rawlog_fini(&log);
}

static void pages_of_a_mapped_file_are_given_back(void **state)
{
    size_t len;
    struct hd_rec rec;
    struct hd_err err = {0};
    (void)state;
    FILE *f = make(&len);
    char *map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fileno(f), 0);
    assert_true(map != MAP_FAILED);
    for (int i = 0; i < 2; i++) { /* the second time checks that all came back as it was */
        assert_int_equal(hd_rec_open_mapped("mapped", map, len, &rec, &err), HD_OK);
        assert_int_equal(rec.blocks.len, BLOCKS);
        assert_true(resident(map) <= LAST);
        walk(&rec, map);
        hd_rec_close(&rec);
    }
    assert_int_equal(hd_rec_open("read", map, len, &rec, &err), HD_OK);
    assert_true(resident(map) > MOST); /* so the tests above could have failed */
    hd_rec_close(&rec);
    munmap(map, len);
    fclose(f);
}

static void other_memory_stays_as_it_is(void **state)
{
    size_t len;
    struct hd_rec rec;
    struct hd_err err = {0};
    (void)state;
    FILE *f = make(&len);
    char *data = aligned_alloc(4096, (len + 4095) / 4096 * 4096); /* as a mapping would lie */
    assert_non_null(data);
    assert_int_equal(pread(fileno(f), data, len, 0), len);
    assert_int_equal(hd_rec_open("read", data, len, &rec, &err), HD_OK);
    walk(&rec, NULL);
    hd_rec_close(&rec);
    assert_int_equal(hd_rec_open("read", data, len, &rec, &err), HD_OK);
    hd_rec_close(&rec);
    free(data);
    fclose(f);
}

/* Blocks are not always read in the order of the file: those of ancestors come first. */
static void blocks_may_be_read_again(void **state)
{
    size_t len, from = 0;
    struct hd_rec rec;
    struct hd_err err = {0};
    volatile uint8_t sum = 0;
    (void)state;
    FILE *f = make(&len);
    char *map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fileno(f), 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(hd_rec_open_mapped("mapped", map, len, &rec, &err), HD_OK);
    for (unsigned i = 0; i < 2 * BLOCKS; i++) { /* the second half first, then from the start */
        const struct hd_rec_block *b = hd_vec_at(&rec.blocks, (i + BLOCKS / 2) % BLOCKS);
        for (size_t k = 0; k < b->stored; k += 4096)
            sum = (uint8_t)(sum + b->data[k]);
        hd_rec_was_read(&rec, b, &from);
        assert_true(resident(map) <= MOST);
    }
    hd_rec_close(&rec);
    munmap(map, len);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_a_mapped_file_are_given_back),
        cmocka_unit_test(other_memory_stays_as_it_is),
        cmocka_unit_test(blocks_may_be_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
