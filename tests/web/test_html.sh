# The HTML report in a browser: list, pages, picture, keys, accessibility, hostile texts, no network.
. "$TESTS/web/lib.sh"
need node chromium "$web/node_modules/playwright-core" "$web/node_modules/axe-core"
node "$web/html.js" "$out" "$(command -v chromium)" || failures=1
finish
