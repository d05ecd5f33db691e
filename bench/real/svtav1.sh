# SVT-AV1's encoder on generated frames: a pipeline of some hundred threads that hand pictures on by queues, without assembler.
packages=(svt-av1)
cases=(encode)

build() {
    CC=$CC CXX=$CXX cmake -S svt-av1 -B work -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$CFLAGS -w" -DCOMPILE_C_ONLY=ON -DBUILD_DEC=OFF \
        -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCMAKE_OUTPUT_DIRECTORY="$PWD/bin" && cmake --build work -j2
}

# A moving gradient with a square on it, planar 4:2:0, as Y4M.
input() {
    awk -v n=$((FRAMES / 2)) -v w=64 -v h=64 'BEGIN {
        printf "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n", w, h
        for (f = 0; f < n; f++) {
            print "FRAME"
            for (y = 0; y < h; y++)
                for (x = 0; x < w; x++)
                    printf "%c", (x > 4 * f % w && x < 4 * f % w + 12 && y > 10 && y < 30) ? 120 : 16 + (x * 2 + y + f * 3) % 100
            for (i = 0; i < w * h / 2; i++)
                printf "%c", 100 + (i + f) % 20
        }
    }' | LC_ALL=C cat >"$inputs/frames.y4m"
}

run_case() {
    program "$2/bin/SvtAv1EncApp" -i "$inputs/frames.y4m" --preset 12 --progress 0 -b out
}
