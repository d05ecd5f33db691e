# redis-server with four threads for input and output behind a local socket, eight clients; the same with the
# clients as a thread of the server, which can be run again under a schedule. The bundled Lua is instrumented as
# well; the C library's malloc takes the place of the bundled allocator.
packages=(redis)
cases=(load inside)
leaves=(out socket)
needs_client=load

build() {
    $CC $CFLAGS -DINSIDE -c "$here/load.c" -o load.o
    make -j2 -C redis/src CC="$CC" MALLOC=libc OPTIMIZATION=-O2 REDIS_CFLAGS= BUILD_TLS=no USE_SYSTEMD=no REDIS_LDFLAGS="$PWD/load.o" redis-server
}

input() {
    cc -O2 "$here/load.c" -o "$inputs/load"
}

run_case() {
    local server status=0 start=("$2/redis/src/redis-server" --port 0 --unixsocket socket --save "" --appendonly no
        --io-threads 4 --io-threads-do-reads yes --daemonize no --lazyfree-lazy-user-del yes)
    if [ "$1" = inside ]; then
        REAL_LOAD="1 socket 8 $ROUNDS" program "${start[@]}" >&2
        return
    fi
    program "${start[@]}" >server.log 2>&1 &
    server=$!
    "$inputs/load" redis socket 8 "$ROUNDS" >out || { status=$? && kill "$(cat time.pid)"; }
    wait $server || status=1
    cat server.log >&2
    return $status
}
