# squashfs-tools (C): its own tools, with threads that read, compress and order the blocks of a file system, or read, expand and write them.
packages=(squashfs-tools)
cases=(make extract)
leaves=(out tree)

build() {
    make -C squashfs-tools/squashfs-tools -j2 CC="$CC" EXTRA_CFLAGS="$CFLAGS" GZIP_SUPPORT=1 XATTR_SUPPORT=0 mksquashfs unsquashfs
    cp squashfs-tools/squashfs-tools/mksquashfs make.bin
    cp squashfs-tools/squashfs-tools/unsquashfs extract.bin
}

input() {
    mkdir -p "$inputs/tree"
    for i in {1..9}; do
        generate $((SIZE / 50 * i)) >"$inputs/tree/$i"
    done
    "$native/make.bin" "$inputs/tree" "$inputs/image" -quiet -no-progress -noappend -b 16384 -mkfs-time 0 -all-time 0
}

run_case() {
    case $1 in
    make) program "$2/make.bin" "$inputs/tree" out -quiet -no-progress -noappend -processors 2 -b 16384 -mkfs-time 0 -all-time 0 >printed ;;
    extract)
        program "$2/extract.bin" -quiet -no-progress -processors 2 -force -dest tree "$inputs/image" >printed
        cat tree/* >out
        ;;
    esac
}
