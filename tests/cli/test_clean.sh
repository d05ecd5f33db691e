#!/usr/bin/env bash
# heddle clean: removes old runs, and nothing that is not a run; latest stays true.
. "$TESTS/cli/lib.sh" || exit 1
cp "$TESTS/../examples/hidden.c" .
link() { readlink heddle-out/latest; }
# again: heddle-out as three runs left it; the second one runs the program of the first.
again() { rm -rf heddle-out && cp -a kept heddle-out; }

heddle clean
expect_code 0
expect_out "nothing to remove: there is no heddle-out here"
heddle clean nowhere
expect_code 3
expect_err "nowhere: No such file or directory"

heddle run --times 1 --runs 1 hidden.c
heddle run --times 1 --runs 1 -- heddle-out/1/hidden
heddle explore --runs 2 hidden.c
expect "there are no three runs" [ -e heddle-out/3/report.json ]
cp -a heddle-out kept

# ---- what is removed, and what it says ----
bytes=$(find heddle-out/1 heddle-out/2 -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
heddle clean --dry-run
expect_code 0
expect_out "would remove heddle-out/1: "
expect_out "would remove 2 runs, $bytes bytes"
expect "a dry run removed something" diff -r kept heddle-out
heddle clean
expect_code 0
expect_no_err
expect_out "removed heddle-out/1: "
expect_out "removed 2 runs, $bytes bytes"
expect "not only the latest is left: $(ls heddle-out)" [ "$(ls heddle-out | xargs)" = "3 latest" ]
expect "latest is another one" [ "$(link)" = 3 ]
heddle clean
expect_code 0
expect_out "nothing to remove"

# ---- what is kept ----
again
heddle clean --keep 2
expect_code 0
expect_out "kept heddle-out/1: heddle-out/2 runs its program"
expect "something was removed" diff -r kept heddle-out
again; ln -sfn 1 heddle-out/latest
heddle clean
expect "not the latest is kept" [ "$(ls heddle-out | xargs)" = "1 latest" ]
again; rm heddle-out/1/report.json heddle-out/1/hidden; mkdir heddle-out/4
heddle clean
expect_code 0
expect "a run that may be at work was removed" [ -e heddle-out/1/run.hdr ]
expect "a run that begins was removed" [ -d heddle-out/4 ]
expect "the finished one was not removed" [ ! -e heddle-out/2 ]
touch -d '2 days ago' heddle-out/1/* heddle-out/1
heddle clean
expect_code 0
expect "a run that has ended long ago is left" [ ! -e heddle-out/1 ]

# ---- latest ----
again; ln -sfn 77 heddle-out/latest
heddle clean
expect "latest is not the newest" [ "$(link)" = 3 ]
again
heddle clean --keep 0
expect_code 0
expect "--keep 0 left $(ls heddle-out)" [ -z "$(ls -A heddle-out)" ]

# ---- what is not ours ----
again; echo mine >heddle-out/1/notes.txt
heddle clean
expect_code 3
expect_err "heddle-out/1: 'notes.txt' is not a file of a run; left"
expect "a folder with other files is not whole" [ "$(ls heddle-out/1 | wc -l)" = $(($(ls kept/1 | wc -l) + 1)) ]
expect "the others are not removed" [ ! -e heddle-out/2 ]
again; cp hidden.c heddle-out/2/hidden
heddle clean
expect_code 3
expect_err "heddle-out/2: 'hidden' is not a file of a run; left"
again; mkdir heddle-out/4 heddle-out/5 other; echo mine >heddle-out/4/report.json; mv heddle-out/1 heddle-out/name
echo mine >heddle-out/5/run.hdr; touch -d '2 days ago' heddle-out/5/run.hdr
heddle clean
expect_code 3
expect_err "heddle-out/4: it has no report and no trace of heddle; left"
expect_err "heddle-out/5: it has no report and no trace of heddle; left"
expect "a folder that is no run was removed" [ -e heddle-out/4/report.json ]
expect "a folder without a number was removed" [ -e heddle-out/name/report.json ]

# ---- symbolic links are not followed ----
again; mv heddle-out/1 outside; ln -s ../outside heddle-out/1
heddle clean
expect_code 3
expect_err "heddle-out/1: not a folder, or a symbolic link; left"
expect "a link was followed" [ -e outside/report.json ]
again; mv heddle-out/2/run.hdr secret; ln -s ../../secret heddle-out/2/run.hdr
heddle clean
expect_code 3
expect_err "heddle-out/2: 'run.hdr' is not a file of a run; left"
expect "the end of a link was removed" [ -s secret ]
again; mv heddle-out real; ln -s real heddle-out
for name in "" heddle-out/ heddle-out//; do
    heddle clean ${name:+"$name"}
    expect_code 3
    expect_err "heddle-out: not a folder, or a symbolic link"
    expect "a link was followed" [ -e real/1/report.json ]
done

# ---- elsewhere; refusals ----
heddle clean real
expect_code 0
expect_out "removed real/1: "
heddle clean --keep some
expect_usage "some"
heddle clean real real
expect_usage "real"
finish
