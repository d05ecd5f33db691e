# Turns a manual page of docs/man/ (Markdown) into roff: awk -v version=0.1.0 -f scripts/man.awk PAGE.md
#
# Known: "# name(1): summary" (once, first), "## SECTION", "### subsection", paragraphs, fenced code,
# "- `term`: text" (a definition), "- text" (a bullet), `code`, **bold** and *emphasis*. The rest is refused.

function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# `code` is bold, **bold** too, *emphasis* italic; nothing nests.
function inline(text,    out, at) {
    out = ""
    while (match(text, /`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*/)) {
        out = out plain(substr(text, 1, RSTART - 1))
        at = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (at ~ /^`/)
            out = out "\\fB" plain(substr(at, 2, length(at) - 2)) "\\fR"
        else if (at ~ /^\*\*/)
            out = out "\\fB" plain(substr(at, 3, length(at) - 4)) "\\fR"
        else
            out = out "\\fI" plain(substr(at, 2, length(at) - 2)) "\\fR"
    }
    return out plain(text)
}

# A text line: one that begins with a dot or a quote would be taken for a request.
function say(text) {
    sub(/^ +/, "", text)
    text = inline(text)
    if (text ~ /^[.']/)
        text = "\\&" text
    print text
}

function refuse(what) {
    print FILENAME ":" FNR ": " what > "/dev/stderr"
    failed = 1
    exit 1
}

NR == 1 {
    if (!match($0, /^# [a-z+-]+\([1-8]\): /))
        refuse("the first line must be '# name(section): summary'")
    name = $2
    sub(/\(.*/, "", name)
    section = $2
    gsub(/[^0-9]/, "", section)
    summary = substr($0, RLENGTH + 1)
    printf ".TH %s %s \"\" \"heddle %s\" \"Heddle\"\n", toupper(name), section, version
    print ".SH NAME"
    print plain(name) " \\- " inline(summary)
    next
}
/^```/ {
    if (fenced)
        print ".fi\n.RE"
    else
        print ".PP\n.RS 4\n.nf"
    fenced = !fenced
    next
}
fenced {
    text = plain($0)
    print (text ~ /^[.']/ ? "\\&" : "") text
    next
}
/^## / { print ".SH " substr($0, 4); fresh = 1; next }
/^### / { print ".SS \"" inline(substr($0, 5)) "\""; fresh = 1; next }
/^#/ { refuse("this kind of heading is not known") }
/^\|/ { refuse("tables are not known: use '- `term`: text'") }
/^- `[^`]+`(, `[^`]+`)*: / {
    match($0, /^- `[^`]+`(, `[^`]+`)*: /)
    split_at = RLENGTH # inline() matches, too
    print ".TP"
    print inline(substr($0, 3, split_at - 4))
    say(substr($0, split_at + 1))
    next
}
/^- / { print ".IP \\(bu 2"; say(substr($0, 3)); next }
/^ *$/ { fresh = 0; gap = 1; next }
{
    if (gap && !fresh && $0 !~ /^ /)
        print ".PP"
    gap = 0
    fresh = 0
    say($0)
}
END {
    if (fenced && !failed)
        refuse("a code block is not closed")
}
