/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided calls on a window of host memory with device memory as origin, result
 * or compare argument, also with requests, and the same calls with host buffers. A
 * buffer that is no more is refused through the window's error handler with
 * MPI_ERR_BUFFER, under both names of the function, and changes nothing. With
 * "excluded": without osc/ascend no window has device memory. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include <string.h>

enum {
    COUNT = 1000
};

static MPI_Win window;
static int memory[COUNT], origin[COUNT], result[COUNT];

static void refused(const char *what, int rc)
{
    int class;

    MPI_Error_class(rc, &class);
    t_check(MPI_ERR_BUFFER == class, "%s gave class %d, not MPI_ERR_BUFFER", what, class);
}

#define REFUSED(_call) refused(#_call, _call)
#define WORKS(_call)   t_check(MPI_SUCCESS == (_call), #_call)

static void plain_refused(int *bad, int peer)
{
    MPI_Request request;

    REFUSED(MPI_Put(bad, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, window));
    REFUSED(PMPI_Put(bad, 1, MPI_INT, peer, 0, 1, MPI_INT, window));
    REFUSED(MPI_Get(bad, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, window));
    REFUSED(MPI_Accumulate(bad, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, MPI_SUM, window));
    REFUSED(MPI_Rput(bad, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, window, &request));
    REFUSED(MPI_Rget(bad, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, window, &request));
    REFUSED(
        MPI_Raccumulate(bad, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, MPI_SUM, window, &request));
}

static void fetching_refused(int *bad, int peer)
{
    MPI_Request request;

    REFUSED(MPI_Get_accumulate(bad, COUNT, MPI_INT, result, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT,
                               MPI_SUM, window));
    REFUSED(MPI_Get_accumulate(origin, COUNT, MPI_INT, bad, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT,
                               MPI_SUM, window));
    REFUSED(MPI_Rget_accumulate(bad, COUNT, MPI_INT, result, COUNT, MPI_INT, peer, 0, COUNT,
                                MPI_INT, MPI_SUM, window, &request));
    REFUSED(MPI_Rget_accumulate(NULL, 0, MPI_INT, bad, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT,
                                MPI_NO_OP, window, &request));
    REFUSED(MPI_Fetch_and_op(bad, result, MPI_INT, peer, 0, MPI_SUM, window));
    REFUSED(MPI_Fetch_and_op(origin, bad, MPI_INT, peer, 0, MPI_SUM, window));
    REFUSED(MPI_Compare_and_swap(bad, origin, result, MPI_INT, peer, 0, window));
    REFUSED(MPI_Compare_and_swap(origin, bad, result, MPI_INT, peer, 0, window));
    REFUSED(MPI_Compare_and_swap(origin, origin, bad, MPI_INT, peer, 0, window));
}

static void host_works(int rank, int peer, int *device)
{
    for (int i = 0; i < COUNT; i++) {
        origin[i] = rank * 7 + i;
    }
    MPI_Win_fence(0, window);
    for (int i = 0; i < COUNT; i++) {
        t_check(0 == memory[i], "a refused call changed [%d] to %d", i, memory[i]);
    }
    MPI_Win_fence(0, window);
    WORKS(MPI_Put(origin, COUNT, MPI_INT, peer, 0, COUNT, MPI_INT, window));
    MPI_Win_fence(0, window);
    for (int i = 0; i < COUNT; i++) {
        t_check(peer * 7 + i == memory[i], "[%d] is %d after a put", i, memory[i]);
    }
    MPI_Win_fence(0, window);
    /* What MPI_NO_OP does not read may lie anywhere. */
    WORKS(MPI_Fetch_and_op(device, result, MPI_INT, peer, 3, MPI_NO_OP, window));
    WORKS(MPI_Get(result + 1, COUNT - 1, MPI_INT, peer, 1, COUNT - 1, MPI_INT, window));
    MPI_Win_fence(0, window);
    t_check(rank * 7 + 3 == result[0], "fetched %d", result[0]);
    for (int i = 1; i < COUNT; i++) {
        t_check(rank * 7 + i == result[i], "[%d] is %d after a get", i, result[i]);
    }
}

static void excluded(int *device)
{
    MPI_Win dynamic, none;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    REFUSED(MPI_Win_create(device, COUNT * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &none));
    WORKS(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
    REFUSED(MPI_Win_attach(dynamic, device, COUNT * sizeof(int)));
    WORKS(MPI_Win_attach(dynamic, origin, sizeof(origin)));
    WORKS(MPI_Win_detach(dynamic, origin));
    MPI_Win_free(&dynamic);
}

static void set(int *device, int value)
{
    t_to_device(device, &value, sizeof(value));
}

static void expect(const int *device, int value, const char *what)
{
    int got;

    t_to_host(&got, device, sizeof(got));
    t_check(value == got, "%s: %d, not %d", what, got, value);
}

/* d[0] origin, d[1] compare, d[2] result; the target's element 0 holds what it
 * says after each call. */
static void device_fetches(int *d, int peer)
{
    MPI_Request request;

    set(&d[0], 5);
    WORKS(MPI_Fetch_and_op(&d[0], &d[2], MPI_INT, peer, 0, MPI_SUM, window)); /* 5 */
    MPI_Win_flush(peer, window);
    expect(&d[2], 0, "fetched");
    set(&d[1], 5);
    set(&d[0], 9);
    WORKS(MPI_Compare_and_swap(&d[0], &d[1], &d[2], MPI_INT, peer, 0, window)); /* 9 */
    MPI_Win_flush_all(window);
    expect(&d[2], 5, "swapped");
    WORKS(MPI_Get_accumulate(&d[0], 1, MPI_INT, &d[2], 1, MPI_INT, peer, 0, 1, MPI_INT, MPI_SUM,
                             window)); /* 18 */
    MPI_Win_flush_local(peer, window);
    expect(&d[2], 9, "got before adding");
    WORKS(MPI_Rget_accumulate(&d[0], 1, MPI_INT, &d[2], 1, MPI_INT, peer, 0, 1, MPI_INT, MPI_SUM,
                              window, &request)); /* 27 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(&d[2], 18, "got with a request");
    WORKS(MPI_Accumulate(&d[0], 1, MPI_INT, peer, 0, 1, MPI_INT, MPI_SUM, window)); /* 36 */
    WORKS(MPI_Raccumulate(&d[0], 1, MPI_INT, peer, 0, 1, MPI_INT, MPI_SUM, window, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* 45 */
    WORKS(MPI_Get(&d[2], 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window));
    MPI_Win_flush(peer, window);
}

static void device_works(int *device, int peer)
{
    MPI_Datatype every_other;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, window);
    device_fetches(device, peer);
    MPI_Win_unlock(peer, window);
    MPI_Barrier(MPI_COMM_WORLD);
    t_check(45 == memory[0], "the sum is %d, not 45", memory[0]);
    /* Elements 0, 2, 4 of the target to 1, 3, 5 of the origin. */
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    for (int i = 0; i < 6; i++) {
        set(&device[i], -i);
        memory[i] = 100 + i;
    }
    MPI_Win_fence(0, window);
    WORKS(MPI_Get(&device[1], 1, every_other, peer, 0, 1, every_other, window));
    MPI_Type_free(&every_other);
    MPI_Win_fence(0, window);
    for (int i = 0; i < 6; i++) {
        expect(&device[i], (0 == i % 2) ? -i : 100 + i - 1, "got by fence");
        memory[i] = 0;
    }
    memset(memory, 0, sizeof(memory));
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, *device, *gone;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    device = t_dev_alloc(COUNT * sizeof(int));
    gone = t_dev_alloc(COUNT * sizeof(int));
    t_dev_free(gone);
    if (argc > 1) {
        t_check(0 == strcmp("excluded", argv[1]), "argument %s", argv[1]);
        excluded(device);
        MPI_Finalize();
        return 0;
    }
    WORKS(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                         &window));
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    plain_refused(gone, 1 - rank);
    fetching_refused(gone, 1 - rank);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    device_works(device, 1 - rank);
    host_works(rank, 1 - rank, device);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    REFUSED(MPI_Buffer_attach(device, COUNT * sizeof(int)));
    REFUSED(MPI_Buffer_attach(gone, COUNT * sizeof(int)));
    MPI_Win_free(&window);
    t_dev_free(device);
    MPI_Finalize();
    return 0;
}
