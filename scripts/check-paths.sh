#!/usr/bin/env bash
# No absolute path of somebody's machine and no registry host anywhere in the tree. Brackets keep this file from
# finding itself.
set -u
cd "$(dirname "$0")/.." || exit 1
paths='(^|[^A-Za-z0-9_./$})-])/(wor[k]|hom[e]|roo[t]|User[s]|mn[t])/[A-Za-z0-9_.]'
hosts='docker[.]io|gh[c]r[.]io|g[c]r[.]io|qua[y][.]io|npmjs[.](org|com)|pypi[.]org|pythonhosted[.]org|crates[.]io|deb[.]debian[.]org|security[.]debian[.]org|archive[.]ubuntu[.]com|artifactor[y]|jfro[g]'
if git ls-files -z --cached --others --exclude-standard | xargs -0 -r grep -nIE "$paths|$hosts" 2>/dev/null; then
    echo "machine paths and registry hosts do not belong in the tree"
    exit 1
fi
