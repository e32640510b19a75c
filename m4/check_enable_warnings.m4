dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl CHECK_ENABLE_WARNINGS: the warnings the code is clean under, and
dnl --enable-werror for those who must not let one in (CI).
dnl
dnl Output: ASC_WARN_CFLAGS
AC_DEFUN([CHECK_ENABLE_WARNINGS], [
    AC_ARG_ENABLE([werror],
        [AS_HELP_STRING([--enable-werror], [stop at compiler warnings])],
        [], [enable_werror=no])
    ASC_WARN_CFLAGS="-Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes"
    AS_IF([test "x$enable_werror" = xyes],
        [ASC_WARN_CFLAGS="$ASC_WARN_CFLAGS -Werror"])
    AC_SUBST([ASC_WARN_CFLAGS])
])
