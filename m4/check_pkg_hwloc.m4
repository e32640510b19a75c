dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl CHECK_PKG_HWLOC: where devices sit in the machine.
dnl
dnl Output: HWLOC_CFLAGS, HWLOC_LIBS, HWLOC_VERSION
AC_DEFUN([CHECK_PKG_HWLOC], [
    PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.0],
        [],
        [AC_MSG_ERROR([hwloc 2 is not installed with its development files: run contrib/install-deps.sh (package libhwloc-dev)])])
    HWLOC_VERSION=`$PKG_CONFIG --modversion hwloc`
    AC_SUBST([HWLOC_VERSION])
])
