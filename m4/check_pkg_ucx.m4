dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl CHECK_PKG_UCX: the installed UCX and the source of the same version.
dnl
dnl A transport is built against headers that libucx-dev does not carry, and
dnl their structures differ from one UCX release to the next. So the source tree
dnl is required to be that of the installed UCX, and the build configuration
dnl (config.h) is taken from the installed UCX itself.
dnl
dnl Output: UCX_CFLAGS, UCX_LIBS      public API (ucp, uct, ucs, ucm)
dnl         UCX_SRC_CPPFLAGS          for ucx_tl/ alone; its files must not
dnl                                   include asc_config.h: both it and UCX's
dnl                                   config.h define PACKAGE, VERSION, HAVE_*
dnl         UCX_VERSION               substituted and in asc_config.h, together
dnl                                   with ASC_UCX_MAJOR, ASC_UCX_MINOR
dnl         HAVE_UCX_SRC              automake conditional
AC_DEFUN([CHECK_PKG_UCX], [
    dnl Debian 12's and Debian 13's.
    ucx_tested_versions="1.13.1 1.18.1"

    AC_ARG_WITH([ucx-src],
        [AS_HELP_STRING([--with-ucx-src=DIR],
            [source tree of the installed UCX version
             @<:@default: ucx-src in the source directory, made by contrib/get-ucx-src.sh@:>@;
             --without-ucx-src builds no UCX module])],
        [], [with_ucx_src=yes])

    AC_ARG_ENABLE([untested-ucx],
        [AS_HELP_STRING([--enable-untested-ucx],
            [build for a UCX version in which the module has not been tested])],
        [], [enable_untested_ucx=no])

    have_ucx_src=no
    UCX_VERSION=
    UCX_SRC_CPPFLAGS=
    ucx_src_summary="no, disabled"
    AS_IF([test "x$with_ucx_src" != xno], [
        PKG_CHECK_MODULES([UCX], [ucx],
            [],
            [AC_MSG_ERROR([UCX's development files are not installed: run contrib/install-deps.sh (package libucx-dev), or configure --without-ucx-src to build without the UCX module])])

        AC_MSG_CHECKING([version of the installed UCX])
        ucx_save_CPPFLAGS=$CPPFLAGS
        CPPFLAGS="$CPPFLAGS $UCX_CFLAGS"
        AC_COMPUTE_INT([ucx_major], [UCT_VERNO_MAJOR], [[#include <uct/api/version.h>]],
            [AC_MSG_ERROR([uct/api/version.h not found: is libucx-dev complete?])])
        AC_COMPUTE_INT([ucx_minor], [UCT_VERNO_MINOR], [[#include <uct/api/version.h>]])
        AC_COMPUTE_INT([ucx_patch], [UCT_VERNO_PATCH], [[#include <uct/api/version.h>]])
        CPPFLAGS=$ucx_save_CPPFLAGS
        UCX_VERSION=$ucx_major.$ucx_minor.$ucx_patch
        AC_MSG_RESULT([$UCX_VERSION])
        ucx_known=no
        for v in $ucx_tested_versions; do
            AS_IF([test "x$v" = "x$UCX_VERSION"], [ucx_known=yes])
        done
        AS_IF([test "x$ucx_known" = xno], [
            AS_IF([test "x$enable_untested_ucx" = xyes],
                [AC_MSG_WARN([the UCX module has not been tested in UCX $UCX_VERSION])],
                [AC_MSG_ERROR([UCX $UCX_VERSION is installed; the UCX module has been tested in these versions only: $ucx_tested_versions. Install one of them, or configure --enable-untested-ucx to try $UCX_VERSION, or --without-ucx-src to build without the module])])])

        AC_MSG_CHECKING([for the source of UCX $UCX_VERSION])
        AS_CASE([$with_ucx_src],
            [yes], [ucx_src_dir=$srcdir/ucx-src],
            [ucx_src_dir=$with_ucx_src])
        AS_IF([test -d "$ucx_src_dir"], [ucx_src_dir=`cd "$ucx_src_dir" && pwd`])
        AS_IF([test ! -f "$ucx_src_dir/src/uct/base/uct_iface.h"], [
            AC_MSG_RESULT([no])
            AC_MSG_ERROR([there is no UCX source tree in '$ucx_src_dir': run contrib/get-ucx-src.sh, or name one with --with-ucx-src=DIR, or configure --without-ucx-src to build without the UCX module])])
        ucx_src_version=`sed -n 's/^.*ucx_ver_\(major\|minor\|patch\)@:>@, *\(@<:@0-9@:>@*\)).*/\2/p' "$ucx_src_dir/configure.ac" | tr '\n' '.' | sed 's/\.$//'`
        AS_IF([test "x$ucx_src_version" != "x$UCX_VERSION"], [
            AC_MSG_RESULT([no])
            AC_MSG_ERROR([the UCX source in '$ucx_src_dir' is version ${ucx_src_version:-unknown}, the installed UCX is version $UCX_VERSION: they must be the same; remove the tree and run contrib/get-ucx-src.sh])])
        AC_MSG_RESULT([$ucx_src_dir])

        AC_PATH_PROG([UCX_INFO], [ucx_info])
        AS_IF([test -z "$UCX_INFO"],
            [AC_MSG_ERROR([ucx_info not found, which prints the configuration UCX was built with: run contrib/install-deps.sh (package ucx-utils)])])
        ucx_run_version=`$UCX_INFO -v | sed -n 's/^# Version //p;s/^# Library version: //p' | sed -n 1p`
        AS_IF([test "x$ucx_run_version" != "x$UCX_VERSION"],
            [AC_MSG_ERROR([the UCX library is version ${ucx_run_version:-unknown}, its headers are version $UCX_VERSION: install libucx0, libucx-dev and ucx-utils of one version])])

        AC_MSG_CHECKING([for the configuration of the installed UCX])
        AS_MKDIR_P([ucx-config])
        { echo "/* What 'ucx_info -b' says of the installed UCX $UCX_VERSION. */"
          $UCX_INFO -b; } >ucx-config/config.h.new
        AS_IF([grep UCS_MAX_LOG_LEVEL ucx-config/config.h.new >/dev/null],
            [AC_MSG_RESULT([ucx-config/config.h])],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR(['$UCX_INFO -b' printed no usable configuration])])
        dnl An unchanged file keeps its time, so that nothing is rebuilt.
        AS_IF([cmp -s ucx-config/config.h.new ucx-config/config.h],
            [rm -f ucx-config/config.h.new],
            [mv ucx-config/config.h.new ucx-config/config.h])

        dnl -isystem: warnings inside foreign headers are not ours to fix.
        UCX_SRC_CPPFLAGS="-D_GNU_SOURCE -I\$(top_builddir)/ucx-config -isystem $ucx_src_dir/src"
        AC_DEFINE_UNQUOTED([ASC_UCX_MAJOR], [$ucx_major], [Major version of the UCX built for])
        AC_DEFINE_UNQUOTED([ASC_UCX_MINOR], [$ucx_minor], [Minor version of the UCX built for])
        have_ucx_src=yes
        ucx_src_summary="$UCX_VERSION, source in $ucx_src_dir"
    ])
    AC_DEFINE_UNQUOTED([ASC_UCX_VERSION], ["$UCX_VERSION"], [Version of the UCX built for, empty if none])
    AC_SUBST([UCX_VERSION])
    AC_SUBST([UCX_SRC_CPPFLAGS])
    AC_SUBST([UCX_SRC_DIR], [$ucx_src_dir])
    AM_CONDITIONAL([HAVE_UCX_SRC], [test "x$have_ucx_src" = xyes])
])
