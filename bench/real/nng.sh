# nng (C): its own tests of threads' tools (synch) and of pairs over inproc (compat_pair), with its pools of threads.
packages=(nng)
cases=(synch pair)

build() {
    cmake -S nng -B made -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_CXX_FLAGS="$CFLAGS" \
        -DBUILD_SHARED_LIBS=OFF -DNNG_TESTS=ON -DNNG_TOOLS=OFF -DNNG_ENABLE_NNGCAT=OFF
    make -C made -j2 synch compat_pair
    cp made/tests/synch synch.bin
    cp made/tests/compat_pair pair.bin
}

input() { :; }

# What they print has times in it.
run_case() {
    program "$2/$1.bin" >printed 2>err.program && echo ok >out
}
