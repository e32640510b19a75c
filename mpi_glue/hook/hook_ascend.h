/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hook/ascend: what must happen before UCX and the pml start, and in front of
 * the pml afterwards.
 *
 * At open (only in MPI processes, before ucp_init): check versions, load the
 * UCX module, choose pml/ucx where the user chose nothing. At the end of
 * MPI_Init: stand in front of the pml, so that no CPU touches a device buffer.
 * At the top of MPI_Finalize: let link/ release in order.
 *
 * Without an Ascend runtime nothing of this is done.
 */
#ifndef MCA_HOOK_ASCEND_H
#define MCA_HOOK_ASCEND_H

#include "ompi_config.h"

#include "ompi/mca/hook/hook.h"

#include "mpi_glue/common/common_ascend.h"

BEGIN_C_DECLS

typedef struct mca_hook_ascend_component {
    ompi_hook_base_component_1_0_0_t super;
    char *ucx_module; /**< path, owned by the MCA registry */
    bool select_pml;
    bool warn_pml;
    int verbose;
    int output;
    bool ucx_active;       /**< UCX moves device buffers itself */
    bool calls_redirected; /**< see hook_ascend_calls.h */
} mca_hook_ascend_component_t;

OMPI_DECLSPEC extern mca_hook_ascend_component_t mca_hook_ascend_component;

/** Room for a reason. */
#define MCA_HOOK_ASCEND_WHY_MAX 512

/**
 * Loads the UCX module after comparing versions.
 * @param why gets the reason and the remedy when it fails.
 * @return true when UCX will take device buffers.
 */
bool mca_hook_ascend_load_ucx_module(const char *path, char *why, size_t why_len);

/**
 * What UCX_TLS lacks for asc_copy and asc_ipc to work; pml/ucx cannot even
 * start with most such lists.
 * @param list gets the value of UCX_TLS, NULL when it is not set.
 * @return words for a message, NULL when nothing is missing.
 */
const char *mca_hook_ascend_tls_lacks(const char **list);

/** Can UCX be loaded at all? */
bool mca_hook_ascend_ucx_present(void);

/** Version of the UCX of this process; false, with dlerror() set, without one. */
bool mca_hook_ascend_ucx_version(unsigned *major, unsigned *minor);

/** Version of the UCX that was built for, as "1.13". */
const char *mca_hook_ascend_built_ucx(int *major, int *minor);

/** Sets pml/ucx and what it needs in the environment, unless the user chose. */
void mca_hook_ascend_select_pml(void);

/** Did the user set the MCA variable (environment, command line, own files)? */
bool mca_hook_ascend_user_set(const char *name);

/** Put wrappers in front of the selected pml's functions, as soon as there can be
 *  device memory; take them away. */
void mca_hook_ascend_wrap_pml(void);
void mca_hook_ascend_unwrap_pml(void);

/**
 * Stand in front of MPI functions that touch the user's buffer with the CPU
 * before any pml or coll component sees it. Once in a process.
 */
void mca_hook_ascend_redirect_calls(void);

/* ---------------------------------------------------- pml's wrappers ---- */

/** The functions that were in the pml before. */
extern mca_pml_base_module_t mca_hook_ascend_pml;

/** The pml's functions that take a buffer. */
typedef enum mca_hook_ascend_what {
    MCA_HOOK_ASCEND_SEND,
    MCA_HOOK_ASCEND_ISEND,
    MCA_HOOK_ASCEND_ISEND_INIT,
    MCA_HOOK_ASCEND_SENDS, /**< those above send, those below receive */
    MCA_HOOK_ASCEND_RECV = MCA_HOOK_ASCEND_SENDS,
    MCA_HOOK_ASCEND_IRECV,
    MCA_HOOK_ASCEND_IRECV_INIT,
    MCA_HOOK_ASCEND_MRECV,
    MCA_HOOK_ASCEND_IMRECV
} mca_hook_ascend_what_t;

/** The mode where there is none. */
#define MCA_HOOK_ASCEND_NO_MODE MCA_PML_BASE_SEND_STANDARD

/** For messages to the user: the MPI function that leads to this one of the
 *  pml, or mca_hook_ascend_outer. @param mode is that of sends. */
mca_common_ascend_names_t mca_hook_ascend_names(mca_hook_ascend_what_t what,
                                                mca_pml_base_send_mode_t mode);

/** The MPI function that this thread is in, where it uses several of the pml's;
 *  else NULL. */
extern __thread const char *mca_hook_ascend_outer;

int mca_hook_ascend_staged_send(const void *buf, size_t count, struct ompi_datatype_t *dtype,
                                int dst, int tag, mca_pml_base_send_mode_t mode,
                                struct ompi_communicator_t *comm);
int mca_hook_ascend_staged_recv(void *buf, size_t count, struct ompi_datatype_t *dtype, int src,
                                int tag, struct ompi_communicator_t *comm,
                                ompi_status_public_t *status);
int mca_hook_ascend_staged_mrecv(void *buf, size_t count, struct ompi_datatype_t *dtype,
                                 struct ompi_message_t **message, ompi_status_public_t *status);

/** The arguments of a call that gives a request. */
typedef struct mca_hook_ascend_post {
    mca_hook_ascend_what_t what;
    const void *buf;
    size_t count;
    struct ompi_datatype_t *dtype;
    int peer, tag;
    mca_pml_base_send_mode_t mode;
    struct ompi_communicator_t *comm;
    struct ompi_message_t **message;
} mca_hook_ascend_post_t;

/** Remembers which device memory the pml itself will read or write when the
 *  persistent @a request is started, for MPI_Start to look at it again; forgets
 *  what an earlier request at that address had. */
int mca_hook_ascend_note_buffer(const ompi_request_t *request, const void *address, size_t len,
                                const mca_common_ascend_names_t *names);
void mca_hook_ascend_forget_buffer(const ompi_request_t *request);

/** Makes the call with @a buf in place of post->buf. */
int mca_hook_ascend_post(const mca_hook_ascend_post_t *post, const void *buf,
                         ompi_request_t **request);
int mca_hook_ascend_staged_post(const mca_hook_ascend_post_t *post, ompi_request_t **request);

/** Whether data in host memory are described from an address that UCX must not
 *  be shown: what lies there is not host memory. */
bool mca_hook_ascend_far_origin(const void *buf, struct ompi_datatype_t *dtype);

/** The pml's functions for data in host memory, whatever their origin. */
int mca_hook_ascend_host_send(const void *buf, size_t count, struct ompi_datatype_t *dtype, int dst,
                              int tag, mca_pml_base_send_mode_t mode,
                              struct ompi_communicator_t *comm);
int mca_hook_ascend_host_recv(void *buf, size_t count, struct ompi_datatype_t *dtype, int src,
                              int tag, struct ompi_communicator_t *comm,
                              ompi_status_public_t *status);
int mca_hook_ascend_host_mrecv(void *buf, size_t count, struct ompi_datatype_t *dtype,
                               struct ompi_message_t **message, ompi_status_public_t *status);
int mca_hook_ascend_host_post(const mca_hook_ascend_post_t *post, const void *buf,
                              ompi_request_t **request);

END_C_DECLS

#endif
