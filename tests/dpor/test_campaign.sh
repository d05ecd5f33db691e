#!/usr/bin/env bash
# Random programs: the classes, outcomes and races that dpor comes to against every thread at every
# node and against every order of every step (campaign.c). A longer campaign: dpor_campaign 1 2000 60.
set -u
dir=$TMP_DIR/random_programs
mkdir -p "$dir"
"$HEDDLE" cc -g -O1 "$SOURCE/random.c" -o "$dir/random" -pthread || exit 1
"$CAMPAIGN" 1 12 20 "$dir/random" || exit 1
# pthread_once: its flag was taken for memory like any other, and a caller that came while the
# routine ran did something else than one that came later. 181: a wait whose time was up before it
# began was not told from one without a limit, and its end by time was not tried before a signal.
for seed in 60 181 288; do
    "$CAMPAIGN" $seed $seed 10 "$dir/random" || exit 1
done
