/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point messages of device buffers of every kind of type, by every
 * call: what UCX cannot move by device means is staged (4.1's pml packs
 * derived types and buffered sends by CPU). Also run with pml/ob1, where all of
 * it is staged. Bytes between the elements stay as they were, also when a
 * message is shorter than the receive. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPAN = 4096,
    COUNT = 60,
    SHORT = 41
};

typedef enum call {
    SEND_RECV,
    SSEND_RECV,
    BSEND_RECV,
    ISEND_IRECV,
    ISSEND_IRECV,
    SENDRECV,
    PERSISTENT,
    MPROBE_MRECV,
    MPROBE_IMRECV,
    CALLS
} call_t;

static const char *const names[CALLS] = {"send/recv",   "ssend/recv",   "bsend/recv",
                                         "isend/irecv", "issend/irecv", "sendrecv",
                                         "persistent",  "mprobe/mrecv", "mprobe/imrecv"};

static void do_send(call_t call, const void *buf, int count, MPI_Datatype type, int to)
{
    MPI_Request request = MPI_REQUEST_NULL;

    switch (call) {
    case SSEND_RECV:
        MPI_Ssend(buf, count, type, to, call, MPI_COMM_WORLD);
        break;
    case BSEND_RECV:
        MPI_Bsend(buf, count, type, to, call, MPI_COMM_WORLD);
        break;
    case ISEND_IRECV:
        MPI_Isend(buf, count, type, to, call, MPI_COMM_WORLD, &request);
        break;
    case ISSEND_IRECV:
        MPI_Issend(buf, count, type, to, call, MPI_COMM_WORLD, &request);
        break;
    case SENDRECV:
        MPI_Sendrecv(buf, count, type, to, call, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        break;
    case PERSISTENT:
        MPI_Send_init(buf, count, type, to, call, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        break;
    default:
        MPI_Send(buf, count, type, to, call, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void do_recv(call_t call, void *buf, int count, MPI_Datatype type, int from,
                    MPI_Status *status)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;

    switch (call) {
    case ISEND_IRECV:
    case ISSEND_IRECV:
        MPI_Irecv(buf, count, type, from, call, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, status);
        break;
    case SENDRECV:
        MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, buf, count, type, from, call,
                     MPI_COMM_WORLD, status);
        break;
    case PERSISTENT:
        MPI_Recv_init(buf, count, type, from, call, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, status);
        MPI_Request_free(&request);
        break;
    case MPROBE_MRECV:
        MPI_Mprobe(from, call, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(buf, count, type, &message, status);
        break;
    case MPROBE_IMRECV:
        MPI_Mprobe(from, call, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(buf, count, type, &message, &request);
        MPI_Wait(&request, status);
        break;
    default:
        MPI_Recv(buf, count, type, from, call, MPI_COMM_WORLD, status);
    }
}

/* SHORT elements of what the sender has, the rest as the receiver had it. */
static void expect(char *want, const char *sent, const t_type_t *type)
{
    char packed[SPAN];
    int position = 0, size;

    MPI_Pack(sent + SPAN / 4, SHORT, type->type, packed, sizeof(packed), &position, MPI_COMM_SELF);
    size = position;
    position = 0;
    MPI_Unpack(packed, size, &position, want + SPAN / 4, SHORT, type->type, MPI_COMM_SELF);
}

static void exchange(call_t call, const t_type_t *type, bool device_send, bool device_recv)
{
    char sent[SPAN], had[SPAN], want[SPAN], got[SPAN];
    char *device = t_dev_alloc(SPAN);
    MPI_Status status;
    int rank, count;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    t_fill(sent, SPAN, (uint64_t)call + 1);
    t_fill(had, SPAN, (uint64_t)call + 100);
    if (0 == rank) {
        t_to_device(device, sent, SPAN);
        do_send(call, (device_send ? device : sent) + SPAN / 4, SHORT, type->type, 1);
    } else if (1 == rank) {
        memcpy(want, had, SPAN);
        expect(want, sent, type);
        t_to_device(device, had, SPAN);
        do_recv(call, (device_recv ? device : had) + SPAN / 4, COUNT, type->type, 0, &status);
        if (device_recv) {
            t_to_host(got, device, SPAN);
        } else {
            memcpy(got, had, SPAN);
        }
        MPI_Get_count(&status, type->type, &count);
        t_check(SHORT == count && 0 == status.MPI_SOURCE && (int)call == status.MPI_TAG,
                "%s %s: status has count %d, source %d, tag %d", names[call], type->name, count,
                status.MPI_SOURCE, status.MPI_TAG);
        for (int i = 0; i < SPAN; i++) {
            t_check(got[i] == want[i], "%s %s, %s to %s: byte %d is %#x, not %#x", names[call],
                    type->name, device_send ? "device" : "host", device_recv ? "device" : "host", i,
                    (unsigned char)got[i], (unsigned char)want[i]);
        }
    }
    t_dev_free(device);
}

int main(int argc, char **argv)
{
    static char buffer[SPAN + MPI_BSEND_OVERHEAD];
    void *detached;
    int size;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Buffer_attach(buffer, sizeof(buffer));
    for (const t_type_t *type = t_types(); NULL != type->name; type++) {
        for (int call = 0; call < CALLS; call++) {
            exchange((call_t)call, type, true, true);
            exchange((call_t)call, type, true, false);
            exchange((call_t)call, type, false, true);
        }
    }
    MPI_Buffer_detach(&detached, &size);
    MPI_Finalize();
    return 0;
}
