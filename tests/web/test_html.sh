# The HTML report in a browser: list, pages, picture, keys, accessibility, hostile texts, no network.
. "$TESTS/web/lib.sh" || exit 1
need node chromium "$web/node_modules/playwright-core" "$web/node_modules/axe-core"
node "$web/html.js" "$out" "$(command -v chromium)" || failures=1
# The pictures of README are taken here: HEDDLE_PICTURES=docs/images. Each that shots.js takes is there, and no other.
[ -z "${HEDDLE_PICTURES:-}" ] || node "$web/shots.js" "$out" "$(command -v chromium)" "$HEDDLE_PICTURES" || failures=1
sed -n "s/^  \['\([a-z-]*\)', .*/\1.png/p" "$web/shots.js" | sort >"$out/taken"
(cd "$TESTS/../docs/images" && ls) | sort >"$out/kept"
expect "docs/images has not the pictures that shots.js takes" diff "$out/taken" "$out/kept"
finish
