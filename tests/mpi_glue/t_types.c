/* SPDX-License-Identifier: BSD-3-Clause */
/* P58: types of every layout, from 8-byte columns to rows copied in the device,
 * between device and host memory, typed and contiguous on either side, by every
 * call. Every byte is compared, those between the elements too, also after a
 * message that fills a part of the receive. */
#include "coll_harness.h"
#include "layouts.h"

#include "tests/helpers/t_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum call {
    SEND_RECV,
    SSEND_IRECV,
    ISEND_MRECV,
    BSEND_IMRECV,
    PERSISTENT,
    SENDRECV,
    CALLS
} call_t;

static const char *const names[CALLS] = {"send/recv",    "ssend/irecv", "isend/mrecv",
                                         "bsend/imrecv", "persistent",  "sendrecv"};

/* One side of a message, somewhere inside its memory. */
typedef struct side {
    const t_layout_t *layout; /* NULL: bytes */
    char *memory;             /* host */
    char *device;             /* the same on the device, or NULL */
    size_t size, at, bytes;
} side_t;

static void side_open(side_t *side, const t_layout_t *layout, bool typed, bool device)
{
    side->layout = typed ? layout : NULL;
    side->bytes = layout->bytes;
    side->at = 200 + (typed ? layout->before : 0);
    side->size = side->at + (typed ? layout->after : layout->bytes) + 300;
    side->memory = malloc(side->size);
    t_check(NULL != side->memory, "no memory");
    side->device = device ? t_dev_alloc(side->size) : NULL;
}

static void side_close(side_t *side)
{
    free(side->memory);
    if (NULL != side->device) {
        t_dev_free(side->device);
    }
}

static void *side_buffer(const side_t *side)
{
    return ((NULL != side->device) ? side->device : side->memory) + side->at;
}

static int side_count(const side_t *side)
{
    return (NULL != side->layout) ? side->layout->count : (int)side->bytes;
}

static MPI_Datatype side_type(const side_t *side)
{
    return (NULL != side->layout) ? side->layout->type : MPI_BYTE;
}

static void do_send(call_t call, const side_t *side, int to)
{
    const void *buf = side_buffer(side);
    const int n = side_count(side);
    const MPI_Datatype type = side_type(side);
    MPI_Request request = MPI_REQUEST_NULL;

    switch (call) {
    case SSEND_IRECV:
        MPI_Ssend(buf, n, type, to, call, MPI_COMM_WORLD);
        break;
    case ISEND_MRECV:
        MPI_Isend(buf, n, type, to, call, MPI_COMM_WORLD, &request);
        break;
    case BSEND_IMRECV:
        MPI_Bsend(buf, n, type, to, call, MPI_COMM_WORLD);
        break;
    case PERSISTENT:
        MPI_Send_init(buf, n, type, to, call, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 2; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
        break;
    case SENDRECV:
        MPI_Sendrecv(buf, n, type, to, call, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Send(buf, n, type, to, call, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void recv_matched(call_t call, const side_t *side, int from, MPI_Status *status)
{
    MPI_Request request;
    MPI_Message message;

    MPI_Mprobe(from, call, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    if (ISEND_MRECV == call) {
        MPI_Mrecv(side_buffer(side), side_count(side), side_type(side), &message, status);
        return;
    }
    MPI_Imrecv(side_buffer(side), side_count(side), side_type(side), &message, &request);
    MPI_Wait(&request, status);
}

static void do_recv(call_t call, const side_t *side, int from, MPI_Status *status)
{
    void *buf = side_buffer(side);
    const int n = side_count(side);
    const MPI_Datatype type = side_type(side);
    MPI_Request request = MPI_REQUEST_NULL;

    switch (call) {
    case ISEND_MRECV:
    case BSEND_IMRECV:
        recv_matched(call, side, from, status);
        break;
    case SSEND_IRECV:
        MPI_Irecv(buf, n, type, from, call, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, status);
        break;
    case PERSISTENT:
        MPI_Recv_init(buf, n, type, from, call, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 2; i++) {
            MPI_Start(&request);
            MPI_Wait(&request, status);
        }
        MPI_Request_free(&request);
        break;
    case SENDRECV:
        MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, buf, n, type, from, call, MPI_COMM_WORLD,
                     status);
        break;
    default:
        MPI_Recv(buf, n, type, from, call, MPI_COMM_WORLD, status);
    }
}

/* A message as it is sent, and as it must arrive. */
static void make_message(const side_t *side, char *packed)
{
    t_fill(side->memory, side->size, 11);
    if (NULL != side->layout) {
        t_layout_pack(side->layout, side->memory + side->at, packed);
    } else {
        memcpy(packed, side->memory + side->at, side->bytes);
    }
    if (NULL != side->device) {
        t_to_device(side->device, side->memory, side->size);
    }
}

static void check_arrived(const side_t *side, const char *packed, size_t bytes, const char *what)
{
    char *want = malloc(side->size);

    t_check(NULL != want, "no memory");
    t_fill(want, side->size, 22);
    if (NULL != side->layout) {
        t_layout_unpack(side->layout, packed, bytes, want + side->at);
    } else {
        memcpy(want + side->at, packed, bytes);
    }
    if (NULL != side->device) {
        t_to_host(side->memory, side->device, side->size);
    }
    for (size_t i = 0; i < side->size; i++) {
        t_check(side->memory[i] == want[i], "%s: byte %zu of %zu is %#x, not %#x", what, i,
                side->size, (unsigned char)side->memory[i], (unsigned char)want[i]);
    }
    free(want);
}

/* @a part of the bytes of the layout; then the sender has bytes. */
static void exchange(const t_layout_t *layout, call_t call, const side_t *send, side_t *recv,
                     int rank, const char *what)
{
    char *packed = malloc(layout->bytes);
    MPI_Status status;
    int got;

    t_check(NULL != packed, "no memory");
    make_message(send, packed);
    if (0 == rank) {
        do_send(call, send, 1);
    } else {
        t_fill(recv->memory, recv->size, 22);
        if (NULL != recv->device) {
            t_to_device(recv->device, recv->memory, recv->size);
        }
        do_recv(call, recv, 0, &status);
        MPI_Get_count(&status, MPI_BYTE, &got);
        t_check((size_t)got == send->bytes, "%s: status has %d bytes, not %zu", what, got,
                send->bytes);
        check_arrived(recv, packed, send->bytes, what);
    }
    free(packed);
}

/* bits of a combination */
enum {
    SEND_DEVICE = 1,
    RECV_DEVICE = 2,
    SEND_TYPED = 4,
    RECV_TYPED = 8,
    COMBINATIONS = 16
};

static void check(const t_layout_t *layout, call_t call, int how, int rank, bool part)
{
    side_t send, recv;
    char what[200];

    snprintf(what, sizeof(what), "%s %s, %s %s to %s %s%s", names[call], layout->name,
             (how & SEND_TYPED) ? "typed" : "plain", (how & SEND_DEVICE) ? "device" : "host",
             (how & RECV_TYPED) ? "typed" : "plain", (how & RECV_DEVICE) ? "device" : "host",
             part ? ", a part" : "");
    side_open(&send, layout, 0 != (how & SEND_TYPED), 0 != (how & SEND_DEVICE));
    side_open(&recv, layout, 0 != (how & RECV_TYPED), 0 != (how & RECV_DEVICE));
    if (part) {
        send.bytes = layout->bytes * 5 / 8 + 3;
    }
    exchange(layout, call, &send, &recv, rank, what);
    side_close(&send);
    side_close(&recv);
}

/* Every call for some of the combinations, so that all meet over the layouts. */
static void check_layout(const t_layout_t *layout, int number, int rank)
{
    for (int how = 0; how < COMBINATIONS; how++) {
        const bool ours = ((how & SEND_DEVICE) && (how & SEND_TYPED)) ||
                          ((how & RECV_DEVICE) && (how & RECV_TYPED));

        if (ours) {
            check(layout, (call_t)((number + how) % CALLS), how, rank, false);
        }
    }
    for (int call = 0; call < CALLS; call++) {
        check(layout, (call_t)call, COMBINATIONS - 1, rank, false);
    }
    check(layout, SEND_RECV, SEND_DEVICE | RECV_DEVICE | RECV_TYPED, rank, true);
    check(layout, SSEND_IRECV, RECV_DEVICE | RECV_TYPED, rank, true);
}

int main(int argc, char **argv)
{
    const size_t room = (size_t)4 << 20;
    char *buffer = malloc(room);
    int rank, size;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    t_check(NULL != buffer, "no memory");
    MPI_Buffer_attach(buffer, (int)room);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; NULL != t_layouts()[i].name; i++) {
        check_layout(&t_layouts()[i], i, rank);
    }
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
    MPI_Finalize();
    return 0;
}
