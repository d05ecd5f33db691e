# Shared by run.sh and the scripts of the programs. A program's script sets
#   packages=(...)      Debian source packages; each is unpacked in $src/PACKAGE
#   cases=(...)         what is run
#   needs_client=CASE   the case that does nothing by itself, so that schedules cannot be tried
#   leaves=(...)        files that a run leaves and another one would find (out)
#   build               in a fresh copy of $src (the working directory), with $CC, $CXX, $CFLAGS, $LDFLAGS
#   input               makes $inputs/... once; may use $native, the folder of the native build
#   run_case CASE BIN   in an empty folder: runs the program of the build folder BIN with `program FILE...`, which
#                       is measured, recorded or neither; what it leaves in the file `out` is compared
# shellcheck shell=bash disable=SC2034,SC2154

die() {
    echo "bench/real: $*" >&2
    exit 1
}

# The machine's own apt sources, as source packages, in a configuration that belongs to the work folder alone.
apt_private() {
    local at=$dir/apt
    [ -e "$at/ready" ] && return
    mkdir -p "$at/sources" "$at/lists/partial" "$at/cache/archives/partial"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$at/sources/$(basename "$file")"
    done
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -nE 's/^deb(-src)?[[:space:]]/deb-src /p' >"$at/sources/one-line.list"
    # A third party's archive without source packages must not stop us.
    apt_run update >"$at/log" 2>&1 || true
    compgen -G "$at/lists/*Sources*" >/dev/null || die "no source packages can be had: see $at/log"
    touch "$at/ready"
}

apt_run() {
    apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$dir/apt/sources" \
        -o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache" "$@"
}

# fetch PACKAGE: downloads once, unpacks with Debian's patches into $dir/src/PACKAGE.
fetch() {
    local to=$dir/src/$1
    [ -e "$to/.ready" ] && return
    apt_private
    mkdir -p "$dir/download/$1" "$dir/src"
    (cd "$dir/download/$1" && apt_run source --download-only "$1") >"$dir/download/$1.log" 2>&1 ||
        die "the source of $1 cannot be had: see $dir/download/$1.log"
    rm -rf "$to"
    dpkg-source --no-check -x "$dir"/download/"$1"/*.dsc "$to" >>"$dir/download/$1.log" 2>&1 ||
        die "the source of $1 cannot be unpacked: see $dir/download/$1.log"
    touch "$to/.ready"
}

# build_mode MODE: builds the program once per mode, and again when the compiler pass has changed.
build_mode() {
    local mode=${1/reports/tsan} at=$dir/build/$name/${1/reports/tsan} stamp
    stamp="$(declare -f build | cksum)"
    export CFLAGS="-O2 -g" LDFLAGS=
    case $mode in
    native) export CC=clang CXX=clang++ ;;
    tsan) export CC="clang -fsanitize=thread" CXX="clang++ -fsanitize=thread" ;;
    heddle)
        export CC=$HEDDLE-cc CXX=$HEDDLE-c++
        stamp+=" $(cat "$(dirname "$HEDDLE")"/{,../}lib/heddle/heddle-pass-14.so 2>/dev/null | cksum)"
        ;;
    esac
    [ "$(cat "$at/.built" 2>/dev/null)" = "$stamp" ] && return
    rm -rf "$at" && mkdir -p "$at"
    for package in "${packages[@]}"; do
        cp -a "$dir/src/$package" "$at/$package"
    done
    (cd "$at" && bash -eu -c "$(declare -f build); build") >"$dir/build/$name/$mode.log" 2>&1 || {
        echo "bench/real: $name: the $mode build failed: see $dir/build/$name/$mode.log" >&2
        return 1
    }
    echo "$stamp" >"$at/.built"
}

# program FILE ARG...: the program under test, in the way of $mode. ThreadSanitizer is timed without its reports, of which
# each costs milliseconds, and counted in the mode `reports`.
program() {
    case $mode in
    native) "$dir/measure" time "$@" ;;
    tsan) TSAN_OPTIONS="exitcode=0 report_bugs=0 ${TSAN_OPTIONS:-}" "$dir/measure" time setarch -R "$@" ;;
    reports) TSAN_OPTIONS="exitcode=0 log_path=$PWD/tsan.log ${TSAN_OPTIONS:-}" "$dir/measure" time setarch -R "$@" ;;
    answer) "$dir/measure" time "$HEDDLE" run ${RUN_OPTIONS:-} -o answer -- "$@" ;;
    heddle) "$dir/measure" time "$HEDDLE" record ${RECORD_OPTIONS:-} -o trace.hdt -- "$@" ;;
    esac
}

# run_mode CASE MODE: fails when the program does; leaves out, time, err, trace.hdt in the run's folder.
run_mode() {
    local at=$dir/run/$name-$1/$2 status=0 bin=${2/reports/tsan}
    bin=$dir/build/$name/${bin/answer/heddle}
    export mode=$2
    rm -rf "$at" && mkdir -p "$at"
    (cd "$at" && timeout -k 10 "$limit_s" bash -c "$(declare -f program run_case); run_case $1 '$bin'") \
        >"$at/log" 2>"$at/err" || status=$?
    [ $status -eq 0 ] || echo "bench/real: $name $1: $mode ended with status $status: see $at/err" >&2
    return $status
}

# A file of SIZE bytes with the statistics of text: words of a fixed list in an order that a linear
# congruence gives, and every 16th line noise.
generate() {
    awk -v size="$1" 'BEGIN {
        n = split("the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so said what up its about into than them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many", w, " ")
        s = 12345
        while (out < size) {
            line = ""
            for (i = 0; i < 12; i++) {
                s = (s * 1103515245 + 12345) % 2147483648
                line = line (++k % 16 ? w[int(s / 65536) % n + 1] " " : sprintf("%08x%d ", s, s % 977))
            }
            out += length(line) + 1
            print line
        }
    }' | head -c "$1"
}
