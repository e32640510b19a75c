/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in for an Open MPI header of this name that its development package
 * leaves out although ompi/op/op.h includes it. configure puts this directory
 * on the include path only where the real header is missing, and only after
 * it has seen that a Fortran INTEGER and a C int have the same size; so a
 * handle needs no conversion in either direction.
 */
#ifndef ASC_COMPAT_FINT_2_INT_H
#define ASC_COMPAT_FINT_2_INT_H

#define OMPI_INT_2_FINT(value) (value)
#define OMPI_FINT_2_INT(value) (value)

#endif
