# zeromq (C++): its own benchmarks of throughput and latency between two threads (inproc), with its threads for input and output.
packages=(zeromq3)
cases=(throughput latency)

build() {
    cmake -S zeromq3 -B made -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_CXX_FLAGS="$CFLAGS" \
        -DBUILD_SHARED=OFF -DBUILD_STATIC=ON -DBUILD_TESTS=OFF -DWITH_PERF_TOOL=OFF -DWITH_DOCS=OFF -DENABLE_CURVE=OFF \
        -DWITH_LIBSODIUM=OFF -DWITH_LIBBSD=OFF -DENABLE_DRAFTS=OFF
    make -C made -j2 libzmq-static
    $CXX $CFLAGS -Izeromq3/include -Izeromq3/src -Imade zeromq3/perf/inproc_thr.cpp made/lib/libzmq.a -pthread -o throughput.bin
    $CXX $CFLAGS -Izeromq3/include -Izeromq3/src -Imade zeromq3/perf/inproc_lat.cpp made/lib/libzmq.a -pthread -o latency.bin
}

input() { :; }

# What they print has times in it.
run_case() {
    program "$2/$1.bin" 100 "$ROUNDS" >printed 2>err.program && echo ok >out
}
