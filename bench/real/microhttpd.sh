# libmicrohttpd (C): its own test of a daemon, run by the caller and by a thread of its own.
packages=(libmicrohttpd)
cases=(daemon)

build() {
    cd libmicrohttpd
    ./configure --disable-shared --disable-https --disable-curl --disable-doc --disable-examples
    make -j2 -C src/microhttpd libmicrohttpd.la
    make -j2 -C src/microhttpd test_daemon
    cp src/microhttpd/test_daemon ../daemon.bin
}

input() { :; }

run_case() {
    program "$2/$1.bin" >printed 2>err.program && echo ok >out
}
