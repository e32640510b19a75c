/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for the libucp of another UCX release: all that the module asks it
 * is its version. */
void ucp_get_version(unsigned *major, unsigned *minor, unsigned *patch);

__attribute__((visibility("default"))) void ucp_get_version(unsigned *major, unsigned *minor,
                                                            unsigned *patch)
{
    *major = 1;
    *minor = 99;
    *patch = 7;
}
