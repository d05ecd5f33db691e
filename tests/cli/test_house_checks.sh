#!/usr/bin/env bash
# The house checks themselves: each accepts a small clean tree and refuses the tree with one fault planted in it.
set -u
root=$(cd "$TESTS/.." && pwd)
tree=$TMP_DIR/house-checks.$$
trap 'rm -rf "$tree"' EXIT
failures=0

fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/src/base" "$tree/src/trace" "$tree/src/cli" "$tree/include/heddle" "$tree/build/hd_base.dir"
    cp -r "$root/scripts" "$root/.clang-format" "$tree/"
    grep '^#' "$root/scripts/size-exceptions.txt" >"$tree/scripts/size-exceptions.txt"
    cd "$tree" || exit 1
    git init -q .
    mkdir docs
    grep '^|' "$root/docs/ARCHITECTURE.md" >docs/ARCHITECTURE.md
    mkdir docs/algorithms
    grep -oE 'docs/[A-Za-z_/-]+\.md' docs/ARCHITECTURE.md | xargs touch
    printf '# base\n\n| file | what |\n|---|---|\n| `a.c`, `a.h` | things |\n' >src/base/README.md
    printf '# trace\n\n| file | what |\n|---|---|\n| `t.[ch]` | things |\n' >src/trace/README.md
    printf '# cli\n\n| file | what |\n|---|---|\n| `cmd_<verb>.c` | one command |\n' >src/cli/README.md
    printf '# heddle\n\n| file | what |\n|---|---|\n| `fmt.h` | format |\n' >include/heddle/README.md
    printf 'int hd_a(int x);\n' >src/base/a.h
    printf '#include "base/a.h"\n\n/* never printf("x") here */\nint hd_a(int x)\n{\n    return x;\n}\n' >src/base/a.c
    printf 'int hd_t(void);\n' >src/trace/t.h
    printf '#include "base/a.h"\n#include "heddle/fmt.h"\n#include "trace/t.h"\n\nint hd_t(void)\n{\n    return hd_a(1);\n}\n' >src/trace/t.c
    printf '#include "trace/t.h"\n\n#include <stdio.h>\n\nint main(void)\n{\n    return printf("%%d", hd_t());\n}\n' >src/cli/cmd_x.c
    printf '#include <stdint.h>\n' >include/heddle/fmt.h
    cc -c -Isrc src/base/a.c -o build/hd_base.dir/a.o
}

accepts() { # accepts CHECK
    "scripts/check-$1.sh" build >out.txt 2>&1 || { echo "check-$1 refuses a clean tree:"; cat out.txt; failures=1; }
    rm -f out.txt
}

refuses() { # refuses CHECK TEXT-IN-MESSAGE
    if "scripts/check-$1.sh" build >"$tree.out" 2>&1; then
        echo "check-$1 does not see: $2"
        failures=1
    elif ! grep -qF -- "$2" "$tree.out"; then
        echo "check-$1 does not name '$2':"
        cat "$tree.out"
        failures=1
    fi
    rm -f "$tree.out"
}

lines() { for _ in $(seq "$1"); do printf '%s\n' "$2"; done; }

fresh_tree
for check in format sizes includes prints symbols rooms names words paths scripts docs; do accepts $check; done

fresh_tree; sed -i '/^| `base/d' docs/ARCHITECTURE.md; refuses rooms 'lacks this row of scripts/rooms.txt: | `base/`'
fresh_tree; mkdir src/trace/sub; touch src/trace/sub/a.c; refuses names "two files are called a"
fresh_tree; printf 'struct hd_x {\n    int a;\n};\n' | tee -a src/base/a.c >>src/trace/t.c; refuses names "struct hd_x is defined in"
fresh_tree; echo 'int hd_t(int x);' >>src/base/a.h; refuses names "headers must go together"
fresh_tree; echo 'int hd_stranger_get(int x);' >>src/base/a.h; refuses names "hd_stranger_get is not called after its file or a type of it"
fresh_tree; printf 'struct hd_pole;\nint hd_pole_get(int x);\nint hd_a_get(int x);\n' >>src/base/a.h; accepts names
fresh_tree; mkdir src/elsewhere; refuses includes "src/elsewhere: unknown room"
fresh_tree; printf 'int  hd_b;\n' >>src/base/a.c; refuses format a.c
fresh_tree; lines 801 '/* x */' >src/base/a.c; refuses sizes "src/base/a.c: the file has 801 lines"
fresh_tree; lines 800 '/* x */' >src/base/a.c; accepts sizes
fresh_tree; lines 251 '/* x */' >src/base/a.h; refuses sizes "src/base/a.h: the file has 251 lines"
fresh_tree; { printf 'static int\nlong_one(int a,\n         int b)\n{\n'; lines 56 '    a++;'; echo '}'; } >>src/base/a.c
refuses sizes "function long_one has 61 lines"
echo "src/base/a.c long_one it is a table" >>scripts/size-exceptions.txt; accepts sizes
fresh_tree; { printf 'static int fits(int a)\n{\n'; lines 57 '    a++;'; echo '}'; } >>src/base/a.c; accepts sizes
fresh_tree; echo "src/base/a.c hd_a no need" >>scripts/size-exceptions.txt; refuses sizes "not needed"
fresh_tree; echo "src/base/a.c hd_a" >>scripts/size-exceptions.txt; refuses sizes "no reason"
fresh_tree; echo '#include "trace/t.h"' >>src/base/a.c; refuses includes "base may not include trace"
fresh_tree; echo '#include "a.h"' >>src/base/a.c; refuses includes '"base/a.h"'
fresh_tree; echo '#include <z3.h>' >>src/trace/t.c; refuses includes "only src/solve"
fresh_tree; echo '#include <llvm-c/Core.h>' >>src/trace/t.c; refuses includes "only src/pass"
fresh_tree; echo '#include "heddle/gone.h"' >>src/trace/t.c; refuses includes "include/heddle/gone.h"
fresh_tree; echo '#include "base/a_int.h"' >>src/trace/t.c; refuses includes "private to base"
fresh_tree; echo '#include "base/a.h"' >>include/heddle/fmt.h; refuses includes "only system headers"
fresh_tree; mkdir src/shed; refuses includes "unknown room"
for call in 'printf("x")' 'exit(1)' 'fputs("x", stderr)' 'abort()' '_exit(1)' 'perror("x")'; do
    fresh_tree; printf 'void hd_c(void)\n{\n    %s;\n}\n' "$call" >>src/trace/t.c; refuses prints "src/trace/t.c:"
done
fresh_tree; echo 'int stray;' | cc -xc -c - -o build/hd_base.dir/b.o; refuses symbols stray
fresh_tree; rm -r build/hd_base.dir; refuses symbols "no objects"
fresh_tree; rm src/trace/README.md; refuses rooms "src/trace/README.md is missing"
fresh_tree; touch src/base/extra.c; refuses rooms "does not name extra.c"
fresh_tree; rm src/trace/t.[ch]; refuses rooms "names t, which is not there"
word=TO; word=${word}DO
fresh_tree; echo "/* $word: more */" >>src/base/a.c; refuses words a.c
fresh_tree; echo '/* nobody calls this */' >>src/base/a.h; refuses words 'say which: a thread'
word=st; word=${word}ub
fresh_tree; echo "/* a $word */" >>include/heddle/fmt.h; refuses words fmt.h
slash=/
fresh_tree; echo "see ${slash}home/somebody/x" >NOTES; refuses paths NOTES
dot=.
fresh_tree; echo "from pypi${dot}org" >NOTES; refuses paths NOTES
fresh_tree; echo '. ./lib.sh' >run.sh; refuses scripts run.sh

long=$(printf '%0101d' 0) d=docs
fresh_tree; echo "$long" >README.md; refuses docs "README.md:1: 101 columns"
fresh_tree; { echo "| $long |"; echo; echo '```'; echo "$long"; echo '```'; printf '\303\251%.0s' $(seq 100); echo; } >README.md; accepts docs
fresh_tree; printf '```\nx\n' >$d/X.md; refuses docs "$d/X.md: a code block is not closed"
fresh_tree; echo "see [this]($d/GONE.md)" >README.md; refuses docs "the link to $d/GONE.md leads nowhere"
fresh_tree; echo "/* see $d/algorithms/gone.md */" >>src/base/a.c; refuses docs "src/base/a.c names $d/algorithms/gone.md"
fresh_tree; mkdir -p src/cli $d/man; printf 'enum hd_exit {\n    HD_EXIT_INPUT = 3, /* x */\n};\n' >src/cli/cli.h
printf '## Exit codes\n\n| 3 | x |\n' >README.md; printf '## EXIT STATUS\n\n- `3`: x\n' >$d/man/heddle.1.md; accepts docs
echo '- `9`: y' >>$d/man/heddle.1.md; refuses docs "$d/man/heddle.1.md: other exit codes than enum hd_exit: 3"
fresh_tree; echo "/* as in gone.c */" >>src/base/a.c; refuses docs "the comment names gone.c"
fresh_tree; echo "/* as in a.h and dir/file.c */" >>src/base/a.c; accepts docs
fresh_tree; echo "see \`src/base/gone.c\` and \`src/base/a.[ch]\`" >README.md; refuses docs "README.md names src/base/gone.c"

exit $failures
