# zstd with its thread pool. Decompression has one worker and one thread for input and output.
packages=(libzstd)
cases=(compress decompress)

build() {
    make -j2 -C libzstd/programs zstd HAVE_LZMA=0 HAVE_LZ4=0 HAVE_ZLIB=0 BACKTRACE=0 ZSTD_NO_ASM=1 \
        CC="$CC" CFLAGS="$CFLAGS -DZSTD_DISABLE_ASM=1" V=1
}

input() {
    generate "$SIZE" >"$inputs/plain"
    "$native/libzstd/programs/zstd" -q -k -c -3 "$inputs/plain" >"$inputs/packed"
}

run_case() {
    case $1 in
    compress) program "$2/libzstd/programs/zstd" -q -k -c -3 -T3 -B524288 "$inputs/plain" >out ;;
    decompress) program "$2/libzstd/programs/zstd" -q -d -k -c -T3 "$inputs/packed" >out ;;
    esac
}
