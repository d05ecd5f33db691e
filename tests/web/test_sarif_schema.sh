# SARIF against the schema of the standard, from a package that carries it.
. "$TESTS/web/lib.sh"
need node "$web/node_modules/@microsoft/jest-sarif"
node "$web/sarif.js" "$out"/*.sarif || failures=1
finish
