# `ctest -T memcheck` with ThreadSanitizer as the checker: it reads what --format tsan writes to the log it asks for.
. "$TESTS/web/lib.sh" || exit 1
mkdir "$out/project" && cd "$out/project" || exit 1
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(p NONE)
set(MEMORYCHECK_TYPE ThreadSanitizer)
include(CTest)
add_test(NAME races COMMAND $HEDDLE report $out/bank.json --format tsan)
add_test(NAME hostile COMMAND $HEDDLE report $out/hostile.json --format tsan)
add_test(NAME clean COMMAND $HEDDLE report $out/empty.json --format tsan)
END
expect "the project configures" cmake -S . -B b
ctest --test-dir b -T memcheck >log 2>&1
found=$(sed -nE 's/.*(data race|atomicity violation|lock-order-inversion.*) - ([0-9]+)$/\1=\2/p' log | sort | tr '\n' ' ')
[ "$found" = "atomicity violation=2 data race=2 lock-order-inversion (potential deadlock)=2 " ] || { fail "ctest counts: $found"; cat log; }
xml=$(find b/Testing -name DynamicAnalysis.xml)
expect "ctest writes its result" xmllint --noout "$xml"
for case in races=3 hostile=3 clean=0; do
    n=$(xmllint --xpath "count(//Test[Name='${case%=*}']/Results/Defect)" "$xml")
    [ "$n" = "${case#*=}" ] || fail "${case%=*}: $n defects in DynamicAnalysis.xml"
done
finish
