"""Runs every program of programs.txt once under `heddle run` and five times under ThreadSanitizer, and compares the
pairs of source lines that each reports."""
import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TSAN_RUNS = 5
LIMIT = 120  # seconds for any one command


def programs(quick):
    for line in open(os.path.join(HERE, "programs.txt")):
        words = line.split("#")[0].split()
        if not words:
            continue
        name, source, flags, variables = words[:4]
        if quick and "quick" not in words[4:]:
            continue
        ordered = [w[len("ordered:"):] for w in words[4:] if w.startswith("ordered:")]
        yield (name, os.path.join(ROOT, source), [] if flags == "-" else flags.split(","),
               set() if variables == "-" else set(variables.split(",")), set(ordered))


def command(words, **more):
    start = time.monotonic()
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=LIMIT, errors="replace", **more)
    return done, time.monotonic() - start


def build(words, out):
    done, _ = command(words + ["-o", out])
    if done.returncode:
        sys.exit("recall: " + " ".join(words) + ": " + done.stderr)


def base(variable):
    """'cache[3].known' and 'config->size' belong to 'cache' and 'config'; a field goes by its own name, too."""
    parts = re.split(r"[^A-Za-z_0-9]+", variable or "")
    return set(p for p in parts if p)


def heddle(tool, source, flags, variables, folder):
    program = os.path.join(folder, "heddle")
    verb = "c++" if source.endswith(".cpp") else "cc"
    build([tool, verb, "-g", "-O1", "-pthread"] + flags + [source], program)
    out = os.path.join(folder, "out")
    done, seconds = command([tool, "run", "-q", "-o", out, "--", program])
    report = json.load(open(os.path.join(out, "report.json")))
    pairs, wrong = set(), 0
    follows = set()
    for race in report["races"]:
        if race["property"] != "race":
            wrong += not variables
            continue
        lines = [a["line"] for a in race["accesses"]]
        if race["status"] != "predicted" or race["counts"] == "error":
            pairs.add(tuple(sorted(lines)))
        for text in race.get("follows", []):
            at = re.findall(r"/%s:(\d+)" % re.escape(os.path.basename(source)), text)
            follows.add(tuple(sorted(int(n) for n in at[:2])))
        wrong += not base(race["variable"]) & variables
    if not variables and done.returncode:
        wrong = max(wrong, 1)  # undecided, or the program itself failed
    return pairs, follows, wrong, seconds, report["runs"]


def tsan_pairs(text, source):
    """The first frame in our source of each of the two accesses."""
    name = re.escape(os.path.basename(source))
    for report in text.split("WARNING: ThreadSanitizer: ")[1:]:
        if not report.startswith("data race"):
            continue
        accesses = re.split(r"\n  (?=\S)", report.split("\n  Location is")[0])
        lines = []
        for access in accesses:
            if re.match(r"(Previous )?(atomic )?(read|write) of size", access, re.I):
                frame = re.search(r"/%s:(\d+)" % name, access)
                lines.append(int(frame.group(1)) if frame else 0)
        if len(lines) >= 2:
            yield tuple(sorted(lines[:2]))


def tsan(source, flags, folder):
    program = os.path.join(folder, "tsan")
    compiler = "clang++" if source.endswith(".cpp") else "clang"
    build([compiler, "-g", "-O1", "-pthread", "-fsanitize=thread"] + flags + [source], program)
    env = dict(os.environ, TSAN_OPTIONS="history_size=7")
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []
    pairs, seconds = set(), 0
    for _ in range(TSAN_RUNS):
        done, once = command(fixed + [program], env=env)
        seconds += once
        pairs |= set(tsan_pairs(done.stderr, source))
    return pairs, seconds


def not_found(theirs, ours):
    """Pairs of theirs; 0 is a place that ThreadSanitizer could not tell, and stands for any."""
    left = set()
    for a, b in theirs:
        if not any((a, b) == p or (a == 0 and b in p) for p in ours):
            left.add((a, b))
    return left


def show(pairs):
    return " ".join("%d-%d" % p for p in sorted(pairs))


def main():
    args = argparse.ArgumentParser()
    args.add_argument("-q", action="store_true")
    args.add_argument("-n", action="store_true")
    args.add_argument("-o")
    args.add_argument("heddle")
    args = args.parse_args()
    rows, bad = [], 0
    for name, source, flags, variables, ordered in programs(args.q):
        folder = tempfile.mkdtemp(prefix="recall-")
        ours, follows, wrong, seconds, runs = heddle(os.path.abspath(args.heddle), source, flags, variables, folder)
        theirs, tsan_seconds = (set(), 0) if args.n else tsan(source, flags, folder)
        shutil.rmtree(folder)
        missed = not_found(theirs, ours | follows) if variables else set()
        known = {p for p in missed if show({p}) in ordered}
        missed -= known
        none = bool(variables) and not ours
        rows.append([name, "racy" if variables else "correct", len(ours), len(theirs), len(missed), len(known), wrong,
                     0 if variables else len(theirs), runs, "%.2f" % seconds, "%.2f" % tsan_seconds])
        if missed or wrong or none:
            bad += 1
            print("%s: heddle %s; ThreadSanitizer %s; missed %s; wrong %d" %
                  (name, show(ours) or "nothing", show(theirs) or "nothing", show(missed) or "nothing", wrong))
    if args.o:
        with open(args.o, "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(["program", "kind", "heddle_pairs", "tsan_pairs", "missed", "ordered", "heddle_false", "tsan_false",
                          "recordings", "heddle_seconds", "tsan_seconds"])
            out.writerows(rows)
    racy = [r for r in rows if r[1] == "racy"]
    print("%d programs, %d racy: found on %d (ThreadSanitizer, five runs: %d); pairs of lines %d (%d), missed %d; "
          "ordered by another race %d; false reports %d (%d); seconds %.1f (%.1f)" %
          (len(rows), len(racy), sum(r[2] > 0 for r in racy), sum(r[3] > 0 for r in racy), sum(r[2] for r in racy),
           sum(r[3] for r in racy), sum(r[4] for r in racy), sum(r[5] for r in rows), sum(r[6] for r in rows),
           sum(r[7] for r in rows), sum(float(r[9]) for r in rows), sum(float(r[10]) for r in rows)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
