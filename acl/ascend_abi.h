/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ascend_abi.h - the binary interface of the Ascend computing language
 * runtime, declared anew from published names, numbers and layouts.
 *
 * Everything here is ABI: the names, values and layouts are those that
 * libascendcl.so (CANN 7.0 and later) uses on x86_64 and aarch64. Programs
 * written for CANN compile against it unchanged as far as they use what is
 * listed. Parameter types are the same in all releases looked at (5.1 to
 * 9.2-beta); only a function's presence differs, so look symbols up at run
 * time unless you link against one library.
 *
 * Conventions of the whole interface, not repeated below:
 *  - functions return ACL_SUCCESS or an error code; outputs are written only
 *    on success;
 *  - a NULL stream means the default stream of the current context;
 *  - the current context belongs to the calling thread;
 *  - sizes are bytes, times are milliseconds unless a comment says otherwise.
 *
 * Usable from C11 and C++11.
 */
#ifndef ASCEND_ABI_H
#define ASCEND_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ASCEND_ABI_ASSERT(_cond, _text) static_assert(_cond, _text)
extern "C" {
#else
#define ASCEND_ABI_ASSERT(_cond, _text) _Static_assert(_cond, _text)
#endif

/* ---- error codes ------------------------------------------------------ */

typedef int aclError;

#define ACL_SUCCESS                              0
#define ACL_ERROR_NONE                           0

/* the language layer: wrong use by the program */
#define ACL_ERROR_INVALID_PARAM                  100000
#define ACL_ERROR_UNINITIALIZE                   100001
#define ACL_ERROR_REPEAT_INITIALIZE              100002 /* harmless */
#define ACL_ERROR_INVALID_FILE                   100003
#define ACL_ERROR_WRITE_FILE                     100004
#define ACL_ERROR_INVALID_FILE_SIZE              100005
#define ACL_ERROR_PARSE_FILE                     100006
#define ACL_ERROR_FILE_MISSING_ATTR              100007
#define ACL_ERROR_FILE_ATTR_INVALID              100008
#define ACL_ERROR_UNSUPPORTED_DATA_TYPE          100026
#define ACL_ERROR_REPEAT_FINALIZE                100037
#define ACL_ERROR_COMPILING_STUB_MODE            100039 /* link-time stub library */
#define ACL_ERROR_BAD_ALLOC                      200000
#define ACL_ERROR_API_NOT_SUPPORT                200001
#define ACL_ERROR_INVALID_DEVICE                 200002
#define ACL_ERROR_MEMORY_ADDRESS_UNALIGNED       200003
#define ACL_ERROR_FEATURE_UNSUPPORTED            200006
#define ACL_ERROR_STORAGE_OVER_LIMIT             300000
#define ACL_ERROR_INTERNAL_ERROR                 500000
#define ACL_ERROR_FAILURE                        500001
#define ACL_ERROR_GE_FAILURE                     500002
#define ACL_ERROR_RT_FAILURE                     500003
#define ACL_ERROR_DRV_FAILURE                    500004
#define ACL_ERROR_PROFILING_FAILURE              500005

/* the runtime: wrong use (107xxx), resources (207xxx), device (507xxx) */
#define ACL_ERROR_RT_PARAM_INVALID               107000
#define ACL_ERROR_RT_INVALID_DEVICEID            107001
#define ACL_ERROR_RT_CONTEXT_NULL                107002
#define ACL_ERROR_RT_STREAM_CONTEXT              107003
#define ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID     107006
#define ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL    107007
#define ACL_ERROR_RT_ADDR_UNALIGNED              107008
#define ACL_ERROR_RT_STREAM_SUBSCRIBE            107011
#define ACL_ERROR_RT_THREAD_SUBSCRIBE            107012
#define ACL_ERROR_RT_STREAM_NO_CB_REG            107015
#define ACL_ERROR_RT_INVALID_MEMORY_TYPE         107016
#define ACL_ERROR_RT_INVALID_HANDLE              107017
#define ACL_ERROR_RT_INVALID_MALLOC_TYPE         107018
#define ACL_ERROR_RT_WAIT_TIMEOUT                107019
#define ACL_ERROR_RT_TASK_TIMEOUT                107020
#define ACL_ERROR_RT_DEVICE_TASK_ABORT           107022
#define ACL_ERROR_RT_STREAM_ABORT                107023
#define ACL_ERROR_RT_STREAM_CAPTURED             107027
#define ACL_ERROR_RT_FEATURE_NOT_SUPPORT         207000
#define ACL_ERROR_RT_MEMORY_ALLOCATION           207001
#define ACL_ERROR_RT_MEMORY_FREE                 207002
#define ACL_ERROR_RT_NO_DEVICE                   207004
#define ACL_ERROR_RT_RESOURCE_ALLOC_FAIL         207005
#define ACL_ERROR_RT_NO_PERMISSION               207006
#define ACL_ERROR_RT_NO_EVENT_RESOURCE           207007
#define ACL_ERROR_RT_NO_STREAM_RESOURCE          207008
#define ACL_ERROR_RT_NO_NOTIFY_RESOURCE          207009
#define ACL_ERROR_RT_OVER_LIMIT                  207012
#define ACL_ERROR_RT_DEVICE_OOM                  207018
#define ACL_ERROR_RT_INTERNAL_ERROR              507000
#define ACL_ERROR_RT_TS_ERROR                    507001
#define ACL_ERROR_RT_STREAM_NOT_COMPLETE         507004
#define ACL_ERROR_RT_EVENT_NOT_COMPLETE          507006
#define ACL_ERROR_RT_LOST_HEARTBEAT              507010
#define ACL_ERROR_RT_REPORT_TIMEOUT              507012
#define ACL_ERROR_RT_SYS_DMA                     507013
#define ACL_ERROR_RT_IPC_ERROR                   507022
#define ACL_ERROR_RT_STREAM_SYNC_TIMEOUT         507046
#define ACL_ERROR_RT_EVENT_SYNC_TIMEOUT          507047
#define ACL_ERROR_RT_DEVICE_MEM_ERROR            507053
#define ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR     507054
#define ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR    507055
#define ACL_ERROR_RT_LINK_ERROR                  507056
#define ACL_ERROR_RT_SUSPECT_REMOTE_ERROR        507057
#define ACL_ERROR_RT_DRV_INTERNAL_ERROR          507899 /* any driver refusal */
#define ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED 507910
#define ACL_ERROR_HOST_MEMORY_NOT_REGISTERED     507911

/* ---- handles ---------------------------------------------------------- */

typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void *aclrtNotify;
typedef void *aclrtDrvMemHandle;

typedef uint16_t aclFloat16;

typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);

/* ---- enumerations ----------------------------------------------------- */

typedef enum aclrtRunMode {
    ACL_DEVICE = 0, /* the program runs on the NPU's own system */
    ACL_HOST = 1
} aclrtRunMode;

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 1,
    ACL_MEMCPY_DEVICE_TO_HOST = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 3,
    ACL_MEMCPY_DEFAULT = 4, /* by address; from CANN 8.5 */
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE = 5,
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6,
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7
} aclrtMemcpyKind;

typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEM_MALLOC_HUGE_ONLY = 1,
    ACL_MEM_MALLOC_NORMAL_ONLY = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P = 5,
    ACL_MEM_MALLOC_HUGE1G_ONLY = 6,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P = 7,
    /* may be added to one of the above */
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000
} aclrtMemMallocPolicy;

typedef enum aclrtMemAttr {
    ACL_DDR_MEM = 0,
    ACL_HBM_MEM = 1,
    ACL_DDR_MEM_HUGE = 2,
    ACL_DDR_MEM_NORMAL = 3,
    ACL_HBM_MEM_HUGE = 4,
    ACL_HBM_MEM_NORMAL = 5,
    ACL_DDR_MEM_P2P_HUGE = 6,
    ACL_DDR_MEM_P2P_NORMAL = 7,
    ACL_HBM_MEM_P2P_HUGE = 8,
    ACL_HBM_MEM_P2P_NORMAL = 9,
    ACL_HBM_MEM_HUGE1G = 10,
    ACL_HBM_MEM_P2P_HUGE1G = 11
} aclrtMemAttr;

typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST = 0, /* pinned or registered */
    ACL_MEM_LOCATION_TYPE_DEVICE = 1,
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2, /* ordinary host memory */
    ACL_MEM_LOCATION_TYPE_MANAGED = 3,
    ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4
} aclrtMemLocationType;

/* aclrtQueryEvent (old); the opposite sense of aclrtEventRecordedStatus */
typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE = 0,
    ACL_EVENT_STATUS_NOT_READY = 1,
    ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;

/* aclrtQueryEventStatus */
typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    ACL_EVENT_WAIT_STATUS_RESERVED = 0xffff
} aclrtEventWaitStatus;

typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED = 0xffff
} aclrtStreamStatus;

typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK = 0,
    ACL_CALLBACK_BLOCK = 1
} aclrtCallbackBlockType;

typedef enum aclrtReduceKind {
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13
} aclrtReduceKind;

typedef enum aclDataType {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27,
    ACL_INT4 = 29,
    ACL_UINT1 = 30,
    ACL_COMPLEX32 = 33,
    ACL_HIFLOAT8 = 34,
    ACL_FLOAT8_E5M2 = 35,
    ACL_FLOAT8_E4M3FN = 36,
    ACL_FLOAT8_E8M0 = 37
} aclDataType;

typedef enum aclrtDevAttr {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
    ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
    ACL_DEV_ATTR_SMP_ID = 401,
    ACL_DEV_ATTR_PHY_CHIP_ID = 402,
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
    ACL_DEV_ATTR_SUPER_POD_ID = 405,
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
    ACL_DEV_ATTR_MAINBOARD_ID = 407,
    ACL_DEV_ATTR_IS_VIRTUAL = 501,
    ACL_DEV_ATTR_NPU_ARCH = 601
} aclrtDevAttr;

typedef enum aclrtMallocAttrType {
    ACL_RT_MEM_ATTR_RSV = 0,
    ACL_RT_MEM_ATTR_MODULE_ID = 1,
    ACL_RT_MEM_ATTR_DEVICE_ID = 2,
    ACL_RT_MEM_ATTR_VA_FLAG = 3
} aclrtMallocAttrType;

typedef enum aclrtHostRegisterType {
    ACL_HOST_REGISTER_MAPPED = 0
} aclrtHostRegisterType;

typedef enum aclrtIpcMemAttrType {
    ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0
} aclrtIpcMemAttrType;

typedef enum aclrtMemHandleType {
    ACL_MEM_HANDLE_TYPE_NONE = 0,
    ACL_MEM_HANDLE_TYPE_POSIX = 2
} aclrtMemHandleType;

typedef enum aclrtMemAllocationType {
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0
} aclrtMemAllocationType;

typedef enum aclrtMemSharedHandleType {
    ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
    ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 2
} aclrtMemSharedHandleType;

typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} aclrtMemGranularityOptions;

typedef enum aclrtMemAccessFlags {
    ACL_RT_MEM_ACCESS_FLAGS_NONE = 0,
    ACL_RT_MEM_ACCESS_FLAGS_READ = 1,
    ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3
} aclrtMemAccessFlags;

/* ---- flags ------------------------------------------------------------ */

#define ACL_EVENT_SYNC                                    0x00000001u
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS                 0x00000002u
#define ACL_EVENT_TIME_LINE                               0x00000008u
#define ACL_EVENT_DEVICE_USE_ONLY                         0x00000010u
#define ACL_EVENT_EXTERNAL                                0x00000020u
#define ACL_EVENT_IPC                                     0x00000040u /* alone */

#define ACL_STREAM_FAST_LAUNCH                            0x00000001u
#define ACL_STREAM_FAST_SYNC                              0x00000002u
#define ACL_STREAM_PERSISTENT                             0x00000004u
#define ACL_STREAM_HUGE                                   0x00000008u
#define ACL_STREAM_CPU_SCHEDULE                           0x00000010u
#define ACL_STREAM_DEVICE_USE_ONLY                        0x00000020u

#define ACL_NOTIFY_DEFAULT                                0x00000000u
#define ACL_NOTIFY_DEVICE_USE_ONLY                        0x00000001u

/* flags of the export and import calls are uint64_t */
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT                 0x0ul
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION  0x2ul
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT                 0x0ul
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS      0x2ul
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT                0x0ul
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1ul
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT                0x0ul
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS     0x1ul

/* answers of aclrtGetDevicesTopo */
#define ACL_RT_DEVS_TOPOLOGY_HCCS                         0x01ull
#define ACL_RT_DEVS_TOPOLOGY_PIX                          0x02ull
#define ACL_RT_DEVS_TOPOLOGY_PIB                          0x04ull
#define ACL_RT_DEVS_TOPOLOGY_PHB                          0x08ull
#define ACL_RT_DEVS_TOPOLOGY_SYS                          0x10ull
#define ACL_RT_DEVS_TOPOLOGY_SIO                          0x20ull
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW                      0x40ull

#define ACL_IPC_EVENT_HANDLE_SIZE                         64

/* The runtime has no name for the length of an IPC key buffer. Keys are
 * opaque: copy all bytes, zero the buffer first, never treat them as text. */
#define ASCEND_ABI_IPC_KEY_SIZE                           65

/* comparisons of aclrtValueWait; GEQ is a signed 64-bit difference */
#define ACL_VALUE_WAIT_GEQ                                0x0u
#define ACL_VALUE_WAIT_EQ                                 0x1u
#define ACL_VALUE_WAIT_AND                                0x2u
#define ACL_VALUE_WAIT_NOR                                0x3u

/* ---- structures ------------------------------------------------------- */

typedef struct aclrtMemLocation {
    uint32_t id; /* user device id when on a device */
    aclrtMemLocationType type;
} aclrtMemLocation;
ASCEND_ABI_ASSERT(sizeof(aclrtMemLocation) == 8, "aclrtMemLocation");

typedef struct aclrtPtrAttributes {
    aclrtMemLocation location;
    uint32_t pageSize; /* of the mapping, in bytes */
    uint32_t rsv[4];
} aclrtPtrAttributes;
ASCEND_ABI_ASSERT(sizeof(aclrtPtrAttributes) == 28 && offsetof(aclrtPtrAttributes, pageSize) == 8,
                  "aclrtPtrAttributes");

typedef struct aclrtMemcpyBatchAttr {
    aclrtMemLocation dstLoc;
    aclrtMemLocation srcLoc;
    uint8_t rsv[16];
} aclrtMemcpyBatchAttr;
ASCEND_ABI_ASSERT(sizeof(aclrtMemcpyBatchAttr) == 32, "aclrtMemcpyBatchAttr");

typedef struct aclrtServerPid {
    uint32_t sdid;
    int32_t *pid;
    size_t num;
} aclrtServerPid;
ASCEND_ABI_ASSERT(sizeof(aclrtServerPid) == 24 && offsetof(aclrtServerPid, pid) == 8,
                  "aclrtServerPid");

typedef union aclrtMallocAttrValue {
    uint16_t moduleId;
    uint32_t deviceId;
    uint32_t vaFlag;
    uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
    aclrtMallocAttrType attr;
    aclrtMallocAttrValue value;
} aclrtMallocAttribute;
ASCEND_ABI_ASSERT(sizeof(aclrtMallocAttribute) == 12 && offsetof(aclrtMallocAttribute, value) == 4,
                  "aclrtMallocAttribute");

typedef struct aclrtMallocConfig {
    aclrtMallocAttribute *attrs;
    size_t numAttrs;
} aclrtMallocConfig;
ASCEND_ABI_ASSERT(sizeof(aclrtMallocConfig) == 16, "aclrtMallocConfig");

typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType;
    aclrtMemAllocationType allocationType;
    aclrtMemAttr memAttr;
    aclrtMemLocation location;
    uint64_t reserve;
} aclrtPhysicalMemProp;
ASCEND_ABI_ASSERT(sizeof(aclrtPhysicalMemProp) == 32 &&
                      offsetof(aclrtPhysicalMemProp, location) == 12 &&
                      offsetof(aclrtPhysicalMemProp, reserve) == 24,
                  "aclrtPhysicalMemProp");

typedef struct aclrtMemAccessDesc {
    aclrtMemAccessFlags flags;
    aclrtMemLocation location;
    uint8_t rsv[12];
} aclrtMemAccessDesc;
ASCEND_ABI_ASSERT(sizeof(aclrtMemAccessDesc) == 24, "aclrtMemAccessDesc");

typedef struct aclrtMemFabricHandle {
    uint8_t data[128];
} aclrtMemFabricHandle;
ASCEND_ABI_ASSERT(sizeof(aclrtMemFabricHandle) == 128, "aclrtMemFabricHandle");

/* handed to aclrtIpcOpenEventHandle by value */
typedef struct aclrtIpcEventHandle {
    char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;
ASCEND_ABI_ASSERT(sizeof(aclrtIpcEventHandle) == 64, "aclrtIpcEventHandle");

typedef struct aclrtUuid {
    char bytes[16];
} aclrtUuid;
ASCEND_ABI_ASSERT(sizeof(aclrtUuid) == 16, "aclrtUuid");

ASCEND_ABI_ASSERT(sizeof(aclrtMemcpyKind) == 4 && sizeof(aclDataType) == 4,
                  "enumerations are four bytes");

#include "ascend_abi_calls.h"

#ifdef __cplusplus
}
#endif

#endif /* ASCEND_ABI_H */
