/* The part of the table of modelled functions (abi/rt_apis.h) that is about memory, strings, stdio
 * and the environment. */
#ifndef HEDDLE_RT_APIS_LIBC_H
#define HEDDLE_RT_APIS_LIBC_H

/* One function a line. */
/* clang-format off */
#define HD_APIS_STR(X) \
    X(string, void *, memcpy, (void *, const void *, size_t), ARGS, "r, w") \
    X(string, void *, memmove, (void *, const void *, size_t), ARGS, "r, w") \
    X(string, void *, mempcpy, (void *, const void *, size_t), ARGS, "r, w") \
    X(string, void *, memset, (void *, int, size_t), ARGS, "w") \
    X(string, int, memcmp, (const void *, const void *, size_t), OWN, "r of what was compared") \
    X(string, void *, memchr, (const void *, int, size_t), OWN, "r of what was looked at") \
    X(string, size_t, strlen, (const char *), OWN, "r") \
    X(string, size_t, strnlen, (const char *, size_t), OWN, "r") \
    X(string, char *, strcpy, (char *, const char *), ARGS, "r, w") \
    X(string, char *, stpcpy, (char *, const char *), OWN, "r, w") \
    X(string, char *, strncpy, (char *, const char *, size_t), ARGS, "r, w") \
    X(string, char *, strcat, (char *, const char *), ARGS, "r, w") \
    X(string, char *, strncat, (char *, const char *, size_t), ARGS, "r, w") \
    X(string, int, strcmp, (const char *, const char *), OWN, "r of what was compared") \
    X(string, int, strncmp, (const char *, const char *, size_t), OWN, "r of what was compared") \
    X(string, char *, strchr, (const char *, int), OWN, "r of what was looked at") \
    X(string, char *, strrchr, (const char *, int), OWN, "r") \
    X(string, int, bcmp, (const void *, const void *, size_t), OWN, "r of what was compared") \
    X(string, char *, strstr, (const char *, const char *), OWN, "r") \
    X(string, char *, strpbrk, (const char *, const char *), OWN, "r") \
    X(string, size_t, strspn, (const char *, const char *), OWN, "r") \
    X(string, size_t, strcspn, (const char *, const char *), OWN, "r") \
    X(string, int, strcasecmp, (const char *, const char *), OWN, "r") \
    X(string, int, strncasecmp, (const char *, const char *, size_t), OWN, "r") \
    X(string, void *, memrchr, (const void *, int, size_t), OWN, "r of what was looked at") \
    X(string, char *, strchrnul, (const char *, int), OWN, "r of what was looked at") \
    X(string, void *, rawmemchr, (const void *, int), OWN, "r of what was looked at") \
    X(string, long, strtol, (const char *, char **, int), OWN, "r, w of the end") \
    X(string, long long, strtoll, (const char *, char **, int), OWN, "r, w of the end") \
    X(string, unsigned long, strtoul, (const char *, char **, int), OWN, "r, w of the end") \
    X(string, unsigned long long, strtoull, (const char *, char **, int), OWN, "r, w of the end") \
    X(string, double, strtod, (const char *, char **), OWN, "r, w of the end") \
    X(string, int, atoi, (const char *), OWN, "r") \
    X(string, long, atol, (const char *), OWN, "r") \
    X(string, long long, atoll, (const char *), OWN, "r") \
    X(string, double, atof, (const char *), OWN, "r") \
    X(string, float, strtof, (const char *, char **), OWN, "r, w of the end") \
    X(string, long double, strtold, (const char *, char **), OWN, "r, w of the end") \
    X(string, char *, strcasestr, (const char *, const char *), OWN, "r") \
    X(string, int, strcoll, (const char *, const char *), OWN, "r") \
    X(string, int, strverscmp, (const char *, const char *), OWN, "r") \
    X(string, char *, strtok, (char *, const char *), OWN, "r, w, w of its position") \
    X(string, char *, strtok_r, (char *, const char *, char **), OWN, "r, w, w of the position") \
    X(string, char *, strsep, (char **, const char *), OWN, "r, w, w of the position") \
    X(string, void *, memccpy, (void *, const void *, int, size_t), OWN, "r, w") \
    X(string, char *, stpncpy, (char *, const char *, size_t), OWN, "r, w") \
    X(string, void, bcopy, (const void *, void *, size_t), ARGS, "r, w") \
    X(string, void, bzero, (void *, size_t), ARGS, "w") \
    X(string, void, explicit_bzero, (void *, size_t), ARGS, "w") \
    X(string, void *, memmem, (const void *, size_t, const void *, size_t), OWN, "r of what was looked at") \
    X(string, char *, strdup, (const char *), ARGS, "a new block, r, w") \
    X(string, char *, strndup, (const char *, size_t), ARGS, "a new block, r, w")

#define HD_APIS_WIDE(X) \
    X(string, size_t, wcslen, (const wchar_t *), OWN, "r") \
    X(string, size_t, wcsnlen, (const wchar_t *, size_t), OWN, "r") \
    X(string, wchar_t *, wcscpy, (wchar_t *, const wchar_t *), ARGS, "r, w") \
    X(string, wchar_t *, wcsncpy, (wchar_t *, const wchar_t *, size_t), ARGS, "r, w") \
    X(string, wchar_t *, wcscat, (wchar_t *, const wchar_t *), ARGS, "r, w") \
    X(string, int, wcscmp, (const wchar_t *, const wchar_t *), OWN, "r of what was looked at") \
    X(string, int, wcsncmp, (const wchar_t *, const wchar_t *, size_t), OWN, "r of what was looked at") \
    X(string, wchar_t *, wcschr, (const wchar_t *, wchar_t), OWN, "r of what was looked at") \
    X(string, wchar_t *, wmemcpy, (wchar_t *, const wchar_t *, size_t), ARGS, "r, w") \
    X(string, wchar_t *, wmemmove, (wchar_t *, const wchar_t *, size_t), ARGS, "r, w") \
    X(string, wchar_t *, wmemset, (wchar_t *, wchar_t, size_t), ARGS, "w") \
    X(string, int, wmemcmp, (const wchar_t *, const wchar_t *, size_t), OWN, "r of what was looked at") \
    X(string, wchar_t *, wmemchr, (const wchar_t *, wchar_t, size_t), OWN, "r of what was looked at")

#define HD_APIS_STDIO(X) \
    X(stdio, FILE *, open_memstream, (char **, size_t *), ARGS, "named: when the buffer is written is not known") \
    X(stdio, FILE *, open_wmemstream, (wchar_t **, size_t *), ARGS, "as open_memstream") \
    X(stdio, void, flockfile, (FILE *), ARGS, "acq") \
    X(stdio, int, ftrylockfile, (FILE *), ARGS, "acq or tryfail") \
    X(stdio, void, funlockfile, (FILE *), ARGS, "rel") \
    X(stdio, int, printf, (const char *, ...), OWN, "acq, r of strings, w of %n, rel") \
    X(stdio, int, fprintf, (FILE *, const char *, ...), OWN, "acq, r of strings, w of %n, rel") \
    X(stdio, int, vprintf, (const char *, va_list), OWN, "acq, r of strings, w of %n, rel") \
    X(stdio, int, vfprintf, (FILE *, const char *, va_list), OWN, "acq, r of strings, w of %n, rel") \
    X(stdio, int, dprintf, (int, const char *, ...), PAST, "r of strings; as write") \
    X(stdio, int, vdprintf, (int, const char *, va_list), PAST, "r of strings; as write") \
    X(stdio, int, sprintf, (char *, const char *, ...), OWN, "r of strings, w") \
    X(stdio, int, snprintf, (char *, size_t, const char *, ...), OWN, "r of strings, w") \
    X(stdio, int, vsprintf, (char *, const char *, va_list), OWN, "r of strings, w") \
    X(stdio, int, vsnprintf, (char *, size_t, const char *, va_list), OWN, "r of strings, w") \
    X(stdio, int, asprintf, (char **, const char *, ...), OWN, "r of strings, a new block, w") \
    X(stdio, int, vasprintf, (char **, const char *, va_list), OWN, "r of strings, a new block, w") \
    X(stdio, int, scanf, (const char *, ...), PAST, "acq, w, rel; waits") \
    X(stdio, int, fscanf, (FILE *, const char *, ...), PAST, "acq, w, rel; waits") \
    X(stdio, int, sscanf, (const char *, const char *, ...), OWN, "r of the text, w") \
    X(stdio, int, vscanf, (const char *, va_list), PAST, "acq, w, rel; waits") \
    X(stdio, int, vfscanf, (FILE *, const char *, va_list), PAST, "acq, w, rel; waits") \
    X(stdio, int, vsscanf, (const char *, const char *, va_list), OWN, "r of the text, w") \
    X(stdio, int, __isoc99_scanf, (const char *, ...), PAST, "acq, w, rel; waits") \
    X(stdio, int, __isoc99_fscanf, (FILE *, const char *, ...), PAST, "acq, w, rel; waits") \
    X(stdio, int, __isoc99_sscanf, (const char *, const char *, ...), OWN, "r of the text, w") \
    X(stdio, int, __isoc99_vscanf, (const char *, va_list), PAST, "acq, w, rel; waits") \
    X(stdio, int, __isoc99_vfscanf, (FILE *, const char *, va_list), PAST, "acq, w, rel; waits") \
    X(stdio, int, __isoc99_vsscanf, (const char *, const char *, va_list), OWN, "r of the text, w") \
    X(stdio, int, __isoc23_scanf, (const char *, ...), PAST, "acq, w, rel; waits") \
    X(stdio, int, __isoc23_fscanf, (FILE *, const char *, ...), PAST, "acq, w, rel; waits") \
    X(stdio, int, __isoc23_sscanf, (const char *, const char *, ...), OWN, "r of the text, w") \
    X(stdio, int, __isoc23_vscanf, (const char *, va_list), PAST, "acq, w, rel; waits") \
    X(stdio, int, __isoc23_vfscanf, (FILE *, const char *, va_list), PAST, "acq, w, rel; waits") \
    X(stdio, int, __isoc23_vsscanf, (const char *, const char *, va_list), OWN, "r of the text, w") \
    X(stdio, int, puts, (const char *), OWN, "acq, r, rel") \
    X(stdio, int, fputs, (const char *, FILE *), OWN, "acq, r, rel") \
    X(stdio, int, fputc, (int, FILE *), OWN, "acq, rel") \
    X(stdio, int, putc, (int, FILE *), OWN, "acq, rel") \
    X(stdio, int, putchar, (int), OWN, "acq, rel") \
    X(stdio, void, perror, (const char *), ARGS, "acq, r, rel") \
    X(stdio, size_t, fwrite, (const void *, size_t, size_t, FILE *), OWN, "acq, r, rel") \
    X(stdio, size_t, fread, (void *, size_t, size_t, FILE *), PAST, "acq, w, rel; waits") \
    X(stdio, char *, fgets, (char *, int, FILE *), PAST, "acq, w, rel; waits") \
    X(stdio, int, fgetc, (FILE *), PAST, "acq, rel; waits") \
    X(stdio, int, getc, (FILE *), PAST, "acq, rel; waits") \
    X(stdio, int, getchar, (void), PAST, "acq, rel; waits") \
    X(stdio, int, ungetc, (int, FILE *), PAST, "acq, rel") \
    X(stdio, ssize_t, getdelim, (char **, size_t *, int, FILE *), PAST, "acq, a new block, w, rel; waits") \
    X(stdio, ssize_t, __getdelim, (char **, size_t *, int, FILE *), PAST, "as getdelim") \
    X(stdio, ssize_t, getline, (char **, size_t *, FILE *), PAST, "as getdelim") \
    X(stdio, int, fflush, (FILE *), PAST, "acq, rel") \
    X(stdio, int, fclose, (FILE *), PAST, "acq, rel; as close") \
    X(stdio, int, fseek, (FILE *, long, int), PAST, "acq, rel") \
    X(stdio, int, fseeko, (FILE *, off_t, int), PAST, "acq, rel") \
    X(stdio, long, ftell, (FILE *), PAST, "acq, rel") \
    X(stdio, off_t, ftello, (FILE *), PAST, "acq, rel") \
    X(stdio, void, rewind, (FILE *), ARGS, "acq, rel") \
    X(stdio, int, feof, (FILE *), PAST, "acq, rel") \
    X(stdio, int, ferror, (FILE *), PAST, "acq, rel") \
    X(stdio, void, clearerr, (FILE *), ARGS, "acq, rel") \
    X(stdio, int, setvbuf, (FILE *, char *, int, size_t), PAST, "acq, rel")

#define HD_APIS_FORTIFY(X) \
    X(fortify, void *, __memcpy_chk, (void *, const void *, size_t, size_t), ARGS, "as memcpy") \
    X(fortify, void *, __memmove_chk, (void *, const void *, size_t, size_t), ARGS, "as memmove") \
    X(fortify, void *, __mempcpy_chk, (void *, const void *, size_t, size_t), ARGS, "as mempcpy") \
    X(fortify, void *, __memset_chk, (void *, int, size_t, size_t), ARGS, "as memset") \
    X(fortify, char *, __strcpy_chk, (char *, const char *, size_t), ARGS, "as strcpy") \
    X(fortify, char *, __stpcpy_chk, (char *, const char *, size_t), OWN, "as stpcpy") \
    X(fortify, char *, __strncpy_chk, (char *, const char *, size_t, size_t), ARGS, "as strncpy") \
    X(fortify, char *, __strcat_chk, (char *, const char *, size_t), ARGS, "as strcat") \
    X(fortify, char *, __strncat_chk, (char *, const char *, size_t, size_t), ARGS, "as strncat") \
    X(fortify, int, __printf_chk, (int, const char *, ...), OWN, "as printf") \
    X(fortify, int, __fprintf_chk, (FILE *, int, const char *, ...), OWN, "as fprintf") \
    X(fortify, int, __vprintf_chk, (int, const char *, va_list), OWN, "as vprintf") \
    X(fortify, int, __vfprintf_chk, (FILE *, int, const char *, va_list), OWN, "as vfprintf") \
    X(fortify, int, __dprintf_chk, (int, int, const char *, ...), PAST, "as dprintf") \
    X(fortify, int, __vdprintf_chk, (int, int, const char *, va_list), PAST, "as vdprintf") \
    X(fortify, int, __sprintf_chk, (char *, int, size_t, const char *, ...), OWN, "as sprintf") \
    X(fortify, int, __snprintf_chk, (char *, size_t, int, size_t, const char *, ...), OWN, "as snprintf") \
    X(fortify, int, __vsprintf_chk, (char *, int, size_t, const char *, va_list), OWN, "as vsprintf") \
    X(fortify, int, __vsnprintf_chk, (char *, size_t, int, size_t, const char *, va_list), OWN, "as vsnprintf") \
    X(fortify, int, __asprintf_chk, (char **, int, const char *, ...), OWN, "as asprintf") \
    X(fortify, int, __vasprintf_chk, (char **, int, const char *, va_list), OWN, "as vasprintf") \
    X(fortify, char *, __fgets_chk, (char *, size_t, int, FILE *), PAST, "as fgets") \
    X(fortify, size_t, __fread_chk, (void *, size_t, size_t, size_t, FILE *), PAST, "as fread") \
    X(fortify, ssize_t, __read_chk, (int, void *, size_t, size_t), PAST, "as read") \
    X(fortify, ssize_t, __recv_chk, (int, void *, size_t, size_t, int), PAST, "as recv") \
    X(fortify, ssize_t, __recvfrom_chk, (int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *), PAST, "as recvfrom") \
    X(fortify, int, __poll_chk, (struct pollfd *, nfds_t, int, size_t), PAST, "as poll") \
    X(fortify, int, __ppoll_chk, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t), PAST, "as ppoll") \
    X(fortify, char *, __stpncpy_chk, (char *, const char *, size_t, size_t), OWN, "as stpncpy") \
    X(fortify, void, __explicit_bzero_chk, (void *, size_t, size_t), ARGS, "as explicit_bzero") \
    X(fortify, wchar_t *, __wcscpy_chk, (wchar_t *, const wchar_t *, size_t), ARGS, "as wcscpy") \
    X(fortify, wchar_t *, __wcsncpy_chk, (wchar_t *, const wchar_t *, size_t, size_t), ARGS, "as wcsncpy") \
    X(fortify, wchar_t *, __wcscat_chk, (wchar_t *, const wchar_t *, size_t), ARGS, "as wcscat") \
    X(fortify, wchar_t *, __wmemcpy_chk, (wchar_t *, const wchar_t *, size_t, size_t), ARGS, "as wmemcpy") \
    X(fortify, wchar_t *, __wmemmove_chk, (wchar_t *, const wchar_t *, size_t, size_t), ARGS, "as wmemmove") \
    X(fortify, wchar_t *, __wmemset_chk, (wchar_t *, wchar_t, size_t, size_t), ARGS, "as wmemset")
/* Results in memory that the caller gives, or in libc's own. */
#define HD_APIS_RESULT(X) \
    X(result, struct tm *, localtime_r, (const time_t *, struct tm *), OWN, "r, w") \
    X(result, struct tm *, gmtime_r, (const time_t *, struct tm *), OWN, "r, w") \
    X(result, struct tm *, localtime, (const time_t *), OWN, "r, w of the result") \
    X(result, struct tm *, gmtime, (const time_t *), OWN, "r, w of the result") \
    X(result, char *, asctime_r, (const struct tm *, char *), OWN, "r, w") \
    X(result, char *, ctime_r, (const time_t *, char *), OWN, "r, w") \
    X(result, char *, asctime, (const struct tm *), OWN, "r, w of the result") \
    X(result, char *, ctime, (const time_t *), OWN, "r, w of the result") \
    X(result, time_t, mktime, (struct tm *), OWN, "r, w") \
    X(result, size_t, strftime, (char *, size_t, const char *, const struct tm *), OWN, "r, w") \
    X(result, int, stat, (const char *, struct stat *), PAST, "r, w") \
    X(result, int, lstat, (const char *, struct stat *), PAST, "r, w") \
    X(result, int, fstat, (int, struct stat *), PAST, "w") \
    X(result, int, fstatat, (int, const char *, struct stat *, int), PAST, "r, w") \
    X(result, int, stat64, (const char *, struct stat64 *), PAST, "r, w") \
    X(result, int, lstat64, (const char *, struct stat64 *), PAST, "r, w") \
    X(result, int, fstat64, (int, struct stat64 *), PAST, "w") \
    X(result, int, fstatat64, (int, const char *, struct stat64 *, int), PAST, "r, w") \
    X(result, char *, getcwd, (char *, size_t), PAST, "w") \
    X(result, ssize_t, readlink, (const char *, char *, size_t), PAST, "r, w") \
    X(result, int, gethostname, (char *, size_t), PAST, "w") \
    X(result, char *, realpath, (const char *, char *), PAST, "r, w") \
    X(result, char *, __getcwd_chk, (char *, size_t, size_t), PAST, "as getcwd") \
    X(result, ssize_t, __readlink_chk, (const char *, char *, size_t, size_t), PAST, "as readlink") \
    X(result, int, __gethostname_chk, (char *, size_t, size_t), PAST, "as gethostname") \
    X(result, char *, __realpath_chk, (const char *, char *, size_t), PAST, "as realpath") \
    X(result, int, uname, (struct utsname *), PAST, "w") \
    X(result, int, rand_r, (unsigned *), OWN, "r, w") \
    X(result, const char *, inet_ntop, (int, const void *, char *, socklen_t), OWN, "r, w") \
    X(result, int, inet_pton, (int, const char *, void *), OWN, "r, w") \
    X(result, int, inet_aton, (const char *, struct in_addr *), OWN, "r, w") \
    X(result, char *, inet_ntoa, (struct in_addr), OWN, "w of the result") \
    X(result, int, getsockname, (int, struct sockaddr *, socklen_t *), PAST, "r, w") \
    X(result, int, getpeername, (int, struct sockaddr *, socklen_t *), PAST, "r, w") \
    X(result, int, getaddrinfo, (const char *, const char *, const struct addrinfo *, struct addrinfo **), PAST, "r, w of the list's address")

#define HD_APIS_ENV(X) \
    X(env, char *, getenv, (const char *), OWN, "r of environ") \
    X(env, int, setenv, (const char *, const char *, int), PAST, "acq, w of environ, rel") \
    X(env, int, unsetenv, (const char *), PAST, "acq, w of environ, rel") \
    X(env, int, putenv, (char *), PAST, "acq, w of environ, rel") \
    X(env, int, clearenv, (void), PAST, "acq, w of environ, rel") \
    X(env, void, qsort, (void *, size_t, size_t, int (*)(const void *, const void *)), ARGS, "what the comparisons do, w")
/* clang-format on */

#endif
