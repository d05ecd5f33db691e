#!/usr/bin/env bash
# A counter under a lock that 3,000 threads share, and a race behind its last value: the schedule has all of them, and
# making it shorter must not need memory by their square.
. "$TESTS/cli/lib.sh" || exit 1

awk -v n=3000 'BEGIN {
    print "!control branches\n!init left " n "\n!init last 0"
    for (i = 1; i <= n; i++)
        print "m|fork(t" i ")|a.c:1"
    e = n
    for (i = 1; i <= n; i++) {
        print "t" i "|br|a.c:2|deps=" # what a thread can do alone makes the orders many
        print "t" i "|acq(l)|a.c:2"
        print "t" i "|r(left," n - i + 1 ")|a.c:3"
        print "t" i "|w(left," n - i ")|a.c:3|val=" e + 3
        print "t" i "|rel(l)|a.c:4"
        print "t" i "|br|a.c:5|deps=" e + 3
        e += 6
    }
    print "t" n "|w(last,1)|a.c:6|val="
    print "m|acq(l)|a.c:7"
    print "m|r(left,0)|a.c:8"
    print "m|rel(l)|a.c:9"
    print "m|br|a.c:10|deps=" e + 3
    print "m|w(last,2)|a.c:11|val="
}' >trace.txt
[ "${HEDDLE_TEST_SANITIZED:-0}" = 1 ] || ulimit -v 1500000 # shadow memory does not fit
heddle analyze -j 1 trace.txt
expect_code 66
expect_out 'Race on last'
finish
