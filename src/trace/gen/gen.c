#include "trace/gen/gen.h"

#include "trace/gen/gen_sim.h"

static const char *const feature_names[HD_GEN_FEATURE_COUNT] = {
#define HD_GEN_NAME(name, text, help) [HD_GEN_##name] = text,
    HD_GEN_FEATURES(HD_GEN_NAME)
#undef HD_GEN_NAME
};

const char *hd_gen_feature_name(enum hd_gen_feature feature)
{
    return feature_names[feature];
}

void hd_gen_defaults(struct hd_gen_config *config)
{
    *config = (struct hd_gen_config){
        .style = HD_GEN_STYLE_RANDOM,
        .events = 40,
        .threads = 3,
        .locations = 3,
        .locks = 2,
        .values = 3,
        .features = HD_GEN_ALL & ~(UINT32_C(1) << HD_GEN_OMIT | UINT32_C(1) << HD_GEN_SHAPES |
                                   UINT32_C(1) << HD_GEN_ORDERS | UINT32_C(1) << HD_GEN_EXCLUSION),
    };
}

void hd_gen_small(uint64_t seed, struct hd_gen_config *config)
{
    struct hd_rng rng;
    hd_rng_init(&rng, ~seed); /* not the sequence that the trace itself is drawn from */
    hd_gen_defaults(config);
    config->seed = seed;
    uint32_t length = hd_rng_below(&rng, 20), other = hd_rng_below(&rng, 20);
    config->events = 6 + (length > other ? length : other); /* longer ones are worth more */
    config->threads = hd_rng_chance(&rng, 50) ? 2 : 2 + hd_rng_below(&rng, 3);
    config->locations = hd_rng_chance(&rng, 50) ? 2 : 1 + hd_rng_below(&rng, 3);
    config->locks = 1 + hd_rng_below(&rng, 3);
    config->values = 1 + hd_rng_below(&rng, 4);
    /* Accesses, locks, branches and dependences are the rule, the rest comes now and then: a trace
     * of 20 events that has everything has nothing twice. */
    uint32_t frequent = 1u << HD_GEN_BRANCH | 1u << HD_GEN_DEPS | 1u << HD_GEN_VAL;
    config->features = 1u << HD_GEN_READ | 1u << HD_GEN_WRITE | 1u << HD_GEN_MUTEX;
    for (uint32_t f = 0; f < HD_GEN_ORDERS; f++)
        if (hd_rng_chance(&rng, frequent >> f & 1 ? 70 : 25))
            config->features |= 1u << f;
    if (config->features >> HD_GEN_TIMEOUT & 1)
        config->features |= 1u << HD_GEN_COND;
}

static enum hd_status check_range(const char *name, uint32_t value, uint32_t min, uint32_t max,
                                  struct hd_err *err)
{
    if (value >= min && value <= max)
        return HD_OK;
    return hd_err_set(err, HD_ERR_INPUT, "%s must be between %u and %u, not %u", name, min, max,
                      value);
}

static enum hd_status check_config(const struct hd_gen_config *c, struct hd_err *err)
{
    bool program = c->style == HD_GEN_STYLE_PROGRAM;
    enum { MANY = 1000000 }; /* objects of a kind: enough for any bench, small enough to allocate */
    enum hd_status status = check_range("threads", c->threads, program ? 2 : 1, 4096, err);
    if (status == HD_OK)
        status = check_range("events", c->events, 0, HD_MAX_EVENTS - MANY, err);
    if (status == HD_OK)
        status = check_range("locations", c->locations, 1, MANY, err);
    if (status == HD_OK)
        status = check_range("locks", c->locks, program, MANY, err);
    if (status == HD_OK)
        status = check_range("values", c->values, 1, UINT32_MAX, err);
    return status;
}

/* Half of the locks that are used by acq and rel alone become exclusions. They keep threads apart
 * as they did, so the order stays possible. */
static void draw_exclusions(uint64_t seed, struct hd_trace *t)
{
    struct hd_rng rng;
    hd_rng_init(&rng, seed ^ UINT64_C(0x6578636c));
    for (uint32_t l = 0; l < hd_trace_n_objs(t, HD_OBJ_LOCK); l++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOCK, l, &n);
        bool fits = hd_rng_chance(&rng, 50);
        for (size_t i = 0; i < n; i++)
            fits &= hd_mem_order_fits(t->op[events[i]], HD_ORDER_RLX);
        for (size_t i = 0; fits && i < n; i++)
            t->flags[events[i]] |= HD_ORDER_RLX << HD_F_ORDER_SHIFT;
    }
}

enum hd_status hd_gen(const struct hd_gen_config *config, struct hd_trace **trace,
                      struct hd_err *err)
{
    *trace = NULL;
    enum hd_status status = check_config(config, err);
    if (status != HD_OK)
        return status;
    struct sim s = {0};
    status = config->style == HD_GEN_STYLE_PROGRAM ? hd_gen_sim_program(config, &s, err)
                                                   : hd_gen_sim_random(config, &s, err);
    if (status == HD_OK) {
        struct hd_builder *builder = s.builder;
        s.builder = NULL;
        status = hd_builder_finish(builder, trace, err);
    }
    hd_gen_sim_fini(&s);
    if (status == HD_OK && config->features >> HD_GEN_EXCLUSION & 1)
        draw_exclusions(config->seed, *trace);
    return status;
}
