/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/info.h"

#include <mpi.h>

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* All of len bytes, from @a out or, where that is NULL, to @a in. */
static int info_socket_move(int fd, const char *out, char *in, size_t len)
{
    for (size_t moved = 0; moved < len;) {
        ssize_t done = out != NULL ? send(fd, out + moved, len - moved, MSG_NOSIGNAL)
                                   : recv(fd, in + moved, len - moved, 0);

        if (done <= 0 && !(done < 0 && errno == EINTR)) {
            return -1;
        }
        moved += done > 0 ? (size_t)done : 0;
    }
    return 0;
}

static int info_socket_write(int fd, const void *data, size_t len)
{
    return info_socket_move(fd, data, NULL, len);
}

static int info_socket_read(int fd, void *data, size_t len)
{
    return info_socket_move(fd, NULL, data, len);
}

/* The second process is this program again: it must not share the runtime's
 * state with the first one, so it is spawned before any ACL call. */
static int info_spawn_partner(info_comm_t *comm)
{
    char text[16];
    char *argv[] = {(char *)"ascend_info", (char *)"--pair-fd", text, NULL};
    int fds[2];
    pid_t pid;
    int ret;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) {
        return -1;
    }
    snprintf(text, sizeof(text), "%d", fds[1]);
    ret = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ);
    close(fds[1]);
    if (ret != 0) {
        close(fds[0]);
        return -1;
    }
    comm->fd = fds[0];
    comm->child = (int)pid;
    comm->size = 2;
    return 0;
}

int info_comm_open(info_comm_t *comm, int *argc, char ***argv, int pair_fd)
{
    memset(comm, 0, sizeof(*comm));
    comm->fd = -1;
    if (pair_fd >= 0) {
        comm->rank = 1;
        comm->size = 2;
        comm->fd = pair_fd;
        return 0;
    }
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL) {
        comm->mpi = true;
        if (MPI_Init(argc, argv) != MPI_SUCCESS) {
            return -1;
        }
        MPI_Comm_rank(MPI_COMM_WORLD, &comm->rank);
        MPI_Comm_size(MPI_COMM_WORLD, &comm->size);
        return 0;
    }
    comm->size = 1;
    return info_spawn_partner(comm);
}

int info_comm_send(const info_comm_t *comm, int peer, const void *data, size_t len)
{
    if (!comm->mpi) {
        return info_socket_write(comm->fd, data, len);
    }
    return MPI_Send(data, (int)len, MPI_BYTE, peer, 0, MPI_COMM_WORLD) == MPI_SUCCESS ? 0 : -1;
}

int info_comm_recv(const info_comm_t *comm, int peer, void *data, size_t len)
{
    if (!comm->mpi) {
        return info_socket_read(comm->fd, data, len);
    }
    return MPI_Recv(data, (int)len, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
                   MPI_SUCCESS
               ? 0
               : -1;
}

int info_comm_allgather(const info_comm_t *comm, const void *mine, void *all, size_t len)
{
    if (comm->mpi) {
        return MPI_Allgather(mine, (int)len, MPI_BYTE, all, (int)len, MPI_BYTE, MPI_COMM_WORLD) ==
                       MPI_SUCCESS
                   ? 0
                   : -1;
    }
    memcpy((char *)all + len * (size_t)comm->rank, mine, len);
    if (comm->size == 1) {
        return 0;
    }
    /* Read first on one side: both blobs may exceed the socket's buffer. */
    if (comm->rank == 0) {
        return info_socket_write(comm->fd, mine, len) != 0
                   ? -1
                   : info_socket_read(comm->fd, (char *)all + len, len);
    }
    return info_socket_read(comm->fd, all, len) != 0 ? -1 : info_socket_write(comm->fd, mine, len);
}

void info_comm_close(info_comm_t *comm)
{
    if (comm->mpi) {
        MPI_Finalize();
    } else if (comm->fd >= 0) {
        close(comm->fd);
        comm->fd = -1;
        if (comm->child > 0) {
            waitpid(comm->child, NULL, 0); /* it has nothing left to do */
        }
    }
}
