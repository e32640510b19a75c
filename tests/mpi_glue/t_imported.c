/* SPDX-License-Identifier: BSD-3-Clause */
/* A device pointer that the program itself imported from another process is
 * refused with MPI_ERR_BUFFER by messages and collectives, before anything is
 * sent, with the address and a remedy. */
#include "capture.h"
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

#include "acl/ascend_abi.h"

enum {
    SIZE = 2 << 20,
    KEY = 65
};

static void *imported;

static void check_refused(const char *what, int rc, const char *text)
{
    char value[32];

    snprintf(value, sizeof(value), "  %p\n", imported);
    t_check(MPI_ERR_BUFFER == rc, "%s gave %d, not MPI_ERR_BUFFER", what, rc);
    t_check(NULL != strstr(text, value) && NULL != strstr(text, "aclrtIpcMemImportByKey"),
            "%s: no address or remedy in: %s", what, text);
}

#define REFUSED(_call) \
    do { \
        int refused_rc; \
\
        t_capture_start(); \
        refused_rc = (_call); \
        check_refused(#_call, refused_rc, t_capture_stop()); \
    } while (0)

int main(int argc, char **argv)
{
    char mine[KEY] = {0}, theirs[KEY] = {0};
    MPI_Request request;
    void *memory;
    int rank;

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    memory = t_dev_alloc(SIZE);
    t_check(0 == aclrtIpcMemGetExportKey(memory, SIZE, mine, KEY, 1), "no key");
    MPI_Sendrecv(mine, KEY, MPI_BYTE, 1 - rank, 1, theirs, KEY, MPI_BYTE, 1 - rank, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    t_check(0 == aclrtIpcMemImportByKey(&imported, theirs, 0), "no import");
    REFUSED(MPI_Send(imported, 10, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD));
    REFUSED(MPI_Send(imported, SIZE, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD));
    REFUSED(MPI_Irecv(imported, SIZE, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD, &request));
    REFUSED(MPI_Allreduce(MPI_IN_PLACE, imported, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    MPI_Barrier(MPI_COMM_WORLD);
    t_check(0 == aclrtIpcMemClose(theirs), "the import cannot be closed");
    MPI_Barrier(MPI_COMM_WORLD);
    t_dev_free(memory);
    MPI_Finalize();
    return 0;
}
