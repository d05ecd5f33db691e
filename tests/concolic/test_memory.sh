#!/usr/bin/env bash
# Inputs that make a program leave a variable or heap block, use a block that is gone, or meet the end of what there is to
# read: each is found with its input; a program that checks is not reported, and its search is complete.
. "$SOURCE/common.sh" || exit 1
enter memory
cat >memory.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int table[8];
static volatile int seen;
int main(void)
{
    unsigned char b[2] = {0};
    int local[8] = {0}, *heap = malloc(8 * sizeof *heap);
    if (fread(b, 1, 2, stdin) < 2 || b[0] != 'B')
        return 0;
    int i = b[1];
#ifdef CORRECT
    i &= 7;
#endif
    switch (KIND) {
    case 0: table[i] = 3; break;
    case 1: heap[i] = 3; break;
    case 2: local[i] = 3; break;
    case 3: seen = table[i]; break;
    case 4: if (i > 7) free(heap); heap[0] = 1; break;
    case 5: for (int k = 0; k <= i; k++) heap[k] = k; break;
    case 6: if (i > 7) free(heap); free(heap); heap = 0; break;
    }
    seen = table[0] + (heap ? heap[0] : 0) + local[0];
    return 0;
}
C
texts=("out of bounds: write of 4 bytes at offset " "out of bounds: write of 4 bytes at offset " "out of bounds: write of 4 bytes"
    "out of bounds: read of 4 bytes at offset " "use after free of a heap block of 32 bytes" "out of bounds: access of a heap block of 32 bytes" "double free of a heap block of 32 bytes")
for kind in 0 1 2 3 4 5 6; do
    build "bad$kind" -O0 -DKIND=$kind memory.c
    hunt "bad$kind" --size 2 --max-paths 400 -- "./bad$kind"
    check "kind $kind: exit code" 66 "$status"
    check "kind $kind: found" true "$(field "bad$kind" "[.findings[].text | contains(\"${texts[kind]}\")] | any")"
    # What a replay confirms is called the same.
    check "kind $kind: confirmed" true "$(grep -qF "${texts[kind]}" "bad$kind.d/report.txt" && echo true)"
    test=$(field "bad$kind" '.findings[0].input')
    check "kind $kind: the input" B "$(head -c 1 "${test%.input}.stdin")"
    [ $kind = 5 ] && continue # a path for each number of rounds
    build "good$kind" -O0 -DCORRECT -DKIND=$kind memory.c
    hunt "good$kind" --size 2 -- "./good$kind"
    check "kind $kind, correct: exit code" 0 "$status"
    check "kind $kind, correct: complete" true "$(field "good$kind" .complete)"
done

# ---- addresses that a program counts with are its own matter ----
cat >count.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static int table[256];
int main(void)
{
    unsigned char b[2] = {0};
    if (fread(b, 1, 2, stdin) < 2)
        return 0;
    for (int i = 0; i < 5000; i++) /* more than are kept in mind */
        free(malloc(8));
    char *heap = malloc(64);
    int *q = malloc(8 * sizeof *q);
    volatile uintptr_t difference = (uintptr_t)table - (uintptr_t)heap;
    int *p = (int *)(((uintptr_t)heap + 4 * b[0]) + difference); /* always inside of table */
    *p = 3;
    if (b[1] > 2 && b[1] < LIMIT)
        q[b[1] - 3] = 1;
    return table[0] == 4;
}
C
build count -O0 -DLIMIT=11 count.c
hunt count --size 2 --max-paths 100 -- ./count
check "a difference of addresses: exit code" 0 "$status"
check "a difference of addresses: findings" 0 "$(field count '.findings | length')"
build counted -O0 -DLIMIT=12 count.c
hunt counted --size 2 --max-paths 100 -- ./counted
check "one too many: exit code" 66 "$status"
check "one too many" true "$(field counted '[.findings[].text | contains("out of bounds: write of 4 bytes at offset 32 of a heap block of 32")] | any')"

# ---- how much there is to read ----
cat >length.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    char line[16] = "";
    int n = 0;
    switch (KIND) {
    case 0: n = (int)read(0, line, 5); break;
    case 1: while (getchar() != EOF) n++; break;
    case 2: n = fgets(line, sizeof line, stdin) ? (int)strlen(line) : -1; break;
    case 3: n = (int)fread(line, 1, 8, stdin); break;
    case 4: { FILE *f = fopen("some.txt", "r"); while (f && getc(f) != EOF) n++; break; }
    }
    if (n == WANTED)
        abort();
    return 0;
}
C
printf ab >some.txt
length() { # length KIND WANTED STATUS
    build "length$1_$2" -O1 "-DKIND=$1" "-DWANTED=($2)" length.c
    hunt "length$1_$2" --size 6 --input "${4:-stdin}" --times 1 -- "./length$1_$2"
    check "reading of kind $1, $2 bytes" "$3" "$status"
}
length 0 0 66; length 0 3 66; length 0 5 66
length 1 0 66; length 1 4 66; length 1 6 66; length 1 7 0
length 2 -1 66; length 2 3 66
length 3 0 66; length 3 6 66; length 3 7 0
length 4 0 66 file:some.txt; length 4 2 66 file:some.txt; length 4 6 66 file:some.txt
check "a number of bytes that cannot be: complete" true "$(field length3_7 .complete)"
finish
