# memcached with libevent, both instrumented: four worker threads behind a local socket, eight clients.
packages=(memcached libevent)
cases=(load)
needs_client=yes

build() {
    local still=(ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:) prefix=$PWD/prefix
    cd libevent
    ./configure --disable-shared --disable-openssl --disable-samples --disable-libevent-regress --prefix="$prefix"
    make -j2 "${still[@]}" include/event2/event-config.h
    make -j2 "${still[@]}" install-libLTLIBRARIES install-includeHEADERS install-include_event2HEADERS \
        install-nodist_include_event2HEADERS
    cd ../memcached
    ./configure --with-libevent="$prefix" --disable-docs --disable-coverage
    make -j2 "${still[@]}" memcached
}

input() {
    cc -O2 "$here/load.c" -o "$inputs/load"
}

run_case() {
    program "$2/memcached/memcached" -u root -s "$PWD/socket" -t 4 -m 8 >server.log 2>&1 &
    local server=$! status=0
    "$inputs/load" memcached "$PWD/socket" 8 "$ROUNDS" >out || status=$?
    kill "$(cat time.pid)"
    wait $server || status=1
    cat server.log >&2
    return $status
}
