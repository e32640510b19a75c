/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The NPU's side of the training: parameters and gradient in device memory,
 * each with a twin in pinned host memory, and one stream that orders all work.
 *
 * Every function returns when the stream has finished what it asked for, so
 * that the device arrays may be given to MPI right after. One thread only.
 * Functions return 0, or -1 with the reason in device_t.error.
 */
#ifndef TRAIN_DEVICE_H
#define TRAIN_DEVICE_H

#include <acl/acl.h>
#include <stddef.h>

typedef struct device {
    int id;
    size_t count; /* floats in each of the four arrays */
    aclrtStream stream;
    float *params;      /* device memory: for ACL and MPI only, */
    float *gradient;    /*   the CPU must not follow these pointers */
    float *host_params; /* pinned host memory */
    float *host_gradient;
    int in_use;      /* the device was set by device_open() */
    int host_update; /* the chip cannot add on the device */
    char error[384];
} device_t;

/** Picks device local_rank modulo the number of devices and allocates. After a
 *  failure, device_close() releases what had been made. */
int device_open(device_t *dev, int local_rank, size_t count);

int device_params_from_host(device_t *dev);
int device_params_to_host(device_t *dev);
int device_gradient_from_host(device_t *dev);

/** params += gradient, on the device if it can. */
int device_update(device_t *dev);

/** Releases all and ends the use of ACL in this process; MPI may still be up. */
void device_close(device_t *dev);

#endif
