"""Reads a --format tsan file the way CodeChecker's report converter reads ThreadSanitizer's output, and prints one line for each
report it would store: message, tab, file:line. After a heading it takes every line up to the next empty one, looks for the first
path:line[:column] in each, and places the report at the last of these. A heading without any place is dropped."""
import re
import sys

HEADING = re.compile(r"==[0-9]+==(?:ERROR|WARNING): ThreadSanitizer: ([\S \t]+)")
PLACE = re.compile(r"(\S+?):([0-9]+)(?::[0-9]+)?")

message, place = None, None
for line in open(sys.argv[1], encoding="utf-8", errors="replace").read().split("\n") + [""]:
    if message is None:
        heading = HEADING.match(line)
        message, place = (heading.group(1).strip(), None) if heading else (None, None)
    elif line.strip():
        found = PLACE.search(line)
        place = f"{found.group(1)}:{found.group(2)}" if found else place
    else:
        if place:
            print(f"{message}\t{place}")
        message = None
