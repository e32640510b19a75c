/* SPDX-License-Identifier: BSD-3-Clause */
#include "network.h"

#include <math.h>
#include <string.h>

/* Where the parts lie: weights of a unit are contiguous, [unit][input]. */
typedef struct layout {
    size_t weights1;
    size_t bias1;
    size_t weights2;
    size_t bias2;
    size_t end;
} layout_t;

static layout_t network_layout(int hidden)
{
    size_t units = (size_t)hidden;
    layout_t at;

    at.weights1 = 0;
    at.bias1 = at.weights1 + units * DATA_PIXELS;
    at.weights2 = at.bias1 + units;
    at.bias2 = at.weights2 + units * DATA_CLASSES;
    at.end = at.bias2 + DATA_CLASSES;
    return at;
}

size_t network_size(int hidden)
{
    return network_layout(hidden).end;
}

static void network_uniform(float *values, size_t count, float limit, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        float unit = (float)(data_random(state) >> 40) / (float)(1u << 24);

        values[i] = (2.0f * unit - 1.0f) * limit;
    }
}

void network_init(float *params, int hidden, uint64_t seed)
{
    layout_t at = network_layout(hidden);
    uint64_t state = seed;

    memset(params, 0, at.end * sizeof(*params));
    network_uniform(params + at.weights1, at.bias1 - at.weights1, sqrtf(6.0f / DATA_PIXELS),
                    &state);
    network_uniform(params + at.weights2, at.bias2 - at.weights2,
                    sqrtf(6.0f / (float)(hidden + DATA_CLASSES)), &state);
}

static float network_dot(const float *a, const float *b, int count)
{
    float sum = 0.0f;

    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void network_add_scaled(float *to, const float *from, float factor, int count)
{
    for (int i = 0; i < count; i++) {
        to[i] += factor * from[i];
    }
}

static void network_forward(const float *params, int hidden, const float *pixels, float *active,
                            float *scores)
{
    layout_t at = network_layout(hidden);

    for (int u = 0; u < hidden; u++) {
        const float *weights = params + at.weights1 + (size_t)u * DATA_PIXELS;
        float sum = params[at.bias1 + (size_t)u] + network_dot(weights, pixels, DATA_PIXELS);

        active[u] = sum > 0.0f ? sum : 0.0f;
    }
    for (int c = 0; c < DATA_CLASSES; c++) {
        const float *weights = params + at.weights2 + (size_t)c * (size_t)hidden;

        scores[c] = params[at.bias2 + (size_t)c] + network_dot(weights, active, hidden);
    }
}

static int network_best(const float *scores)
{
    int best = 0;

    for (int c = 1; c < DATA_CLASSES; c++) {
        if (scores[c] > scores[best]) {
            best = c;
        }
    }
    return best;
}

/* Turns scores into the softmax's derivative and returns the cross-entropy. */
static double network_loss(float *scores, int label)
{
    float top = scores[network_best(scores)];
    float sum = 0.0f;
    double loss;

    for (int c = 0; c < DATA_CLASSES; c++) {
        sum += expf(scores[c] - top);
    }
    loss = log((double)sum) - (double)(scores[label] - top);
    for (int c = 0; c < DATA_CLASSES; c++) {
        scores[c] = expf(scores[c] - top) / sum;
    }
    scores[label] -= 1.0f;
    return loss;
}

static void network_backward(const float *params, int hidden, const float *pixels,
                             const float *active, const float *error, float *gradient)
{
    layout_t at = network_layout(hidden);
    float back[NETWORK_HIDDEN_MAX];

    memset(back, 0, (size_t)hidden * sizeof(*back));
    for (int c = 0; c < DATA_CLASSES; c++) {
        size_t row = at.weights2 + (size_t)c * (size_t)hidden;

        network_add_scaled(gradient + row, active, error[c], hidden);
        network_add_scaled(back, params + row, error[c], hidden);
        gradient[at.bias2 + (size_t)c] += error[c];
    }
    for (int u = 0; u < hidden; u++) {
        if (active[u] > 0.0f) {
            network_add_scaled(gradient + at.weights1 + (size_t)u * DATA_PIXELS, pixels, back[u],
                               DATA_PIXELS);
            gradient[at.bias1 + (size_t)u] += back[u];
        }
    }
}

double network_gradient(const float *params, int hidden, const data_set_t *set, const int *order,
                        int count, float scale, float *gradient)
{
    float active[NETWORK_HIDDEN_MAX];
    float scores[DATA_CLASSES];
    double loss = 0.0;

    for (int i = 0; i < count; i++) {
        const float *pixels = set->pixels[order[i]];

        network_forward(params, hidden, pixels, active, scores);
        loss += network_loss(scores, set->labels[order[i]]);
        for (int c = 0; c < DATA_CLASSES; c++) {
            scores[c] *= scale;
        }
        network_backward(params, hidden, pixels, active, scores, gradient);
    }
    return loss;
}

int network_correct(const float *params, int hidden, const data_set_t *set, const int *order,
                    int count)
{
    float active[NETWORK_HIDDEN_MAX];
    float scores[DATA_CLASSES];
    int correct = 0;

    for (int i = 0; i < count; i++) {
        network_forward(params, hidden, set->pixels[order[i]], active, scores);
        correct += network_best(scores) == set->labels[order[i]];
    }
    return correct;
}
