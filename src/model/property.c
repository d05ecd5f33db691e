#include "model/property.h"

const char *const hd_race_forms[2] = {"simultaneous", "unordered"};
const char *const hd_property_names[HD_PROPERTIES] = {"race", "atomicity", "deadlock", "failure"};

bool hd_property_conflict(const struct hd_trace *t, hd_eid a, hd_eid b)
{
    HD_DCHECK(a < t->n_events && b < t->n_events);
    enum hd_op x = t->op[a], y = t->op[b];
    return hd_op_is_access(x) && hd_op_is_access(y) && t->thread[a] != t->thread[b] &&
           t->obj[a] == t->obj[b] && (hd_op_writes(x) || hd_op_writes(y)) &&
           !(hd_op_is_atomic(x) && hd_op_is_atomic(y));
}

bool hd_property_unserialisable(const struct hd_trace *t, hd_eid c, hd_eid r, hd_eid d)
{
    HD_ASSERT(c < t->n_events && r < t->n_events && d < t->n_events);
    if (!hd_op_is_access(t->op[c]) || !hd_op_is_access(t->op[r]) || !hd_op_is_access(t->op[d]))
        return false;
    if (t->obj[c] != t->obj[r] || t->obj[d] != t->obj[r])
        return false;
    if (t->thread[c] != t->thread[d] || t->thread[c] == t->thread[r] || t->pos[c] >= t->pos[d])
        return false;
    return hd_op_writes(t->op[r]) || (hd_op_writes(t->op[c]) && hd_op_writes(t->op[d]));
}

bool hd_property_waits_for_lock(const struct hd_trace *t, hd_eid e)
{
    return hd_property_takes_lock(t, e) && !(t->flags[e] & HD_F_TRY);
}

bool hd_property_takes_lock(const struct hd_trace *t, hd_eid e)
{
    enum hd_op op = t->op[e];
    return op == HD_OP_ACQ || op == HD_OP_RACQ || op == HD_OP_WAKE || op == HD_OP_TMO;
}
