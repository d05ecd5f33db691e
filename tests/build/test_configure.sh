#!/usr/bin/env bash
# ./configure CC="heddle cc" in the manner of autoconf, static and shared libraries, make.
. "$(dirname "$0")/common.sh" || exit 1
cd "$work"
PATH=$bin:$PATH
"$projects/configure/configure" CC="heddle cc" CFLAGS="-O2 -Wall -Werror"
make -s all
check_program ./prog_static "counter 3"
check_program ./prog_shared "counter 3"
