#!/usr/bin/env bash
# Input by streams of C++.
# Places in the objects of libstdc++ that the runtime relies on are those of its headers.
# Every way to read (streams.cpp), at -O0 or -O2 (the long run: both): a complete search has found each answer that any text of
# two bytes gives, and no run goes elsewhere. Kinds are shared out over std::cin with and without stdio and std::ifstream.
# Programs that read a number, a line, a command by std::cin reach their race.
. "$SOURCE/common.sh" || exit 1
enter streams
clang=$(command -v clang++-14 || command -v clang++)

cat >places.cpp <<'C'
#include <cstdio>
#include <ext/stdio_sync_filebuf.h>
#include <fstream>
#include <iostream>
#include <sstream>
struct buffer : std::stringbuf {
    buffer() : std::stringbuf("abc") { sbumpc(); }
    const char *current() { return gptr(); }
    const char *end() { return egptr(); }
};
static int place(const void *object, const void *what, int size) // of a pointer, as a value inside
{
    for (int i = 8; i + 8 <= size; i += 8)
        if (*(void *const *)((const char *)object + i) == what)
            return i;
    return -1;
}
int main()
{
    buffer b;
    std::ifstream in("/dev/null");
    std::stringstream both("x");
    std::ios ios(&b);
    std::FILE *f = std::fopen("/dev/null", "r");
    __gnu_cxx::stdio_sync_filebuf<char> sync(f);
    ios.width(77);
    std::printf("BUFFER_CURRENT %d\nBUFFER_END %d\n", place(&b, b.current(), sizeof b), place(&b, b.end(), sizeof b));
    std::printf("IOS_BUFFER %d\nIOS_WIDTH %d\n", place(&ios, ios.rdbuf(), sizeof ios), place(&ios, (void *)77, sizeof ios));
    std::printf("SYNC_FILE %d\n", place(&sync, f, sizeof sync));
    std::printf("IFSTREAM_BUFFER %d\n", (int)((char *)in.rdbuf() - (char *)&in));
    std::printf("FSTREAM_BUFFER %d\n", (int)((char *)both.rdbuf() - (char *)&both));
    unsigned *words = (unsigned *)&ios, flags = 0, state = 0;
    ios.flags((std::ios::fmtflags)0x1234567);
    for (unsigned i = 0; i < sizeof ios / 4; i++)
        flags = words[i] == 0x1234567 ? 4 * i : flags;
    ios.setstate(std::ios::failbit);
    for (unsigned i = flags / 4 + 1; i < flags / 4 + 4; i++)
        state = words[i] == (unsigned)std::ios::failbit ? 4 * i : state;
    std::printf("IOS_FLAGS %u\nIOS_STATE %u\n", flags, state);
    std::printf("FLAG_DEC %d\nFLAG_HEX %d\nFLAG_OCT %d\nFLAG_SKIP %d\n", std::ios::dec, std::ios::hex, std::ios::oct, std::ios::skipws);
}
C
"$clang" -w -std=c++17 places.cpp -o places || exit 1
./places | while read -r name value; do
    check "place of $name" "$value" "$(sed -n "s/.*\b$name = \([0-9]*\).*/\1/p" "$SOURCE/../../src/rt/concolic/sym_istream.c")"
    [ "$fails" = 0 ] || exit 1
done || fails=$((fails + 1))

for kind in 0 1 2 3 4 5 6 7 8 9 10; do
    "$clang" -w -std=c++17 -O1 -DREFERENCE -DKIND=$kind "$SOURCE/streams.cpp" -o reference && ./reference | LC_ALL=C sort >reference.txt || exit 1
    levels=$((kind % 2 * 2))
    [ -z "${HEDDLE_TEST_LONG:-}" ] || levels="0 2"
    for level in $levels; do
        from=$(((kind + level) % 3)) name=kind$kind-O$level
        input=stdin
        [ $from = 2 ] && input=file:given && printf 'aa' >given
        "$HEDDLE" c++ --concolic -w -std=c++17 -g -O$level -DKIND=$kind -DSOURCE=$from "$SOURCE/streams.cpp" -o "$name" || exit 1
        hunt "$name" --no-predict --no-prune --keep-all --size 2 --input $input -- "./$name"
        LC_ALL=C sort -u "$name".d/test*.out >"$name.found"
        check "$name: complete" true "$(field "$name" .complete)"
        check "$name: runs that went elsewhere" 0 "$(field "$name" .diverged)"
        check "$name: answers" "$(cat reference.txt)" "$(cat "$name.found")"
        rm -rf "$name.d"
    done
done

cat >race.cpp <<'C'
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
static int level, total;
int main()
{
    std::thread t([] { total += level; });
    std::string line, word;
    int n = 0;
#if KIND == 0
    if (std::cin >> n && n == 4321)
        level = 1;
#elif KIND == 1
    while (std::getline(std::cin, line))
        if (line == "set")
            level = 1;
#else
    if (std::getline(std::cin, line)) {
        std::istringstream in(line);
        if (in >> word >> n && word == "set" && n == 42)
            level = n;
    }
#endif
    t.join();
    std::cout << line << n << std::endl;
}
C
for kind in 0 1 2; do
    for level in 0 2; do
        "$HEDDLE" c++ --concolic -g -O$level -DKIND=$kind race.cpp -o race$kind$level || exit 1
        HUNT_SECONDS=100 hunt race$kind$level --first --input stdin -- ./race$kind$level
        check "program $kind at -O$level: exit code" 66 "$status"
        check "program $kind at -O$level: not modelled" "[]" "$(field race$kind$level '.not_modelled | tostring')"
    done
done
finish
