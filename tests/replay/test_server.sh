#!/usr/bin/env bash
# Servers: what clients did is kept with the recording and played back; no replay waits for a client.
set -u
. "$TESTS/replay/lib.sh" || exit 1
start server
cp "$TESTS/replay/server.c" "$TESTS/replay/clients.c" .
"$HEDDLE" cc -g -O1 server.c -o server || fail "heddle cc"
cc -O1 clients.c -o clients || fail "cc clients.c"
line=$(grep -n '/\* race \*/' server.c | cut -d: -f1)

# serve CODE ROUNDS MODE...: a run with clients, ended by SIGTERM; everything of it within 60 s
serve() {
    local want=$1 rounds=$2 pid port
    shift 2
    rm -rf heddle-out err
    timeout -k 5 60 "$HEDDLE" run --runs 1 --json=report.json -- ./server "$@" >out 2>err </dev/null &
    local tool=$!
    for _ in $(seq 500); do
        read -r pid port < <(sed -n 2>/dev/null 's/^ready \([0-9]*\) \([0-9]*\)$/\1 \2/p' err) && break
        sleep 0.02
    done
    local kind=
    case $1 in messages | sigwait | signalfd) kind=messages ;; esac
    # shellcheck disable=SC2086
    ./clients "$port" "$rounds" $kind || fail "clients of $*: $(cat err)"
    kill -TERM "$pid"
    wait $tool
    local got=$?
    [ $got -eq "$want" ] || fail "$*: exit $got instead of $want: $(cat out err)"
}

confirmed() { # the race on served is there and confirmed, whatever else is
    jq -e --argjson l "$line" '[.races[] | select(.variable == "served" and .status == "confirmed" and
        .accesses[0].line == $l and .accesses[1].line == $l)] | length >= 1' report.json >/dev/null ||
        fail "$*: $(cat out err)"
}

for how in '2 threads unix' '2 threads inet' '2 epoll inet' '2 select unix' '3 messages inet' '3 sigwait inet' '3 signalfd inet'; do
    # shellcheck disable=SC2086
    serve 66 $how
    confirmed "$how"
    [ "$(jq '[.races[] | select(.status != "confirmed")] | length' report.json)" = 0 ] || fail "$how: $(cat err)"
done
serve 0 2 threads unix safe
serve 0 2 epoll inet safe
serve 0 2 messages inet safe
exit 0
