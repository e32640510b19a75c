/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided calls with a device buffer (or one that is no more) as origin,
 * result or compare argument are refused through the window's error handler
 * with MPI_ERR_BUFFER, under both names of the function, and change nothing; the
 * same calls with host buffers work. Device memory cannot be attached. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

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

static void attach_refused(int *device)
{
    MPI_Win dynamic;

    WORKS(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
    REFUSED(MPI_Win_attach(dynamic, device, COUNT * sizeof(int)));
    WORKS(MPI_Win_attach(dynamic, origin, sizeof(origin)));
    WORKS(MPI_Win_detach(dynamic, origin));
    MPI_Win_free(&dynamic);
}

int main(int argc, char **argv)
{
    int rank;
    int *device, *gone;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    device = t_dev_alloc(COUNT * sizeof(int));
    gone = t_dev_alloc(COUNT * sizeof(int));
    t_dev_free(gone);
    WORKS(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                         &window));
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    plain_refused(device, 1 - rank);
    plain_refused(gone, 1 - rank);
    fetching_refused(device, 1 - rank);
    fetching_refused(gone, 1 - rank);
    host_works(rank, 1 - rank, device);
    attach_refused(device);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    REFUSED(MPI_Buffer_attach(device, COUNT * sizeof(int)));
    REFUSED(MPI_Buffer_attach(gone, COUNT * sizeof(int)));
    MPI_Win_free(&window);
    t_dev_free(device);
    MPI_Finalize();
    return 0;
}
