/* heddle doctor: is everything here that Heddle needs? */
#include "cli/cmds.h"

#include "cli/cc.h"
#include "cli/doctor.h"
#include "abi/rt_apis.h"

#include <limits.h>
#include <stdio.h>

struct values {
    bool apis;
};

static const struct hd_opt options[] = {
    {0, "apis", HD_OPT_FLAG, offsetof(struct values, apis), NULL,
     "List the functions that the runtime models", NULL, 0, 0},
    {0, NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void list_apis(void)
{
    static const char *const words[] = {
        [HD_DEP_ARGS] = "arguments", [HD_DEP_OWN] = "own reads", [HD_DEP_PAST] = "all reads"};
#define HD_API_LINE(group, ret, name, params, dep, text)                                           \
    printf("%-8s %-28s %-10s %s\n", #group, #name, words[HD_DEP_##dep], text);
    HD_APIS(HD_API_LINE)
#undef HD_API_LINE
    char lib_dir[PATH_MAX] = "";
    struct hd_names openmp = {0};
    hd_cc_find_lib_dir(lib_dir, sizeof lib_dir);
    hd_doctor_openmp(lib_dir, &openmp);
    for (uint32_t i = 0; i < openmp.count; i++)
        printf("%-8s %s\n", "openmp", hd_names_text(&openmp, i));
    hd_names_fini(&openmp);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    if (v.apis) {
        list_apis();
        return hd_cli_finish(cli, HD_EXIT_OK);
    }
    bool good = hd_doctor_tools();
    good &= hd_doctor_system();
    return hd_cli_finish(cli, good ? HD_EXIT_OK : HD_EXIT_UNSUPPORTED);
}

const struct hd_cmd hd_cmd_doctor = {
    .name = "doctor",
    .path = "doctor",
    .summary = "check that this machine has what is needed",
    .args = "",
    .detail =
        "Looks at the compiler, the plugin, the runtime, the solver, the kernel and the disk, "
        "by trying each: one line, with what to do when something is wrong. Exit status 77 "
        "tells that something is.",
    .options = options,
    .min_args = 0,
    .max_args = 0,
    .run = run,
};
