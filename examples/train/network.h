/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * A network of one hidden layer: pixels -> hidden (ReLU) -> classes (softmax).
 * All parameters lie in one float array, so that one MPI call moves them all;
 * a gradient has the same layout. Host memory only, no state, no threads.
 */
#ifndef TRAIN_NETWORK_H
#define TRAIN_NETWORK_H

#include "data.h"

#define NETWORK_HIDDEN_MAX 4096

/** How many floats the parameters of a network with @a hidden units take. */
size_t network_size(int hidden);

/** Initial weights (uniform, scaled by the layer's width) and zero biases. */
void network_init(float *params, int hidden, uint64_t seed);

/**
 * Adds to @a gradient the gradient of the cross-entropy of the samples
 * order[0..count-1] times @a scale.
 *
 * @return the samples' summed cross-entropy (not scaled).
 */
double network_gradient(const float *params, int hidden, const data_set_t *set, const int *order,
                        int count, float scale, float *gradient);

/** How many of the samples order[0..count-1] the network classifies rightly. */
int network_correct(const float *params, int hidden, const data_set_t *set, const int *order,
                    int count);

#endif
