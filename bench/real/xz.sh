# xz and liblzma: the threaded encoder and decoder.
packages=(xz-utils)
cases=(compress decompress)

build() {
    cd xz-utils
    ./configure --disable-shared --disable-nls --disable-doc --disable-scripts --disable-lzmadec --disable-lzmainfo --disable-assembler
    local still=(ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:)
    make -j2 "${still[@]}" -C src/liblzma
    make -j2 "${still[@]}" -C src/xz
}

input() {
    generate "$SIZE" >"$inputs/plain"
    "$native/xz-utils/src/xz/xz" -k -c -T2 --block-size=$((SIZE / 4 + 1)) -3 "$inputs/plain" >"$inputs/packed"
}

run_case() {
    case $1 in
    compress) program "$2/xz-utils/src/xz/xz" -k -c -T3 --block-size=$((SIZE / 4 + 1)) -3 "$inputs/plain" >out ;;
    decompress) program "$2/xz-utils/src/xz/xz" -d -k -c -T3 --memlimit-mt-decompress=1GiB "$inputs/packed" >out ;;
    esac
}
