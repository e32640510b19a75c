dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl CHECK_ENABLE_SANITIZER: --enable-asan, --enable-ubsan, --enable-tsan.
dnl
dnl Each is tried by linking a program, so that a missing runtime is reported
dnl here and not by the first link of the build. The flags go into ASC_SAN_CFLAGS,
dnl never into the user's CFLAGS.
dnl
dnl Output: ASC_SAN_CFLAGS, ASC_SANITIZE (list of names, empty if none),
dnl         ASC_ASAN_LIB (the runtime, for programs that are not instrumented)
AC_DEFUN([CHECK_ENABLE_SANITIZER], [
    ASC_SAN_CFLAGS=
    ASC_SANITIZE=
    ASC_ASAN_LIB=
    _ASC_SANITIZER([asan], [address], [address and leak errors])
    _ASC_SANITIZER([ubsan], [undefined], [undefined behaviour])
    _ASC_SANITIZER([tsan], [thread], [data races])
    AS_CASE([$ASC_SANITIZE],
        [*asan*tsan], [AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other: build twice])])
    AS_IF([test -n "$ASC_SANITIZE"],
        [ASC_SAN_CFLAGS="$ASC_SAN_CFLAGS -fno-omit-frame-pointer -g"])
    dnl gcc warns of every fence, which its thread sanitizer does not model;
    dnl a fence only ever orders more than it assumes.
    AS_CASE([$ASC_SANITIZE],
        [*tsan*], [AS_IF([$CC -Werror -Wno-tsan -x c -c /dev/null -o conftest.$OBJEXT 2>/dev/null],
            [ASC_SAN_CFLAGS="$ASC_SAN_CFLAGS -Wno-tsan"])])
    AS_CASE([$ASC_SANITIZE],
        [*asan*], [ASC_ASAN_LIB=`$CC -print-file-name=libasan.so`])
    AC_SUBST([ASC_SAN_CFLAGS])
    AC_SUBST([ASC_SANITIZE])
    AC_SUBST([ASC_ASAN_LIB])
])

dnl _ASC_SANITIZER(name, -fsanitize value, what it finds)
AC_DEFUN([_ASC_SANITIZER], [
    AC_ARG_ENABLE([$1],
        [AS_HELP_STRING([--enable-$1], [report $3 at run time])],
        [], [enable_$1=no])
    AS_IF([test "x$enable_$1" = xyes], [
        AC_MSG_CHECKING([whether $CC links with -fsanitize=$2])
        asc_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS -fsanitize=$2 -fno-sanitize-recover=all"
        AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
            [AC_MSG_RESULT([yes])],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR([--enable-$1: $CC cannot link with -fsanitize=$2; install the compiler's sanitizer runtime])])
        CFLAGS=$asc_save_CFLAGS
        ASC_SAN_CFLAGS="$ASC_SAN_CFLAGS -fsanitize=$2 -fno-sanitize-recover=all"
        ASC_SANITIZE="${ASC_SANITIZE:+$ASC_SANITIZE }$1"
    ])
])
