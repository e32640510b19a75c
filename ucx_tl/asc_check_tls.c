/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UCX_TLS has no alias for these transports, and what UCX says about a list
 * that lacks one of them names neither the list nor the missing word.
 */
#include "asc_base.h"

#include <ucs/debug/log.h>
#include <ucs/sys/math.h>
#include <ucs/sys/sys.h>

#include <stdlib.h>
#include <string.h>

typedef struct uct_asc_tls {
    unsigned negated : 1;
    unsigned has_copy : 1;
    unsigned has_ipc : 1;
    unsigned has_md : 1; /* a memory domain's name where a transport's belongs */
    unsigned has_am : 1; /* anything that may carry active messages */
} uct_asc_tls_t;

static int uct_asc_word_is(const char *word, size_t length, const char *name)
{
    return (length == strlen(name)) && !strncmp(word, name, length);
}

static int uct_asc_has_no_am(const char *word, size_t length)
{
    static const char *names[] = {"cma",      "knem", "cuda_copy", "cuda_ipc",
                                  "gdr_copy", "cuda", "rocm_copy", "rocm_ipc",
                                  "rocm_gdr", "rocm", "ze_copy"};
    size_t i;

    for (i = 0; i < ucs_static_array_size(names); ++i) {
        if (uct_asc_word_is(word, length, names[i])) {
            return 1;
        }
    }
    return 0;
}

static void uct_asc_tls_add(uct_asc_tls_t *tls, const char *word, size_t length)
{
    if ((length > 0) && (*word == '\\')) { /* "exactly this one" */
        ++word;
        --length;
    }

    if (length == 0) {
        return;
    } else if (uct_asc_word_is(word, length, "asc_copy")) {
        tls->has_copy = 1;
    } else if (uct_asc_word_is(word, length, "asc_ipc")) {
        tls->has_ipc = 1;
    } else if (uct_asc_word_is(word, length, "ascend_copy") ||
               uct_asc_word_is(word, length, "ascend_ipc") ||
               uct_asc_word_is(word, length, "ascend")) {
        tls->has_md = 1;
    } else if (uct_asc_word_is(word, length, "all")) {
        tls->has_copy = tls->has_ipc = tls->has_am = 1;
    } else if (!uct_asc_has_no_am(word, length)) {
        tls->has_am = 1;
    }
}

static void uct_asc_tls_parse(uct_asc_tls_t *tls, const char *list)
{
    size_t length;

    memset(tls, 0, sizeof(*tls));
    if (*list == '^') {
        tls->negated = 1;
        ++list;
    }

    for (;;) {
        length = strcspn(list, ",");
        /* "name:aux" allows a transport for setup only */
        uct_asc_tls_add(tls, list, ucs_min(length, strcspn(list, ":")));
        if (list[length] == '\0') {
            return;
        }
        list += length + 1;
    }
}

static void uct_asc_tls_warn(const uct_asc_tls_t *tls, const char *list)
{
    if (tls->negated) {
        if (tls->has_copy && !tls->has_ipc) {
            ucs_warn("UCX_TLS=%s excludes asc_copy but not asc_ipc, which cannot work without it: "
                     "exclude both or none",
                     list);
        }
    } else if (tls->has_md && !(tls->has_copy && tls->has_ipc)) {
        ucs_warn("UCX_TLS=%s names a memory domain: the transports are called asc_copy and "
                 "asc_ipc, list both",
                 list);
    } else if (tls->has_ipc && !tls->has_copy && !tls->has_am) {
        ucs_warn("UCX_TLS=%s lists asc_ipc but neither asc_copy nor a transport for active "
                 "messages: add asc_copy and for example posix,self",
                 list);
    } else if (tls->has_ipc && !tls->has_copy) {
        ucs_warn("UCX_TLS=%s lists asc_ipc but not asc_copy: add asc_copy", list);
    } else if ((tls->has_ipc || tls->has_copy) && !tls->has_am) {
        ucs_warn("UCX_TLS=%s lists no transport for active messages: add for example posix,self",
                 list);
    }
}

void uct_asc_check_tls(void)
{
    static int told = 0;
    const char *list = getenv("UCX_TLS");
    uct_asc_tls_t tls;

    if ((list == NULL) || __atomic_exchange_n(&told, 1, __ATOMIC_RELAXED)) {
        return;
    }

    uct_asc_tls_parse(&tls, list);
    uct_asc_tls_warn(&tls, list);
}
