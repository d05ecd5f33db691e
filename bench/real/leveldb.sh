# leveldb (C++): its own test of the C interface, with the thread that compacts.
packages=(leveldb)
cases=(c_test)

build() {
    cmake -S leveldb -B made -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_CXX_FLAGS="$CFLAGS" \
        -DBUILD_SHARED_LIBS=OFF -DLEVELDB_BUILD_TESTS=OFF -DLEVELDB_BUILD_BENCHMARKS=OFF -DLEVELDB_INSTALL=OFF \
        -DHAVE_SNAPPY=OFF -DHAVE_TCMALLOC=OFF -DHAVE_CRC32C=OFF
    cmake --build made --target leveldb
    $CC $CFLAGS -Ileveldb/include -c leveldb/db/c_test.c -o c_test.o
    $CXX $CFLAGS c_test.o made/libleveldb.a -pthread -o c_test.bin
}

input() { :; }

run_case() {
    TEST_TMPDIR=$PWD program "$2/c_test.bin" >out 2>err.program
}
