# SQLite's amalgamation, made from Debian's source, under our driver sqlite.c: three threads on one shared
# connection (serialised mode) and three on a connection each (one file, with the busy handler).
packages=(sqlite3)
cases=(shared many)
leaves=(test.db test.db-journal)

build() {
    (cd sqlite3 && CC=cc CFLAGS= ./configure --disable-tcl --disable-readline --disable-shared && make sqlite3.c)
    $CC $CFLAGS -w -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -Isqlite3 -pthread "$here/sqlite.c" sqlite3/sqlite3.c -lm -o driver
}

input() { :; }

run_case() {
    program "$2/driver" "$1" 3 "$ROUNDS" >out
}
