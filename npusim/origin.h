/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * origin.h - which call of the program made or did something.
 */
#ifndef NPUSIM_ORIGIN_H
#define NPUSIM_ORIGIN_H

#include <stdint.h>

struct origin {
    int fn;       /* enum sim_fn */
    uint64_t nth; /* which call of it, as call.<function> counted */
    uint64_t at;  /* grows with every origin of the process */
};

/* The call that this thread is in. */
struct origin origin_here(void);

#endif
