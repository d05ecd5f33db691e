/* The small parts that talk to people: suggestions, the log's settings, the progress line,
 * interrupts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/suggest.h"

#include <signal.h>
#include <string.h>

static void distances(void **state)
{
    (void)state;
    assert_int_equal(hd_suggest_distance("", ""), 0);
    assert_int_equal(hd_suggest_distance("abc", ""), 3);
    assert_int_equal(hd_suggest_distance("", "abc"), 3);
    assert_int_equal(hd_suggest_distance("check", "chekc"), 1); /* a swap is one slip */
    assert_int_equal(hd_suggest_distance("check", "chck"), 1);
    assert_int_equal(hd_suggest_distance("kitten", "sitting"), 3);
    char longer[200];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(hd_suggest_distance(longer, longer), 0);
}

static void suggestions(void **state)
{
    (void)state;
    static const char *const words[] = {"trace", "witness", "completion"};
    assert_string_equal(hd_suggest("trcae", words, 3), "trace");
    assert_string_equal(hd_suggest("compl", words, 3), "completion");
    assert_null(hd_suggest("banana", words, 3));
    assert_null(hd_suggest("", words, 3));
    assert_null(hd_suggest("trace", words, 0));
}

static char last_line[64];

static void keep_line(enum hd_room room, enum hd_log_level level, const char *text)
{
    snprintf(last_line, sizeof last_line, "%s/%d/%s", hd_log_room_name(room), level, text);
}

static void log_settings(void **state)
{
    (void)state;
    struct hd_err err = {0};
    hd_log(HD_ROOM_MODEL, HD_LOG_WARN, "nobody listens");
    hd_log_set_sink(keep_line);
    hd_log(HD_ROOM_MODEL, HD_LOG_WARN, "off");
    assert_string_equal(last_line, "");
    assert_int_equal(hd_log_configure("model:info,,trace:debug", &err), HD_OK);
    assert_true(hd_log_on(HD_ROOM_MODEL, HD_LOG_INFO));
    assert_false(hd_log_on(HD_ROOM_MODEL, HD_LOG_DEBUG));
    assert_false(hd_log_on(HD_ROOM_SOLVE, HD_LOG_WARN));
    hd_log(HD_ROOM_MODEL, HD_LOG_INFO, "%d states", 7);
    assert_string_equal(last_line, "model/2/7 states");
    assert_int_equal(hd_log_configure("warn", &err), HD_OK);
    assert_true(hd_log_on(HD_ROOM_SOLVE, HD_LOG_WARN));
    assert_false(hd_log_on(HD_ROOM_TRACE, HD_LOG_DEBUG));
    assert_int_equal(hd_log_configure("all:off,modl:info", &err), HD_ERR_INPUT);
    assert_string_equal(err.text, "unknown log room 'modl'; did you mean 'model'?");
    assert_false(hd_log_on(HD_ROOM_SOLVE, HD_LOG_WARN)); /* what stood before the mistake holds */
    hd_log_set_sink(NULL);
}

static void progress_texts(void **state)
{
    (void)state;
    struct hd_progress p;
    char text[160];
    hd_progress_begin(&p, NULL, false, "reading", "events", 1000);
    hd_progress_format(&p, 250, 2.0, text, sizeof text);
    assert_string_equal(text, "heddle: reading: 250 events (25%), 125/s, 6 s left");
    p.total = 0;
    p.hint = "Ctrl-C for partial results";
    hd_progress_format(&p, 250, 2.0, text, sizeof text);
    assert_string_equal(text, "heddle: reading: 250 events, 125/s; Ctrl-C for partial results");
    hd_progress_format(&p, 0, 0.0, text, sizeof text);
    assert_string_equal(text, "heddle: reading: 0 events, 0/s; Ctrl-C for partial results");
}

/* When it turns out that there is more to do, the percentage stays where it is. */
static void progress_never_falls(void **state)
{
    (void)state;
    struct hd_progress p;
    char text[256];
    FILE *out = tmpfile();
    assert_non_null(out);
    hd_progress_begin(&p, out, false, "reading", "KB", 100);
    p.next = 0;
    hd_progress_update(&p, 90);
    p.total = 200;
    p.next = 0;
    hd_progress_update(&p, 100);
    p.next = 0;
    hd_progress_update(&p, 99);
    p.next = 0;
    hd_progress_update(&p, 190);
    rewind(out);
    static const char *const expected[] = {"90 KB (90%)", "100 KB (90%)", "100 KB (90%)",
                                           "190 KB (95%)"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_non_null(fgets(text, sizeof text, out));
        assert_non_null(strstr(text, expected[i]));
    }
    fclose(out);
}

/* Quiet says nothing; a log gets a line only after a while; a terminal gets its line wiped. */
static void progress_streams(void **state)
{
    (void)state;
    struct hd_progress p;
    char text[256];
    FILE *out = tmpfile();
    assert_non_null(out);
    hd_progress_begin(&p, NULL, true, "reading", "events", 0);
    p.next = 0;
    hd_progress_update(&p, 5);
    hd_progress_begin(&p, out, false, "reading", "events", 0);
    hd_progress_update(&p, 5);
    assert_int_equal(ftell(out), 0);
    p.next = 0;
    hd_progress_update(&p, 6);
    hd_progress_update(&p, 7); /* too soon */
    hd_progress_end(&p);
    rewind(out);
    assert_non_null(fgets(text, sizeof text, out));
    assert_non_null(strstr(text, "6 events"));
    assert_null(fgets(text, sizeof text, out));
    fclose(out);
}

static void interrupts(void **state)
{
    (void)state;
    hd_interrupt_install();
    hd_interrupt_catch();
    assert_false(hd_interrupt_requested());
    raise(SIGINT);
    assert_true(hd_interrupt_requested());
    hd_interrupt_release();
    hd_interrupt_catch(); /* a new command starts afresh */
    assert_false(hd_interrupt_requested());
    hd_interrupt_request();
    assert_true(hd_interrupt_requested());
    hd_interrupt_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(suggestions),
        cmocka_unit_test(log_settings),
        cmocka_unit_test(progress_texts),
        cmocka_unit_test(progress_never_falls),
        cmocka_unit_test(progress_streams),
        cmocka_unit_test(interrupts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
