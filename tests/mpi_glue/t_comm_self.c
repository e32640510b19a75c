/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_COMM_SELF, where coll/self copies by CPU, and MPI_Reduce_local, which
 * has no communicator at all, take device buffers. */
#include "coll_harness.h"

#include "tests/helpers/t_helpers.h"

static void check_reduce_local(void)
{
    enum {
        N = 1001
    };
    int a[N], b[N], got[N];
    int *da = t_dev_alloc(sizeof(a)), *db = t_dev_alloc(sizeof(b));

    for (int i = 0; i < N; i++) {
        a[i] = 3 * i;
        b[i] = 7 - i;
    }
    t_to_device(da, a, sizeof(a));
    t_to_device(db, b, sizeof(b));
    MPI_Reduce_local(da, db, N, MPI_INT, MPI_SUM);
    t_to_host(got, db, sizeof(got));
    for (int i = 0; i < N; i++) {
        t_check(got[i] == a[i] + b[i], "element %d is %d, not %d", i, got[i], a[i] + b[i]);
    }
    MPI_Reduce_local(a, db, N, MPI_INT, MPI_MAX);
    t_to_host(got, db, sizeof(got));
    for (int i = 0; i < N; i++) {
        const int want = (a[i] > a[i] + b[i]) ? a[i] : a[i] + b[i];

        t_check(got[i] == want, "element %d is %d, not %d", i, got[i], want);
    }
    t_dev_free(da);
    t_dev_free(db);
}

/* Displacements of alltoallw are in bytes, also here. */
static void check_alltoallw(void)
{
    const int count[1] = {3}, from[1] = {8}, to[1] = {4};
    const MPI_Datatype type[1] = {MPI_INT};
    int host[8] = {0, 1, 2, 3, 4, 5, 6, 7}, got[8];
    int *a = t_dev_alloc(sizeof(host)), *b = t_dev_alloc(sizeof(host));

    t_to_device(a, host, sizeof(host));
    t_to_device(b, host, sizeof(host));
    MPI_Alltoallw(a, count, from, type, b, count, to, type, MPI_COMM_SELF);
    t_to_host(got, b, sizeof(got));
    for (int i = 0; i < 8; i++) {
        const int want = (i >= 1 && i <= 3) ? i + 1 : i;

        t_check(got[i] == want, "element %d is %d, not %d", i, got[i], want);
    }
    t_dev_free(a);
    t_dev_free(b);
}

int main(int argc, char **argv)
{
    t_case_t c = {.comm = MPI_COMM_SELF, .device_send = true, .device_recv = true};

    t_mpi_start(argc, argv, MPI_THREAD_SINGLE);
    for (int form = 0; form < T_FORMS; form++) {
        c.form = (t_form_t)form;
        t_cases_check(c, T_ALLGATHER, T_COLLS);
    }
    check_alltoallw();
    check_reduce_local();
    MPI_Finalize();
    return 0;
}
