# pbzip2 (C++) with libbz2, both instrumented: three threads compress and decompress.
packages=(pbzip2 bzip2)
cases=(compress decompress)

build() {
    (cd bzip2 && for f in blocksort huffman crctable randtable compress decompress bzlib; do
        $CC $CFLAGS -c $f.c
    done && ar rcs libbz2.a blocksort.o huffman.o crctable.o randtable.o compress.o decompress.o bzlib.o)
    $CXX $CFLAGS -std=c++98 -w -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION -Ibzip2 \
        pbzip2/pbzip2.cpp pbzip2/BZ2StreamScanner.cpp pbzip2/ErrorContext.cpp bzip2/libbz2.a -pthread -o pbzip2.bin
}

input() {
    generate "$SIZE" >"$inputs/plain"
    "$native/pbzip2.bin" -k -c -p1 -b1 "$inputs/plain" >"$inputs/packed"
}

run_case() {
    case $1 in
    compress) program "$2/pbzip2.bin" -c -k -p3 -b1 "$inputs/plain" >out ;;
    decompress) program "$2/pbzip2.bin" -d -c -k -p3 "$inputs/packed" >out ;;
    esac
}
