# libwebp's own tools: a second thread analyses half of the picture and codes the alpha plane, or filters while rows are decoded.
packages=(libwebp)
cases=(encode decode)

build() {
    local flags="$CFLAGS -w -DWEBP_USE_THREAD -DHAVE_UNISTD_H -Ilibwebp -Ilibwebp/src"
    local library=(libwebp/src/{dec,dsp,enc,utils,demux,mux}/*.c libwebp/sharpyuv/*.c)
    local tools=(libwebp/imageio/{image_dec,image_enc,imageio_util,jpegdec,metadata,pngdec,pnmdec,tiffdec,webpdec}.c libwebp/examples/example_util.c)
    mkdir -p objects && for file in "${library[@]}" "${tools[@]}"; do
        $CC $flags -c "$file" -o "objects/$(tr / - <<<"$file").o"
    done
    for tool in cwebp dwebp; do
        $CC $flags libwebp/examples/$tool.c objects/*.o -lm -pthread -o $tool.bin
    done
}

# Discs on a gradient, with an alpha plane, as PAM. Narrower pictures are decoded by one thread.
input() {
    awk -v w=512 -v h=$((FRAMES * 4)) 'BEGIN {
        printf "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", w, h
        for (y = 0; y < h; y++)
            for (x = 0; x < w; x++) {
                inside = (x % 40 - 20) ^ 2 + (y % 40 - 20) ^ 2 < 200
                printf "%c%c%c%c", 1 + x % 100, 1 + (x * y) % 120, inside ? 90 : 20, inside ? 127 : 1 + y % 60
            }
    }' | LC_ALL=C cat >"$inputs/picture.pam"
    "$native/cwebp.bin" -quiet -m 4 "$inputs/picture.pam" -o "$inputs/picture.webp"
}

run_case() {
    case $1 in
    encode) program "$2/cwebp.bin" -quiet -mt -m 4 "$inputs/picture.pam" -o out ;;
    decode) program "$2/dwebp.bin" -quiet -mt "$inputs/picture.webp" -ppm -o out ;;
    esac
}
