# jemalloc (C): its own unit tests of a queue of messages (300 from each of three threads, not 100000) and of data of
# a thread. The allocator is instrumented, too.
packages=(jemalloc)
cases=(mq tsd)

build() {
    cd jemalloc
    ./configure --disable-cxx
    sed -i 's/^#define NMSGS.*/#define NMSGS 300/' test/unit/mq.c
    for test in mq tsd; do
        make -j2 "test/unit/$test"
        cp "test/unit/$test" "../$test.bin"
    done
}

input() { :; }

run_case() {
    program "$2/$1.bin" >printed 2>err.program && echo ok >out
}
