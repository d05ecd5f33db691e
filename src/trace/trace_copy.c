#include "trace/trace_copy.h"

struct hd_event hd_trace_copy_event(const struct hd_trace *t, hd_eid e)
{
    struct hd_event ev = {.op = t->op[e], .thread = t->thread[e], .obj = t->obj[e]};
    ev.place = t->place[e];
    ev.tries = (t->flags[e] & HD_F_TRY) != 0;
    ev.order = hd_trace_order(t, e);
    if (hd_op_info[ev.op].has_lock)
        ev.lock = (uint32_t)t->val[e];
    if (!hd_op_is_access(ev.op))
        return ev;
    ev.has_value = !(t->flags[e] & HD_F_OMITTED);
    ev.value =
        hd_op_reads(ev.op) ? hd_trace_read_value(t, e).bits : hd_trace_write_value(t, e).bits;
    ev.new_value = ev.op == HD_OP_RMW ? hd_trace_write_value(t, e).bits : 0;
    return ev;
}

uint32_t hd_trace_copy_obj(const struct hd_trace *t, struct hd_builder *b, enum hd_obj_kind kind,
                           uint32_t obj)
{
    return hd_builder_obj(b, kind, hd_names_text(&t->objs[kind], obj),
                          hd_names_len(&t->objs[kind], obj));
}

enum hd_status hd_trace_copy_thread(const struct hd_trace *t, struct hd_builder *b, hd_tid u,
                                    hd_tid *id, struct hd_err *err)
{
    return hd_builder_thread(b, hd_names_text(&t->threads, u), hd_names_len(&t->threads, u), id,
                             err);
}

enum hd_status hd_trace_copy_given(const struct hd_trace *t, struct hd_builder *b,
                                   struct hd_err *err)
{
    enum hd_status s = HD_OK;
    for (uint32_t i = 0; i < t->places.count; i++)
        hd_builder_place(b, hd_names_text(&t->places, i), hd_names_len(&t->places, i));
    for (uint32_t i = 0; s == HD_OK && i < hd_trace_n_objs(t, HD_OBJ_SEM); i++)
        s = hd_builder_sem(b, hd_trace_copy_obj(t, b, HD_OBJ_SEM, i), t->sem_init[i], err);
    for (uint32_t i = 0; s == HD_OK && i < hd_trace_n_objs(t, HD_OBJ_BARRIER); i++)
        s = hd_builder_barrier(b, hd_trace_copy_obj(t, b, HD_OBJ_BARRIER, i), t->barrier_size[i],
                               err);
    return s;
}

enum hd_status hd_trace_copy_init(const struct hd_trace *t, struct hd_builder *b, uint32_t loc,
                                  struct hd_err *err)
{
    if (t->loc_init[loc].how != HD_INIT_GIVEN)
        return HD_OK;
    return hd_builder_init(b, hd_trace_copy_obj(t, b, HD_OBJ_LOC, loc), t->loc_init[loc].value.bits,
                           err);
}
