# SPDX-License-Identifier: BSD-3-Clause
# P21 through exports: see t_odd_sizes.c.
UCX_RNDV_THRESH=0 exec "$ASC_TOP_BUILDDIR/tests/ucx_tl/t_odd_sizes"
