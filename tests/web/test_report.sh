# heddle report and heddle run: formats by name and by ending, what is overwritten, where TSan's words go.
. "$TESTS/web/lib.sh" || exit 1
cd "$out" || exit 1
heddle() { code=0; "$HEDDLE" "$@" >stdout 2>stderr || code=$?; }

# Every ending gives the format that --format gives, and the file the same as the standard output.
for pair in text=txt json=json sarif=sarif html=html perfetto=trace tsan=tsan junit=xml github=github gitlab=gitlab; do
    for name in bank hostile; do
        heddle report -v "$name.json" -f "${pair%=*}"
        [ $code = 0 ] || fail "--format ${pair%=*}: exit $code"
        cp stdout expected
        heddle report "$name.json" -o "new.${pair#*=}"
        [ $code = 0 ] || fail "-o new.${pair#*=}: exit $code"
        cmp -s expected "new.${pair#*=}" || fail "the ending .${pair#*=} is not ${pair%=*}"
        # A report of any format may be replaced by one of any other.
        heddle report bank.json -f json -o "new.${pair#*=}"
        [ $code = 0 ] || fail "a ${pair%=*} report of $name is not replaced"
    done
done
heddle report bank.json -o plain
grep -q 'heddle: ' plain || fail "a name without an ending is text"
heddle report bank.json -f hologram
[ $code = 2 ] || fail "an unknown format: exit $code"

# What is no report stays as it is.
for text in 'int main(void) { return 0; }' '{"schema": "mine"}' '<html></html>'; do
    echo "$text" >mine.json
    heddle report bank.json -o mine.json
    [ $code = 4 ] || fail "overwriting '$text': exit $code"
    [ "$(cat mine.json)" = "$text" ] || fail "'$text' was overwritten"
    grep -qF 'mine.json: it is there already and is no report of heddle' stderr || fail "no reason is given"
done
ln -s /dev/full full.html
heddle report bank.json -o full.html
[ $code = 4 ] || fail "a full disk: exit $code"
[ -z "$(find . -name '*.tmp*')" ] || fail "temporary files are left"

# TSAN_OPTIONS says where the log goes, in each of its forms.
for form in "log_path=$out/log" "a=1:log_path='$out/log':b=2" "verbosity=1 log_path=\"$out/log\""; do
    rm -f log.*
    TSAN_OPTIONS=$form heddle report bank.json -f tsan
    [ -s "$(echo log.*)" ] && [ ! -s stdout ] || fail "TSAN_OPTIONS=$form is not obeyed"
done
for form in log_path=stderr xlog_path=/nowhere/x ''; do
    TSAN_OPTIONS=$form heddle report bank.json -f tsan
    grep -q 'WARNING: ThreadSanitizer' stdout || fail "TSAN_OPTIONS='$form' takes the words away"
done

# The commands in a report lead to its witnesses from here.
mkdir -p runs/7 && cp bank.json runs/7/report.json
heddle report runs/7 -f junit
grep -q 'replay: heddle replay runs/7/witness-R-7f3a9c12.json' stdout || fail "the replay command does not find the witness"

# heddle run: files beside, and a format for what is printed.
if [ -e "$(dirname "$HEDDLE")/lib/heddle" ] && command -v clang >/dev/null; then
    cp "$TESTS/../examples/bank.c" .
    heddle run -t 1 -r r.sarif -r r.html --format github bank.c
    [ $code = 66 ] || { fail "heddle run: exit $code"; cat stderr; }
    grep -q '^::error file=bank.c,line=' stderr || fail "heddle run --format github prints no annotation"
    jq -e '.runs[0].results | length == 1' r.sarif >/dev/null || fail "heddle run -r r.sarif"
    grep -q '<!doctype html>' r.html || fail "heddle run -r r.html"
    grep -q '<!doctype html>' heddle-out/latest/report.html || fail "heddle run leaves no report.html"
    heddle run -r r.unknown bank.c
    [ $code = 2 ] || fail "heddle run -r r.unknown: exit $code"
fi
finish
