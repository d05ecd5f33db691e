# memcached with libevent, both instrumented: four worker threads behind a local socket, eight clients.
packages=(memcached libevent)
cases=(load)

build() {
    (cd libevent && ./configure --disable-shared --disable-openssl --disable-samples --disable-libevent-regress \
        --disable-debug-mode --prefix="$PWD/../prefix" && touch aclocal.m4 configure Makefile.in config.h.in config.status Makefile config.h stamp-h1 &&
        make -j2 ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: install-libLTLIBRARIES install-includeHEADERS install-nodist_includeHEADERS \
            install-include_event2HEADERS install-nodist_include_event2HEADERS)
    (cd memcached && ./configure --with-libevent="$PWD/../prefix" --disable-docs --disable-coverage &&
        make -j2 ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: memcached)
}

input() {
    cc -O2 "$here/load.c" -o "$inputs/load"
}

run_case() {
    program "$2/memcached/memcached" -u root -s "$PWD/socket" -t 4 -m 8 >server.log 2>&1 &
    local server=$! status=0
    "$inputs/load" memcached "$PWD/socket" 8 "$ROUNDS" >out || status=$?
    kill -INT $server
    wait $server || [ $? -eq 130 ] || status=1
    cat server.log >&2
    return $status
}
