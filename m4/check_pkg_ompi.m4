dnl SPDX-License-Identifier: BSD-3-Clause
dnl
dnl CHECK_PKG_OMPI: the installed Open MPI, for MPI programs and for components.
dnl
dnl Debian's development package lacks a header that others of its headers
dnl include; mpi_glue/compat/ has our own replacement, put on the include path
dnl only when the real one is missing.
dnl
dnl Output: MPICC                     compiler wrapper
dnl         MPI_CPPFLAGS, MPI_LIBS    for MPI programs built with plain CC
dnl         OMPI_CPPFLAGS, OMPI_LIBS  for components (mpi_glue/ alone)
dnl         OMPI_COMPONENT_DIR        where the installed components are
dnl         MPIRUN                    its launcher
dnl         OMPI_VERSION              substituted; ASC_OMPI_VERSION in asc_config.h
dnl         HAVE_OMPI                 automake conditional
AC_DEFUN([CHECK_PKG_OMPI], [
    AC_ARG_WITH([ompi],
        [AS_HELP_STRING([--with-ompi=PREFIX],
            [use PREFIX/bin/mpicc @<:@default: mpicc in PATH, or the variable MPICC@:>@;
             --without-ompi builds no Open MPI component and no MPI program])],
        [], [with_ompi=yes])
    AC_ARG_VAR([MPICC], [Open MPI's C compiler wrapper])

    have_ompi=no
    OMPI_VERSION=
    ompi_summary="no, disabled"
    AS_IF([test "x$with_ompi" != xno], [
        AS_IF([test "x$with_ompi" != xyes], [MPICC=$with_ompi/bin/mpicc])
        ompi_wrapper=${MPICC:-mpicc.openmpi or mpicc}
        AS_IF([test -n "$MPICC"],
            [MPICC=`command -v "$MPICC"`],
            [AC_PATH_PROGS([MPICC], [mpicc.openmpi mpicc])])
        AS_IF([test -z "$MPICC"],
            [AC_MSG_ERROR([Open MPI's compiler wrapper '$ompi_wrapper' not found: run contrib/install-deps.sh (packages libopenmpi-dev, openmpi-bin), or configure --without-ompi to build without the Open MPI components])])

        AC_MSG_CHECKING([version of Open MPI])
        OMPI_VERSION=`$MPICC --showme:version 2>/dev/null | sed -n 's/.*Open MPI \(@<:@0-9.@:>@*\).*/\1/p'`
        AS_IF([test -z "$OMPI_VERSION"],
            [AC_MSG_RESULT([unknown])
             AC_MSG_ERROR(['$MPICC' is not Open MPI's compiler wrapper: set MPICC to the right one])])
        AC_MSG_RESULT([$OMPI_VERSION])
        AS_CASE([$OMPI_VERSION],
            [4.1.*], [],
            [AC_MSG_ERROR([Open MPI $OMPI_VERSION is not supported, only 4.1.x is; set MPICC to the wrapper of a 4.1.x, or configure --without-ompi])])

        MPI_CPPFLAGS=`$MPICC --showme:compile | sed 's/-I */-isystem /g'`
        MPI_LIBS=`$MPICC --showme:link`

        AC_MSG_CHECKING([for Open MPI's internal headers])
        ompi_incdir=
        for ompi_dir in `$MPICC --showme:incdirs`; do
            AS_IF([test -f "$ompi_dir/ompi_config.h"], [ompi_incdir=$ompi_dir])
            AS_IF([test -f "$ompi_dir/openmpi/ompi_config.h"], [ompi_incdir=$ompi_dir/openmpi])
        done
        AS_IF([test -z "$ompi_incdir"],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR([Open MPI $OMPI_VERSION is installed without ompi_config.h, which components need (Debian's libopenmpi-dev has it; elsewhere build Open MPI with --with-devel-headers), or configure --without-ompi])])
        AC_MSG_RESULT([$ompi_incdir])
        OMPI_CPPFLAGS="$MPI_CPPFLAGS -isystem $ompi_incdir"
        OMPI_LIBS="$MPI_LIBS -lopen-pal"

        ompi_save_CPPFLAGS=$CPPFLAGS
        CPPFLAGS="$CPPFLAGS $OMPI_CPPFLAGS"
        AC_CHECK_HEADER([ompi/mpi/fortran/base/fint_2_int.h], [],
            [AC_MSG_CHECKING([whether a Fortran INTEGER is a C int])
             AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
                 #include <ompi_config.h>
                 _Static_assert(OMPI_SIZEOF_FORTRAN_INTEGER == sizeof(int), "differ");]])],
                 [AC_MSG_RESULT([yes])],
                 [AC_MSG_RESULT([no])
                  AC_MSG_ERROR([Open MPI's header ompi/mpi/fortran/base/fint_2_int.h is missing and our replacement holds only where a Fortran INTEGER has the size of a C int])])
             OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem \$(top_srcdir)/mpi_glue/compat"],
            [[#include <ompi_config.h>]])
        CPPFLAGS=$ompi_save_CPPFLAGS

        AC_PATH_PROG([OMPI_INFO], [ompi_info], [], [`dirname $MPICC`:$PATH])
        AC_PATH_PROGS([MPIRUN], [mpirun.openmpi mpirun], [], [`dirname $MPICC`:$PATH])
        AC_MSG_CHECKING([for the directory of Open MPI's components])
        OMPI_COMPONENT_DIR=
        AS_IF([test -n "$OMPI_INFO"],
            [OMPI_COMPONENT_DIR=`env -u OMPI_MCA_mca_base_component_path $OMPI_INFO --all --parsable 2>/dev/null |
                sed -n 's/^mca:mca:base:param:mca_base_component_path:value:"*\(@<:@^:"@:>@*\).*/\1/p'`])
        AS_IF([test -d "$OMPI_COMPONENT_DIR"], [],
            [AC_MSG_RESULT([no])
             AC_MSG_ERROR([ompi_info does not tell where Open MPI's components are: run contrib/install-deps.sh (package openmpi-bin)])])
        AC_MSG_RESULT([$OMPI_COMPONENT_DIR])
        have_ompi=yes
        ompi_summary="$OMPI_VERSION, $MPICC"
    ])
    AC_DEFINE_UNQUOTED([ASC_OMPI_VERSION], ["$OMPI_VERSION"], [Version of the Open MPI built for, empty if none])
    AC_DEFINE_UNQUOTED([ASC_OMPI_COMPONENT_DIR], ["$OMPI_COMPONENT_DIR"], [Where the installed Open MPI keeps its components])
    AC_SUBST([OMPI_VERSION])
    AC_SUBST([OMPI_COMPONENT_DIR])
    AC_SUBST([OMPI_CPPFLAGS])
    AC_SUBST([OMPI_LIBS])
    AC_SUBST([MPI_CPPFLAGS])
    AC_SUBST([MPI_LIBS])
    AM_CONDITIONAL([HAVE_OMPI], [test "x$have_ompi" = xyes])
])
