/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Stands in for a header that Debian's Open MPI development package leaves
 * out although its other headers include it. Used only where the real one is
 * missing and only where a Fortran INTEGER has the size of a C int, which
 * configure checks: then the conversions are the identity.
 */
#ifndef OMPI_FORTRAN_BASE_FINT_2_INT_H
#define OMPI_FORTRAN_BASE_FINT_2_INT_H

#define OMPI_INT_2_FINT(_value) (_value)
#define OMPI_FINT_2_INT(_value) (_value)

#endif
