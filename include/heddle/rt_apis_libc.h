/* The part of the table of modelled functions (heddle/rt_apis.h) that is about memory, strings and
 * stdio. */
#ifndef HEDDLE_RT_APIS_LIBC_H
#define HEDDLE_RT_APIS_LIBC_H

/* One function a line. */
/* clang-format off */
#define HD_APIS_STR(X) \
    X(string, void *, memcpy, (void *, const void *, size_t), "r, w") \
    X(string, void *, memmove, (void *, const void *, size_t), "r, w") \
    X(string, void *, mempcpy, (void *, const void *, size_t), "r, w") \
    X(string, void *, memset, (void *, int, size_t), "w") \
    X(string, int, memcmp, (const void *, const void *, size_t), "r of what was compared") \
    X(string, void *, memchr, (const void *, int, size_t), "r of what was looked at") \
    X(string, size_t, strlen, (const char *), "r") \
    X(string, size_t, strnlen, (const char *, size_t), "r") \
    X(string, char *, strcpy, (char *, const char *), "r, w") \
    X(string, char *, stpcpy, (char *, const char *), "r, w") \
    X(string, char *, strncpy, (char *, const char *, size_t), "r, w") \
    X(string, char *, strcat, (char *, const char *), "r, w") \
    X(string, char *, strncat, (char *, const char *, size_t), "r, w") \
    X(string, int, strcmp, (const char *, const char *), "r of what was compared") \
    X(string, int, strncmp, (const char *, const char *, size_t), "r of what was compared") \
    X(string, char *, strchr, (const char *, int), "r of what was looked at") \
    X(string, char *, strrchr, (const char *, int), "r") \
    X(string, int, bcmp, (const void *, const void *, size_t), "r of what was compared") \
    X(string, char *, strstr, (const char *, const char *), "r") \
    X(string, char *, strpbrk, (const char *, const char *), "r") \
    X(string, size_t, strspn, (const char *, const char *), "r") \
    X(string, size_t, strcspn, (const char *, const char *), "r") \
    X(string, int, strcasecmp, (const char *, const char *), "r") \
    X(string, int, strncasecmp, (const char *, const char *, size_t), "r") \
    X(string, void *, memrchr, (const void *, int, size_t), "r of what was looked at") \
    X(string, char *, strchrnul, (const char *, int), "r of what was looked at") \
    X(string, void *, rawmemchr, (const void *, int), "r of what was looked at") \
    X(string, long, strtol, (const char *, char **, int), "r, w of the end") \
    X(string, long long, strtoll, (const char *, char **, int), "r, w of the end") \
    X(string, unsigned long, strtoul, (const char *, char **, int), "r, w of the end") \
    X(string, unsigned long long, strtoull, (const char *, char **, int), "r, w of the end") \
    X(string, double, strtod, (const char *, char **), "r, w of the end") \
    X(string, int, atoi, (const char *), "r") \
    X(string, long, atol, (const char *), "r") \
    X(string, long long, atoll, (const char *), "r") \
    X(string, double, atof, (const char *), "r") \
    X(string, float, strtof, (const char *, char **), "r, w of the end") \
    X(string, long double, strtold, (const char *, char **), "r, w of the end") \
    X(string, char *, strcasestr, (const char *, const char *), "r") \
    X(string, int, strcoll, (const char *, const char *), "r") \
    X(string, int, strverscmp, (const char *, const char *), "r") \
    X(string, char *, strtok, (char *, const char *), "r, w, w of its position") \
    X(string, char *, strtok_r, (char *, const char *, char **), "r, w, w of the position") \
    X(string, char *, strsep, (char **, const char *), "r, w, w of the position") \
    X(string, void *, memccpy, (void *, const void *, int, size_t), "r, w") \
    X(string, char *, stpncpy, (char *, const char *, size_t), "r, w") \
    X(string, void, bcopy, (const void *, void *, size_t), "r, w") \
    X(string, void, bzero, (void *, size_t), "w") \
    X(string, void, explicit_bzero, (void *, size_t), "w") \
    X(string, void *, memmem, (const void *, size_t, const void *, size_t), "r of what was looked at") \
    X(string, char *, strdup, (const char *), "a new block, r, w") \
    X(string, char *, strndup, (const char *, size_t), "a new block, r, w")

#define HD_APIS_WIDE(X) \
    X(string, size_t, wcslen, (const wchar_t *), "r") \
    X(string, size_t, wcsnlen, (const wchar_t *, size_t), "r") \
    X(string, wchar_t *, wcscpy, (wchar_t *, const wchar_t *), "r, w") \
    X(string, wchar_t *, wcsncpy, (wchar_t *, const wchar_t *, size_t), "r, w") \
    X(string, wchar_t *, wcscat, (wchar_t *, const wchar_t *), "r, w") \
    X(string, int, wcscmp, (const wchar_t *, const wchar_t *), "r of what was looked at") \
    X(string, int, wcsncmp, (const wchar_t *, const wchar_t *, size_t), "r of what was looked at") \
    X(string, wchar_t *, wcschr, (const wchar_t *, wchar_t), "r of what was looked at") \
    X(string, wchar_t *, wmemcpy, (wchar_t *, const wchar_t *, size_t), "r, w") \
    X(string, wchar_t *, wmemmove, (wchar_t *, const wchar_t *, size_t), "r, w") \
    X(string, wchar_t *, wmemset, (wchar_t *, wchar_t, size_t), "w") \
    X(string, int, wmemcmp, (const wchar_t *, const wchar_t *, size_t), "r of what was looked at") \
    X(string, wchar_t *, wmemchr, (const wchar_t *, wchar_t, size_t), "r of what was looked at")

#define HD_APIS_STDIO(X) \
    X(stdio, FILE *, open_memstream, (char **, size_t *), "named: when the buffer is written is not known") \
    X(stdio, FILE *, open_wmemstream, (wchar_t **, size_t *), "as open_memstream") \
    X(stdio, void, flockfile, (FILE *), "acq") \
    X(stdio, int, ftrylockfile, (FILE *), "acq or tryfail") \
    X(stdio, void, funlockfile, (FILE *), "rel") \
    X(stdio, int, printf, (const char *, ...), "acq, r of strings, w of %n, rel") \
    X(stdio, int, fprintf, (FILE *, const char *, ...), "acq, r of strings, w of %n, rel") \
    X(stdio, int, vprintf, (const char *, va_list), "acq, r of strings, w of %n, rel") \
    X(stdio, int, vfprintf, (FILE *, const char *, va_list), "acq, r of strings, w of %n, rel") \
    X(stdio, int, dprintf, (int, const char *, ...), "r of strings; as write") \
    X(stdio, int, vdprintf, (int, const char *, va_list), "r of strings; as write") \
    X(stdio, int, sprintf, (char *, const char *, ...), "r of strings, w") \
    X(stdio, int, snprintf, (char *, size_t, const char *, ...), "r of strings, w") \
    X(stdio, int, vsprintf, (char *, const char *, va_list), "r of strings, w") \
    X(stdio, int, vsnprintf, (char *, size_t, const char *, va_list), "r of strings, w") \
    X(stdio, int, asprintf, (char **, const char *, ...), "r of strings, a new block, w") \
    X(stdio, int, vasprintf, (char **, const char *, va_list), "r of strings, a new block, w") \
    X(stdio, int, scanf, (const char *, ...), "acq, w, rel; waits") \
    X(stdio, int, fscanf, (FILE *, const char *, ...), "acq, w, rel; waits") \
    X(stdio, int, sscanf, (const char *, const char *, ...), "r of the text, w") \
    X(stdio, int, vscanf, (const char *, va_list), "acq, w, rel; waits") \
    X(stdio, int, vfscanf, (FILE *, const char *, va_list), "acq, w, rel; waits") \
    X(stdio, int, vsscanf, (const char *, const char *, va_list), "r of the text, w") \
    X(stdio, int, __isoc99_scanf, (const char *, ...), "acq, w, rel; waits") \
    X(stdio, int, __isoc99_fscanf, (FILE *, const char *, ...), "acq, w, rel; waits") \
    X(stdio, int, __isoc99_sscanf, (const char *, const char *, ...), "r of the text, w") \
    X(stdio, int, __isoc99_vscanf, (const char *, va_list), "acq, w, rel; waits") \
    X(stdio, int, __isoc99_vfscanf, (FILE *, const char *, va_list), "acq, w, rel; waits") \
    X(stdio, int, __isoc99_vsscanf, (const char *, const char *, va_list), "r of the text, w") \
    X(stdio, int, __isoc23_scanf, (const char *, ...), "acq, w, rel; waits") \
    X(stdio, int, __isoc23_fscanf, (FILE *, const char *, ...), "acq, w, rel; waits") \
    X(stdio, int, __isoc23_sscanf, (const char *, const char *, ...), "r of the text, w") \
    X(stdio, int, __isoc23_vscanf, (const char *, va_list), "acq, w, rel; waits") \
    X(stdio, int, __isoc23_vfscanf, (FILE *, const char *, va_list), "acq, w, rel; waits") \
    X(stdio, int, __isoc23_vsscanf, (const char *, const char *, va_list), "r of the text, w") \
    X(stdio, int, puts, (const char *), "acq, r, rel") \
    X(stdio, int, fputs, (const char *, FILE *), "acq, r, rel") \
    X(stdio, int, fputc, (int, FILE *), "acq, rel") \
    X(stdio, int, putc, (int, FILE *), "acq, rel") \
    X(stdio, int, putchar, (int), "acq, rel") \
    X(stdio, void, perror, (const char *), "acq, r, rel") \
    X(stdio, size_t, fwrite, (const void *, size_t, size_t, FILE *), "acq, r, rel") \
    X(stdio, size_t, fread, (void *, size_t, size_t, FILE *), "acq, w, rel; waits") \
    X(stdio, char *, fgets, (char *, int, FILE *), "acq, w, rel; waits") \
    X(stdio, int, fgetc, (FILE *), "acq, rel; waits") \
    X(stdio, int, getc, (FILE *), "acq, rel; waits") \
    X(stdio, int, getchar, (void), "acq, rel; waits") \
    X(stdio, int, ungetc, (int, FILE *), "acq, rel") \
    X(stdio, ssize_t, getdelim, (char **, size_t *, int, FILE *), "acq, a new block, w, rel; waits") \
    X(stdio, ssize_t, __getdelim, (char **, size_t *, int, FILE *), "as getdelim") \
    X(stdio, ssize_t, getline, (char **, size_t *, FILE *), "as getdelim") \
    X(stdio, int, fflush, (FILE *), "acq, rel") \
    X(stdio, int, fclose, (FILE *), "acq, rel; as close") \
    X(stdio, int, fseek, (FILE *, long, int), "acq, rel") \
    X(stdio, int, fseeko, (FILE *, off_t, int), "acq, rel") \
    X(stdio, long, ftell, (FILE *), "acq, rel") \
    X(stdio, off_t, ftello, (FILE *), "acq, rel") \
    X(stdio, void, rewind, (FILE *), "acq, rel") \
    X(stdio, int, feof, (FILE *), "acq, rel") \
    X(stdio, int, ferror, (FILE *), "acq, rel") \
    X(stdio, void, clearerr, (FILE *), "acq, rel") \
    X(stdio, int, setvbuf, (FILE *, char *, int, size_t), "acq, rel")

#define HD_APIS_FORTIFY(X) \
    X(fortify, void *, __memcpy_chk, (void *, const void *, size_t, size_t), "as memcpy") \
    X(fortify, void *, __memmove_chk, (void *, const void *, size_t, size_t), "as memmove") \
    X(fortify, void *, __mempcpy_chk, (void *, const void *, size_t, size_t), "as mempcpy") \
    X(fortify, void *, __memset_chk, (void *, int, size_t, size_t), "as memset") \
    X(fortify, char *, __strcpy_chk, (char *, const char *, size_t), "as strcpy") \
    X(fortify, char *, __stpcpy_chk, (char *, const char *, size_t), "as stpcpy") \
    X(fortify, char *, __strncpy_chk, (char *, const char *, size_t, size_t), "as strncpy") \
    X(fortify, char *, __strcat_chk, (char *, const char *, size_t), "as strcat") \
    X(fortify, char *, __strncat_chk, (char *, const char *, size_t, size_t), "as strncat") \
    X(fortify, int, __printf_chk, (int, const char *, ...), "as printf") \
    X(fortify, int, __fprintf_chk, (FILE *, int, const char *, ...), "as fprintf") \
    X(fortify, int, __vprintf_chk, (int, const char *, va_list), "as vprintf") \
    X(fortify, int, __vfprintf_chk, (FILE *, int, const char *, va_list), "as vfprintf") \
    X(fortify, int, __dprintf_chk, (int, int, const char *, ...), "as dprintf") \
    X(fortify, int, __vdprintf_chk, (int, int, const char *, va_list), "as vdprintf") \
    X(fortify, int, __sprintf_chk, (char *, int, size_t, const char *, ...), "as sprintf") \
    X(fortify, int, __snprintf_chk, (char *, size_t, int, size_t, const char *, ...), "as snprintf") \
    X(fortify, int, __vsprintf_chk, (char *, int, size_t, const char *, va_list), "as vsprintf") \
    X(fortify, int, __vsnprintf_chk, (char *, size_t, int, size_t, const char *, va_list), "as vsnprintf") \
    X(fortify, int, __asprintf_chk, (char **, int, const char *, ...), "as asprintf") \
    X(fortify, int, __vasprintf_chk, (char **, int, const char *, va_list), "as vasprintf") \
    X(fortify, char *, __fgets_chk, (char *, size_t, int, FILE *), "as fgets") \
    X(fortify, size_t, __fread_chk, (void *, size_t, size_t, size_t, FILE *), "as fread") \
    X(fortify, ssize_t, __read_chk, (int, void *, size_t, size_t), "as read") \
    X(fortify, ssize_t, __recv_chk, (int, void *, size_t, size_t, int), "as recv") \
    X(fortify, ssize_t, __recvfrom_chk, (int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *), "as recvfrom") \
    X(fortify, int, __poll_chk, (struct pollfd *, nfds_t, int, size_t), "as poll")
/* clang-format on */

#endif
