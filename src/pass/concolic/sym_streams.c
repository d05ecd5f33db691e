/* Names of libstdc++ for the search over inputs; see the header. */
#include "pass/concolic/sym_streams.h"

#include <stddef.h>
#include <string.h>

#define ISTREAM  "ERSt13basic_istreamIT_T0_ES"
#define STRING   "NSt7__cxx1112basic_stringI"
#define IFSTREAM "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE"
#define FSTREAM  "_ZNSt13basic_fstreamIcSt11char_traitsIcEE"
#define ISTRING  "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE"
#define SSTRING  "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE"
#define TEXT     "ERKNSt7__cxx1112basic_stringIcS1_SaIcEEESt13_Ios_Openmode"

static const struct {
    const char *name, *model;
} list[] = {
    {"_ZNSirsERs", "istream_i2"},
    {"_ZNSirsERt", "istream_u2"},
    {"_ZNSirsERi", "istream_i4"},
    {"_ZNSirsERj", "istream_u4"},
    {"_ZNSirsERl", "istream_i8"},
    {"_ZNSirsERm", "istream_u8"},
    {"_ZNSirsERx", "istream_i8"},
    {"_ZNSirsERy", "istream_u8"},
    {"_ZNSi10_M_extractItEERSiRT_", "istream_u2"},
    {"_ZNSi10_M_extractIjEERSiRT_", "istream_u4"},
    {"_ZNSi10_M_extractIlEERSiRT_", "istream_i8"},
    {"_ZNSi10_M_extractImEERSiRT_", "istream_u8"},
    {"_ZNSi10_M_extractIxEERSiRT_", "istream_i8"},
    {"_ZNSi10_M_extractIyEERSiRT_", "istream_u8"},
    {"_ZStrsIcSt11char_traitsIcE" ISTREAM "6_RS3_", "istream_char"},
    {"_ZStrsIcSt11char_traitsIcESaIcE" ISTREAM "7_R" STRING "S4_S5_T1_EE", "istream_word"},
    {"_ZSt7getlineIcSt11char_traitsIcESaIcE" ISTREAM "7_R" STRING "S4_S5_T1_EE", "istream_line"},
    {"_ZSt7getlineIcSt11char_traitsIcESaIcE" ISTREAM "7_R" STRING "S4_S5_T1_EES4_",
     "istream_line_to"},
    {"_ZNSi3getEv", "istream_get"},
    {"_ZNSi3getERc", "istream_get_char"},
    {"_ZNSi4peekEv", "istream_peek"},
    {"_ZNSi7getlineEPcl", "istream_getline"},
    {"_ZNSi7getlineEPclc", "istream_getline_to"},
    {"_ZNSi4readEPcl", "istream_read"},
    {"_ZNSi6ignoreEv", "istream_ignore_one"},
    {"_ZNSi6ignoreEl", "istream_ignore"},
    {"_ZNSi6ignoreEli", "istream_ignore_to"},
    {"_ZSt2wsIcSt11char_traitsIcE" ISTREAM "6_", "istream_ws"},
    {"_ZNSirsEPFRSiS_E", "istream_manipulator"},
    {"_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode", "filebuf_open"},
    {IFSTREAM "C1EPKcSt13_Ios_Openmode", "ifstream_open"},
    {IFSTREAM "4openEPKcSt13_Ios_Openmode", "ifstream_open"},
    {IFSTREAM "C1" TEXT, "ifstream_open_string"},
    {IFSTREAM "4open" TEXT, "ifstream_open_string"},
    {FSTREAM "C1EPKcSt13_Ios_Openmode", "fstream_open"},
    {FSTREAM "4openEPKcSt13_Ios_Openmode", "fstream_open"},
    {FSTREAM "C1" TEXT, "fstream_open_string"},
    {FSTREAM "4open" TEXT, "fstream_open_string"},
    {ISTRING "C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode", "istringstream_of"},
    {ISTRING "3strERKNS_12basic_stringIcS2_S3_EE", "istringstream_of"},
    {SSTRING "C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode", "stringstream_of"},
    {SSTRING "3strERKNS_12basic_stringIcS2_S3_EE", "stringstream_of"},
};

const char *hd_sym_stream_model(const char *name)
{
    for (size_t i = 0; name[0] == '_' && i < sizeof list / sizeof *list; i++)
        if (strcmp(name, list[i].name) == 0)
            return list[i].model;
    return NULL;
}

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

bool hd_sym_stream_is_state(const char *name)
{
    static const char *const heads[] = {
        "_ZNKSt9basic_iosIc",
        "_ZNSt9basic_iosIc",
        "_ZNKSt8ios_base",
        "_ZNSt8ios_base",
        "_ZNSirsEPFRSt8ios_baseS0_E",
        "_ZNSirsEPFRSt9basic_ios",
        "_ZNKSi6gcountEv",
        "_ZStrsIcSt11char_traitsIcE" ISTREAM "6_St", /* setw, setbase and their like */
        "_ZNSolsEPFRSt8ios_baseS0_E",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE5closeEv",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE7is_openEv",
        "_ZNKSt14basic_ifstreamIcSt11char_traitsIcEE7is_openEv",
        "_ZNSt14basic_ifstreamIcSt11char_traitsIcEED",
        "_ZNSt13basic_filebufIcSt11char_traitsIcEED",
        "_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv",
        ISTRING "D",
        SSTRING "D",
        "_ZNSt6locale",
        "_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE17_M_stringbuf_init",
        "_ZNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE7_M_syncEPcmm",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (starts(name, heads[i]))
            return true;
    return false;
}

bool hd_sym_stream_reads(const char *name)
{
    if (starts(name, "_ZNSiC") || starts(name, "_ZNSiD") || hd_sym_stream_is_state(name))
        return false;
    return starts(name, "_ZNSi") || starts(name, "_ZSt7getline") || starts(name, "_ZSt2wsI") ||
           (starts(name, "_ZStrs") && strstr(name, "istream"));
}

bool hd_sym_stream_writes(const char *name)
{
    static const char *const heads[] = {
        "_ZNSols",         "_ZNSo3put",  "_ZNSo5write", "_ZNSo5flush",
        "_ZNSo9_M_insert", "_ZSt4endlI", "_ZSt5flushI", "_ZSt16__ostream_insertI"};
    if (starts(name, "_ZStls"))
        return strstr(name, "ostream") != NULL;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (starts(name, heads[i]))
            return true;
    return false;
}

const char *hd_sym_stream_converter(const char *function)
{
    static const struct {
        const char *head, *converter;
    } of[] = {
        {"_ZN9__gnu_cxx6__stoaIlicJiEEE", "strtol"},   {"_ZN9__gnu_cxx6__stoaIllcJiEEE", "strtol"},
        {"_ZN9__gnu_cxx6__stoaImmcJiEEE", "strtoul"},  {"_ZN9__gnu_cxx6__stoaIxxcJiEEE", "strtoll"},
        {"_ZN9__gnu_cxx6__stoaIyycJiEEE", "strtoull"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (starts(function, of[i].head))
            return of[i].converter;
    return NULL;
}
