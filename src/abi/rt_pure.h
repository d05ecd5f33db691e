/* Functions that the runtime does not stand before, and whose result depends on their arguments
 * only: on nothing that a thread read or that others do. Allocators: the model names a block by its
 * allocation, never by its address. Clocks: what they return follows from no read.
 *
 * X(name)
 */
#ifndef HEDDLE_RT_PURE_H
#define HEDDLE_RT_PURE_H

/* Names of one kind a paragraph. */
/* clang-format off */
#define HD_PURE_LIBC(X) \
    X(__errno_location) X(__ctype_b_loc) X(__ctype_tolower_loc) X(__ctype_toupper_loc) \
    X(isalnum) X(isalpha) X(isblank) X(iscntrl) X(isdigit) X(isgraph) X(islower) X(isprint) \
    X(ispunct) X(isspace) X(isupper) X(isxdigit) X(tolower) X(toupper) \
    X(abs) X(labs) X(llabs) X(div) X(ldiv) X(lldiv) X(ffs) X(ffsl) X(ffsll) \
    X(htonl) X(htons) X(ntohl) X(ntohs) \
    X(pthread_self) X(pthread_equal) X(thrd_current) X(thrd_equal) X(gettid) \
    X(clock) X(clock_getres) X(difftime) \
    X(sysconf) X(getpagesize) X(get_nprocs) X(get_nprocs_conf) X(sched_getcpu) \
    X(pthread_attr_init) X(pthread_attr_destroy) X(pthread_attr_setdetachstate) \
    X(pthread_attr_setstacksize) X(pthread_mutexattr_init) X(pthread_mutexattr_destroy) \
    X(pthread_mutexattr_settype) X(pthread_mutexattr_setrobust) X(pthread_condattr_init) \
    X(pthread_condattr_destroy) X(pthread_condattr_setclock)

/* operator new, exceptions, clocks and threads of libstdc++ and libc++ */
#define HD_PURE_CXX(X) \
    X(_Znwm) X(_Znam) X(_ZnwmRKSt9nothrow_t) X(_ZnamRKSt9nothrow_t) \
    X(_ZnwmSt11align_val_t) X(_ZnamSt11align_val_t) \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t) X(_ZnamSt11align_val_tRKSt9nothrow_t) \
    X(__cxa_allocate_exception) \
    X(_ZNSt6chrono3_V212steady_clock3nowEv) X(_ZNSt6chrono3_V212system_clock3nowEv) \
    X(_ZNSt3__16chrono12steady_clock3nowEv) X(_ZNSt3__16chrono12system_clock3nowEv) \
    X(_ZNSt6thread20hardware_concurrencyEv) X(_ZNSt3__16thread20hardware_concurrencyEv) \
    X(_ZNSt3_V215system_categoryEv) X(_ZNSt3_V216generic_categoryEv)

/* Functions of libstdc++ and libc++ that change no memory which the program goes on to use: operator
 * delete calls free and does nothing else, and the end of every std::thread an empty destructor. */
#define HD_QUIET_CXX(X) \
    X(_ZdlPv) X(_ZdaPv) X(_ZdlPvm) X(_ZdaPvm) X(_ZdlPvRKSt9nothrow_t) X(_ZdaPvRKSt9nothrow_t) \
    X(_ZdlPvSt11align_val_t) X(_ZdaPvSt11align_val_t) \
    X(_ZdlPvmSt11align_val_t) X(_ZdaPvmSt11align_val_t) \
    X(_ZNSt6thread6_StateD1Ev) X(_ZNSt6thread6_StateD2Ev)

/* Each also for float and long double. */
#define HD_PURE_MATH(X) \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(atan2) X(sinh) X(cosh) X(tanh) X(asinh) \
    X(acosh) X(atanh) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(logb) \
    X(ilogb) X(pow) X(sqrt) X(cbrt) X(hypot) X(fabs) X(floor) X(ceil) X(round) X(trunc) X(rint) \
    X(nearbyint) X(lround) X(llround) X(lrint) X(llrint) X(fmod) X(remainder) X(ldexp) X(scalbn) \
    X(fmin) X(fmax) X(fdim) X(fma) X(copysign) X(nextafter) X(erf) X(erfc) X(tgamma)

/* Functions of libstdc++ and libc++ that call one of the runtime's with what they are given, and do
 * nothing else that counts.
 * X(name, number of the argument that points to a word they look at, from 0, or -1; whether that
 * word is cleared afterwards) */
#define HD_THROUGH(X) \
    X(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE, 1, 1) \
    X(_ZNSt6thread4joinEv, 0, 1) \
    X(_ZNSt6thread6detachEv, 0, 1) \
    X(_ZNSt18condition_variable10notify_oneEv, -1, 0) \
    X(_ZNSt18condition_variable10notify_allEv, -1, 0) \
    X(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, 1, 0) \
    X(_ZNSt3__16thread4joinEv, 0, 1) \
    X(_ZNSt3__16thread6detachEv, 0, 1) \
    X(_ZNSt3__118condition_variable10notify_oneEv, -1, 0) \
    X(_ZNSt3__118condition_variable10notify_allEv, -1, 0) \
    X(_ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE, 1, 0) \
    X(_ZNSt3__15mutex4lockEv, -1, 0) \
    X(_ZNSt3__15mutex8try_lockEv, -1, 0) \
    X(_ZNSt3__15mutex6unlockEv, -1, 0)
/* clang-format on */

#endif
