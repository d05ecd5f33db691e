# redis-server with four threads for input and output behind a local socket, eight clients. The bundled Lua is
# instrumented as well; the C library's malloc takes the place of the bundled allocator.
packages=(redis)
cases=(load)
needs_client=yes

build() {
    make -j2 -C redis/src CC="$CC" MALLOC=libc OPTIMIZATION=-O2 REDIS_CFLAGS= BUILD_TLS=no USE_SYSTEMD=no redis-server
}

input() {
    cc -O2 "$here/load.c" -o "$inputs/load"
}

run_case() {
    program "$2/redis/src/redis-server" --port 0 --unixsocket "$PWD/socket" --save "" --appendonly no \
        --io-threads 4 --io-threads-do-reads yes --daemonize no --lazyfree-lazy-user-del yes >server.log 2>&1 &
    local server=$! status=0
    "$inputs/load" redis "$PWD/socket" 8 "$ROUNDS" >out || { status=$? && kill "$(cat time.pid)"; }
    wait $server || status=1
    cat server.log >&2
    return $status
}
