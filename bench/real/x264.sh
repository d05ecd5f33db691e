# x264 without assembler: frame threads and slice threads on generated frames.
packages=(x264)
cases=(frames slices)
leaves=(out.264)

build() {
    (cd x264 && ./configure --disable-asm --disable-opencl --disable-avs --disable-swscale --disable-lavf --disable-ffms \
        --disable-gpac --disable-lsmash --extra-cflags="$CFLAGS" && make -j2 x264)
}

# A moving gradient with a square on it, planar 4:2:0.
input() {
    awk -v n="$FRAMES" -v w=64 -v h=48 'BEGIN {
        for (f = 0; f < n; f++) {
            for (y = 0; y < h; y++)
                for (x = 0; x < w; x++)
                    printf "%c", (x > 4 * f % w && x < 4 * f % w + 12 && y > 10 && y < 30) ? 200 : 16 + (x * 2 + y + f * 3) % 100
            for (i = 0; i < w * h / 2; i++)
                printf "%c", 100 + (i + f) % 20
        }
    }' | LC_ALL=C cat >"$inputs/frames.yuv"
}

run_case() {
    local threads=(--threads 3)
    [ "$1" = frames ] || threads=(--threads 3 --sliced-threads)
    program "$2/x264/x264" --quiet --no-progress --input-res 64x48 --fps 25 --preset veryfast "${threads[@]}" -o out.264 "$inputs/frames.yuv"
    mv out.264 out
}
