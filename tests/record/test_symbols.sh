#!/usr/bin/env bash
# The runtime and our OpenMP export the functions of `heddle doctor --apis`; the runtime its hooks and nothing else.
set -u
work=$TMP_DIR/record/symbols
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
export LC_ALL=C
{
    nm -D --defined-only "$RT_DIR/libheddle_rt.so" | awk '{ sub(/@.*/, "", $3); print $3 }'
    [ ! -e "$RT_DIR/libheddle_omp.so" ] || nm -D --defined-only "$RT_DIR/libheddle_omp.so" | awk '$3 ~ /^(__kmpc_|omp_)/ { print $3 }'
} | sort -u >exported
"$HEDDLE" doctor --apis | awk '{ print $2 }' | sort >modelled
sort -u modelled | cmp -s - modelled || { echo "FAIL a function is listed twice: $(uniq -d modelled)" >&2; exit 1; }
missing=$(comm -13 exported modelled)
[ -z "$missing" ] || { echo "FAIL modelled, but not exported: $missing" >&2; exit 1; }
more=$(comm -23 exported modelled | grep -Ev '^(__tsan_|__hd_|__sanitizer_syscall_|(WTF)?Annotate|RunningOnValgrind$|ValgrindSlowdown$)')
[ -z "$more" ] || { echo "FAIL exported, but not modelled: $more" >&2; exit 1; }
[ "$(wc -l <modelled)" -gt 250 ] || { echo "FAIL only $(wc -l <modelled) functions" >&2; exit 1; }
exit 0
