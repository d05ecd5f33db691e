# memcached with libevent, both instrumented: four worker threads behind a local socket, eight clients; the same with the
# clients as a thread of the server, which can be run again under a schedule.
packages=(memcached libevent)
cases=(load inside)
leaves=(out socket)
needs_client=load

build() {
    local still=(ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:) prefix=$PWD/prefix load=$PWD/load.o
    $CC $CFLAGS -DINSIDE -c "$here/load.c" -o "$load"
    cd libevent
    ./configure --disable-shared --disable-openssl --disable-samples --disable-libevent-regress --prefix="$prefix"
    make -j2 "${still[@]}" include/event2/event-config.h
    make -j2 "${still[@]}" install-libLTLIBRARIES install-includeHEADERS install-include_event2HEADERS \
        install-nodist_include_event2HEADERS
    cd ../memcached
    ./configure --with-libevent="$prefix" LIBS="$load -lpthread" --disable-docs --disable-coverage
    make -j2 "${still[@]}" memcached
}

input() {
    cc -O2 "$here/load.c" -o "$inputs/load"
}

run_case() {
    local server status=0 start=("$2/memcached/memcached" -u root -s socket -t 4 -m 8)
    if [ "$1" = inside ]; then
        REAL_LOAD="0 socket 8 $ROUNDS" program "${start[@]}" >&2
        return
    fi
    program "${start[@]}" >server.log 2>&1 &
    server=$!
    "$inputs/load" memcached socket 8 "$ROUNDS" >out || status=$?
    kill "$(cat time.pid)"
    wait $server || status=1
    cat server.log >&2
    return $status
}
