#include "report/data/shape.h"

#define FIELD(k, type, member, what, ...)                                                          \
    {                                                                                              \
        .key = k, .kind = HD_SHAPE_##what, .offset = offsetof(type, member), __VA_ARGS__           \
    }
#define GROUP(k, fields)                                                                           \
    {                                                                                              \
        .key = k, .kind = HD_SHAPE_GROUP, .shape = &(fields)                                       \
    }
#define SAME(type, member, of)                                                                     \
    {                                                                                              \
        .kind = HD_SHAPE_SAME, .offset = offsetof(type, member), .shape = &(of)                    \
    }
#define LIST(k, type, member, number, of)                                                          \
    FIELD(k, type, member, LIST, .count = offsetof(type, number), .shape = &(of))
#define STACK(k, type, member) LIST(k, type, member.frames, member.n, frame)
#define SHAPE(name, table, bytes)                                                                  \
    static const struct hd_shape name = {table, sizeof(table) / sizeof *(table), bytes}

static const struct hd_shape_field spot_fields[] = {
    FIELD("file", struct hd_spot, file, TEXT),
    FIELD("line", struct hd_spot, line, U32),
    FIELD("column", struct hd_spot, column, U32),
    FIELD("function", struct hd_spot, function, TEXT),
};
SHAPE(spot, spot_fields, sizeof(struct hd_spot));

static const struct hd_shape_field frame_fields[] = {
    SAME(struct hd_frame, at, spot),
    FIELD("module", struct hd_frame, module, TEXT),
};
SHAPE(frame, frame_fields, sizeof(struct hd_frame));

static const struct hd_shape_field held_fields[] = {
    FIELD("name", struct hd_held, name, TEXT, .need = true),
    FIELD("shared", struct hd_held, shared, BOOL),
    SAME(struct hd_held, taken, spot),
    FIELD("event", struct hd_held, event, U64),
    STACK("stack", struct hd_held, stack),
};
SHAPE(held, held_fields, sizeof(struct hd_held));

static const struct hd_shape_field snippet_fields[] = {
    FIELD("first", struct hd_snippet, first, U32),
    FIELD("lines", struct hd_snippet, lines, TEXTS, .need = true),
    FIELD("missing", struct hd_snippet, missing, TEXT),
};
SHAPE(snippet, snippet_fields, sizeof(struct hd_snippet));

static const struct hd_shape_field access_fields[] = {
    FIELD("thread", struct hd_access, thread, TEXT, .need = true),
    FIELD("kind", struct hd_access, kind, TEXT, .need = true),
    FIELD("size", struct hd_access, size, U32),
    SAME(struct hd_access, at, spot),
    FIELD("value", struct hd_access, value, TEXT),
    FIELD("event", struct hd_access, event, U64),
    LIST("held", struct hd_access, locks, n_locks, held),
    FIELD("locks", struct hd_access, locks, LOCKS, .count = offsetof(struct hd_access, n_locks)),
    STACK("stack", struct hd_access, stack),
    FIELD("source", struct hd_access, source, SUB, .shape = &snippet),
};
SHAPE(access_shape, access_fields, sizeof(struct hd_access));

static const struct hd_shape_field step_fields[] = {
    FIELD("thread", struct hd_schedule_step, thread, TEXT, .need = true),
    FIELD("op", struct hd_schedule_step, op, TEXT, .need = true),
    FIELD("object", struct hd_schedule_step, object, TEXT),
    FIELD("lock", struct hd_schedule_step, lock, TEXT),
    FIELD("value", struct hd_schedule_step, value, TEXT),
    FIELD("order", struct hd_schedule_step, order, TEXT),
    SAME(struct hd_schedule_step, at, spot),
    FIELD("event", struct hd_schedule_step, event, U64),
    FIELD("essential", struct hd_schedule_step, essential, BOOL),
    FIELD("racing", struct hd_schedule_step, racing, BOOL),
};
SHAPE(step, step_fields, sizeof(struct hd_schedule_step));

/* The summary stands in "effects", as docs/MODEL.md section 6 has it. */
static const struct hd_shape_field effect_fields[] = {
    FIELD("exit", struct hd_effect, exit_status, INT),
    FIELD("signal", struct hd_effect, signal, INT),
    FIELD("signal_name", struct hd_effect, signal_name, TEXT),
    FIELD("assertion", struct hd_effect, assertion, TEXT),
    FIELD("output_diff", struct hd_effect, output_diff, TEXT),
    FIELD("deadlock", struct hd_effect, deadlock, BOOL),
    FIELD("timeout", struct hd_effect, timeout, BOOL),
    STACK("stack", struct hd_effect, stack),
    FIELD("values", struct hd_effect, values, TEXTS),
};
SHAPE(effect, effect_fields, sizeof(struct hd_effect));

static const struct hd_shape_field made_fields[] = {
    FIELD("name", struct hd_thread_made, name, TEXT, .need = true),
    FIELD("parent", struct hd_thread_made, parent, TEXT),
    FIELD("role", struct hd_thread_made, role, TEXT),
    SAME(struct hd_thread_made, at, spot),
    FIELD("event", struct hd_thread_made, event, U64),
    STACK("stack", struct hd_thread_made, stack),
};
SHAPE(made, made_fields, sizeof(struct hd_thread_made));

static const struct hd_shape_field lock_fields[] = {
    FIELD("name", struct hd_lock_made, name, TEXT, .need = true),
    FIELD("made", struct hd_lock_made, made, BOOL),
    SAME(struct hd_lock_made, at, spot),
    FIELD("event", struct hd_lock_made, event, U64),
    STACK("stack", struct hd_lock_made, stack),
};
SHAPE(lock, lock_fields, sizeof(struct hd_lock_made));

static const struct hd_shape_field block_fields[] = {
    FIELD("number", struct hd_finding, block, U64),
    STACK("stack", struct hd_finding, block_stack),
};
SHAPE(block, block_fields, 0);

static const struct hd_shape_field advice_fields[] = {
    FIELD("lock", struct hd_finding, advice_lock, TEXT),
    FIELD("held", struct hd_finding, advice_held, U32),
    FIELD("of", struct hd_finding, advice_of, U32),
    FIELD("outside", struct hd_finding, advice_outside, TEXT),
    FIELD("text", struct hd_finding, advice_text, TEXT),
};
SHAPE(advice, advice_fields, 0);

static const struct hd_shape_field summary_fields[] = {
    FIELD("first", struct hd_finding, effects[0].summary, TEXT),
    FIELD("second", struct hd_finding, effects[1].summary, TEXT),
};
SHAPE(summaries, summary_fields, 0);

static const struct hd_shape_field outcome_fields[] = {
    FIELD("first", struct hd_finding, effects[0], SUB, .shape = &effect),
    FIELD("second", struct hd_finding, effects[1], SUB, .shape = &effect),
};
SHAPE(outcomes, outcome_fields, 0);

static const struct hd_shape_field replay_fields[] = {
    FIELD("confirmed", struct hd_finding, replays_confirmed, U32),
    FIELD("tried", struct hd_finding, replays_tried, U32),
    FIELD("of", struct hd_finding, met_in, TEXT),
};
SHAPE(replays, replay_fields, 0);

static const struct hd_shape_field source_fields[] = {
    FIELD("file", struct hd_source, file, TEXT, .need = true),
    SAME(struct hd_source, text, snippet),
};
SHAPE(source, source_fields, sizeof(struct hd_source));

static const struct hd_shape_field seen_fields[] = {
    FIELD("part", struct hd_seen, part, TEXT, .need = true),
    FIELD("times", struct hd_seen, times, U32),
    FIELD("units", struct hd_seen, units, U32),
    FIELD("first", struct hd_seen, first, TEXT),
};
SHAPE(seen, seen_fields, sizeof(struct hd_seen));

static const struct hd_shape_field finding_fields[] = {
    FIELD("id", struct hd_finding, id, TEXT, .need = true),
    FIELD("fingerprint", struct hd_finding, fingerprint, TEXT),
    FIELD("property", struct hd_finding, property, CHOICE, .choices = hd_property_names,
          .n_choices = HD_PROPERTIES),
    FIELD("status", struct hd_finding, status, CHOICE, .choices = hd_finding_status_names,
          .n_choices = HD_FINDING_STATUSES),
    FIELD("reason", struct hd_finding, reason, TEXT),
    FIELD("verdict", struct hd_finding, verdict, TEXT),
    FIELD("counts", struct hd_finding, counts, CHOICE, .choices = hd_finding_counts_names,
          .n_choices = HD_COUNTS),
    FIELD("refuted", struct hd_finding, refuted, BOOL),
    FIELD("variable", struct hd_finding, variable, TEXT, .need = true),
    FIELD("location", struct hd_finding, location, TEXT),
    FIELD("why", struct hd_finding, why, TEXT),
    FIELD("form", struct hd_finding, form, TEXT),
    FIELD("follows", struct hd_finding, follows, TEXTS),
    GROUP("advice", advice),
    LIST("accesses", struct hd_finding, accesses, n_accesses, access_shape),
    GROUP("replays", replays),
    FIELD("witness", struct hd_finding, witness, TEXT),
    FIELD("trace", struct hd_finding, trace, TEXT),
    FIELD("shown_by", struct hd_finding, shown_by, TEXT),
    GROUP("effects", summaries),
    GROUP("outcomes", outcomes),
    FIELD("processes", struct hd_finding, processes, TEXTS),
    FIELD("input", struct hd_finding, input, TEXT),
    LIST("threads", struct hd_finding, threads, n_threads, made),
    LIST("locks", struct hd_finding, locks, n_locks, lock),
    GROUP("block", block),
    FIELD("stacks", struct hd_finding, stacks, TEXT),
    FIELD("switches", struct hd_finding, switches, U32),
    FIELD("left_out", struct hd_finding, steps_left_out, U64),
    LIST("schedule", struct hd_finding, steps, n_steps, step),
    FIELD("recorded", struct hd_finding, recorded, U32S,
          .count = offsetof(struct hd_finding, n_steps)),
    LIST("sources", struct hd_finding, sources, n_sources, source),
    FIELD("duplicates", struct hd_finding, duplicates, U32),
    FIELD("known", struct hd_finding, known, BOOL),
    LIST("seen", struct hd_finding, seen, n_seen, seen),
};
const struct hd_shape hd_shape_finding = {
    finding_fields, sizeof finding_fields / sizeof *finding_fields, sizeof(struct hd_finding)};

static const struct hd_shape_field rule_fields[] = {
    FIELD("rule", struct hd_rule_use, text, TEXT, .need = true),
    FIELD("file", struct hd_rule_use, file, TEXT),
    FIELD("line", struct hd_rule_use, line, U32),
    FIELD("used", struct hd_rule_use, used, U64),
    FIELD("reason", struct hd_rule_use, reason, TEXT),
    FIELD("until", struct hd_rule_use, until, TEXT),
    FIELD("expired", struct hd_rule_use, expired, BOOL),
};
SHAPE(rule, rule_fields, sizeof(struct hd_rule_use));

static const struct hd_shape_field gone_fields[] = {
    FIELD("id", struct hd_gone, id, TEXT, .need = true),
    FIELD("fingerprint", struct hd_gone, fingerprint, TEXT),
    FIELD("property", struct hd_gone, property, CHOICE, .choices = hd_property_names,
          .n_choices = HD_PROPERTIES),
    FIELD("status", struct hd_gone, status, CHOICE, .choices = hd_finding_status_names,
          .n_choices = HD_FINDING_STATUSES),
    FIELD("variable", struct hd_gone, variable, TEXT, .need = true),
    FIELD("title", struct hd_gone, title, TEXT),
};
SHAPE(gone, gone_fields, sizeof(struct hd_gone));

static const struct hd_shape_field decided_fields[] = {
    FIELD("race", struct hd_report, race, U64),
    FIELD("impossible", struct hd_report, impossible, U64),
    FIELD("undecided", struct hd_report, undecided, U64),
    FIELD("refuted", struct hd_report, refuted, U64),
    FIELD("skipped", struct hd_report, skipped, U64),
};
SHAPE(decided, decided_fields, 0);

static const struct hd_shape_field seconds_fields[] = {
    FIELD("all", struct hd_report, seconds, DOUBLE),
    FIELD("record", struct hd_report, record_seconds, DOUBLE),
    FIELD("analyze", struct hd_report, analyze_seconds, DOUBLE),
    FIELD("replay", struct hd_report, replay_seconds, DOUBLE),
};
SHAPE(seconds, seconds_fields, 0);

static const struct hd_shape_field part_decided_fields[] = {
    FIELD("race", struct hd_part, race, U64),
    FIELD("impossible", struct hd_part, impossible, U64),
    FIELD("undecided", struct hd_part, undecided, U64),
    FIELD("skipped", struct hd_part, skipped, U64),
};
SHAPE(part_decided, part_decided_fields, 0);

static const struct hd_shape_field part_seconds_fields[] = {
    FIELD("all", struct hd_part, seconds, DOUBLE),
    FIELD("record", struct hd_part, record_seconds, DOUBLE),
    FIELD("analyze", struct hd_part, analyze_seconds, DOUBLE),
    FIELD("replay", struct hd_part, replay_seconds, DOUBLE),
};
SHAPE(part_seconds, part_seconds_fields, 0);

static const struct hd_shape_field part_fields[] = {
    FIELD("id", struct hd_part, id, TEXT, .need = true),
    FIELD("test", struct hd_part, test, TEXT),
    FIELD("units", struct hd_part, units, U64),
    FIELD("program", struct hd_part, program, TEXTS, .need = true),
    FIELD("events", struct hd_part, events, U64),
    FIELD("threads", struct hd_part, threads, U64),
    FIELD("runs", struct hd_part, runs, U64),
    GROUP("seconds", part_seconds),
    GROUP("decided", part_decided),
    FIELD("suppressed", struct hd_part, suppressed, U64),
};
SHAPE(part, part_fields, sizeof(struct hd_part));

static const struct hd_shape_field report_fields[] = {
    FIELD("version", struct hd_report, tool_version, TEXT),
    FIELD("program", struct hd_report, program, TEXTS, .need = true),
    FIELD("events", struct hd_report, events, U64),
    FIELD("threads", struct hd_report, threads, U64),
    FIELD("runs", struct hd_report, runs, U64),
    GROUP("seconds", seconds),
    FIELD("exit", struct hd_report, exit_status, INT),
    FIELD("signal", struct hd_report, signal, INT),
    FIELD("interrupted", struct hd_report, interrupted, BOOL),
    FIELD("cut", struct hd_report, cut, BOOL),
    FIELD("allow_undecided", struct hd_report, allow_undecided, BOOL),
    LIST("races", struct hd_report, findings, n_findings, hd_shape_finding),
    GROUP("decided", decided),
    FIELD("undecided", struct hd_report, undecided_why, TEXTS, .need = true),
    FIELD("unmodelled", struct hd_report, unmodelled, TEXTS, .need = true),
    FIELD("uninstrumented", struct hd_report, uninstrumented, TEXTS, .need = true),
    FIELD("unseen", struct hd_report, unseen, TEXTS),
    FIELD("notes", struct hd_report, notes, TEXTS, .need = true),
    FIELD("search_notes", struct hd_report, search_notes, TEXTS),
    FIELD("suppressed", struct hd_report, suppressed, U64),
    LIST("rules", struct hd_report, rules, n_rules, rule),
    FIELD("baseline", struct hd_report, baseline, TEXT),
    LIST("gone", struct hd_report, gone, n_gone, gone),
    LIST("parts", struct hd_report, parts, n_parts, part),
};
const struct hd_shape hd_shape_report = {
    report_fields, sizeof report_fields / sizeof *report_fields, sizeof(struct hd_report)};
