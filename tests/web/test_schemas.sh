# JSON reports against our schema, SARIF against that of the standard, which a package carries.
. "$TESTS/web/lib.sh" || exit 1
need node "$web/node_modules/@microsoft/jest-sarif"
"$HEDDLE" merge "$out"/{bank,hostile,many}.json -o "$out/merged.json" || fail "heddle merge"
node "$web/schemas.js" "$TESTS/../docs/report.schema.json" "$out"/{bank,hostile,empty,merged}.json "$out"/*.sarif || failures=1
finish
