/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_ascend_record.h"
#include "mpi_glue/common/common_ascend_tell.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ompi/op/op.h"
#include "opal/datatype/opal_datatype_internal.h"
#include "opal/runtime/opal_progress.h"
#include "opal/threads/mutex.h"

_Static_assert(64 == sizeof(mca_coll_ascend_record_t), "a record is a cache line");
_Static_assert(sizeof(mca_coll_ascend_facts_t) == sizeof(((mca_coll_ascend_record_t *)NULL)->words),
               "facts fill their words");

#define TABLE_BYTES \
    (sizeof(mca_coll_ascend_record_t) * MCA_COLL_ASCEND_BUCKETS * MCA_COLL_ASCEND_RING)

/* Looks between two looks at the clock. */
#define LOOKS 64

static const mca_coll_ascend_trait_t *trait_of(unsigned kind)
{
    return &mca_coll_ascend_traits[kind < MCA_COLL_ASCEND_KINDS ? kind : MCA_COLL_ASCEND_NONE];
}

/* ---------------------------------------------------------- own side ---- */

/* Markers of Open MPI's own are no types. */
#define TYPE_BITS (~((1u << OPAL_DATATYPE_INT1) - 1))
/* MPI_BYTE, MPI_CHAR, and MPI_PACKED, which legally meets any other type */
#define BYTE_BITS (1u << OPAL_DATATYPE_INT1 | 1u << OPAL_DATATYPE_UINT1)

static void fill_sent(mca_coll_ascend_facts_t *facts, size_t count,
                      const struct ompi_datatype_t *dtype)
{
    facts->sent = (uint64_t)count * dtype->super.size;
    facts->sent_type = dtype->super.bdt_used & TYPE_BITS;
}

static void fill_received(mca_coll_ascend_facts_t *facts, size_t count,
                          const struct ompi_datatype_t *dtype)
{
    facts->received = (uint64_t)count * dtype->super.size;
    facts->type = dtype->super.bdt_used & TYPE_BITS;
}

/* The root's buffer stands for both sides, its own block among the others. */
static void fill_rooted(const mca_coll_ascend_call_t *call, mca_coll_ascend_facts_t *facts)
{
    const bool root = call->root == ompi_comm_rank(call->comm);

    if (MCA_COLL_ASCEND_GATHER == facts->kind) {
        if (root) {
            fill_received(facts, (size_t)call->rcount, call->rdtype);
            fill_sent(facts, (size_t)call->rcount, call->rdtype);
        } else {
            fill_sent(facts, (size_t)call->scount, call->sdtype);
        }
    } else if (root) {
        fill_sent(facts, (size_t)call->scount, call->sdtype);
        fill_received(facts, (size_t)call->scount, call->sdtype);
    } else {
        fill_received(facts, (size_t)call->rcount, call->rdtype);
    }
}

/* Only arguments that are significant on this rank may be looked at. */
static void fill_data(const mca_coll_ascend_call_t *call, mca_coll_ascend_facts_t *facts)
{
    size_t total = 0;

    switch (facts->kind) {
    case MCA_COLL_ASCEND_GATHER:
    case MCA_COLL_ASCEND_SCATTER:
        fill_rooted(call, facts);
        break;
    case MCA_COLL_ASCEND_ALLGATHER:
    case MCA_COLL_ASCEND_ALLTOALL:
        fill_received(facts, (size_t)call->rcount, call->rdtype);
        if (MPI_IN_PLACE == call->sbuf) {
            fill_sent(facts, (size_t)call->rcount, call->rdtype);
        } else {
            fill_sent(facts, (size_t)call->scount, call->sdtype);
        }
        break;
    case MCA_COLL_ASCEND_REDUCE_SCATTER:
        for (int i = 0; i < ompi_comm_size(call->comm); i++) {
            total += (size_t)call->rcounts[i];
        }
        fill_received(facts, total, call->rdtype);
        break;
    default:
        if (MCA_COLL_ASCEND_MATCH_EQUAL == mca_coll_ascend_traits[facts->kind].match) {
            fill_received(facts, (size_t)call->rcount, call->rdtype);
        }
    }
}

static void fill_facts(const mca_coll_ascend_call_t *call, mca_coll_ascend_facts_t *facts)
{
    const mca_coll_ascend_trait_t *trait = &mca_coll_ascend_traits[call->family->kind];

    memset(facts, 0, sizeof(*facts));
    facts->kind = (uint16_t)call->family->kind;
    facts->root = trait->rooted ? call->root : -1;
    fill_data(call, facts);
    if (trait->reduces) {
        facts->op = ompi_op_is_intrinsic(call->op) ? (uint32_t)call->op->o_f_to_c_index
                                                   : MCA_COLL_ASCEND_OP_USER;
    }
}

uint64_t mca_coll_ascend_record_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int64_t now_ms(void)
{
    return (int64_t)(mca_coll_ascend_record_now() / 1000000u);
}

static size_t place_of(uint64_t tag)
{
    const size_t bucket = (size_t)((tag >> 32) - 1) % MCA_COLL_ASCEND_BUCKETS;

    return bucket * MCA_COLL_ASCEND_RING + (size_t)tag % MCA_COLL_ASCEND_RING;
}

static mca_coll_ascend_record_t *own_table(void)
{
    size_t len;
    mca_coll_ascend_record_t *table = asc_link_mail(&len);

    return (len >= TABLE_BYTES) ? table : NULL;
}

/* Two threads on two communicators may meet in one bucket. */
static opal_mutex_t post_lock = OPAL_MUTEX_STATIC_INIT;

static void write_record(mca_coll_ascend_record_t *record, const mca_coll_ascend_posted_t *posted)
{
    OPAL_THREAD_LOCK(&post_lock);
    __atomic_store_n(&record->tag, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (size_t i = 0; i < sizeof(record->words) / sizeof(record->words[0]); i++) {
        __atomic_store_n(&record->words[i], posted->facts.words[i], __ATOMIC_RELAXED);
    }
    __atomic_store_n(&record->tag, posted->tag, __ATOMIC_RELEASE);
    OPAL_THREAD_UNLOCK(&post_lock);
}

void mca_coll_ascend_record_post(const mca_coll_ascend_call_t *call, bool device, bool failed,
                                 mca_coll_ascend_posted_t *posted)
{
    mca_coll_ascend_module_t *module = (mca_coll_ascend_module_t *)call->module;
    mca_coll_ascend_record_t *table = own_table();

    module->context = call->comm->c_contextid;
    module->posted += (UINT32_MAX == module->posted) ? 2 : 1;
    posted->tag = ((uint64_t)module->context + 1) << 32 | module->posted;
    posted->born = module->born;
    posted->late = false;
    fill_facts(call, &posted->facts);
    posted->facts.device = device;
    posted->facts.failed = failed;
    if (NULL != table) {
        write_record(&table[place_of(posted->tag)], posted);
    }
}

void mca_coll_ascend_record_end(const mca_coll_ascend_module_t *module)
{
    mca_coll_ascend_record_t *table = own_table();
    const uint64_t context = (uint64_t)module->context + 1;
    mca_coll_ascend_record_t *record = NULL;

    if (0 == module->posted || NULL == table) {
        return;
    }
    OPAL_THREAD_LOCK(&post_lock);
    for (uint64_t i = 0; i < MCA_COLL_ASCEND_RING; i++) {
        record = &table[place_of(context << 32 | i)];
        if (context == record->tag >> 32) {
            __atomic_store_n(&record->ended, mca_coll_ascend_record_now(), __ATOMIC_RELAXED);
            __atomic_store_n(&record->tag, context << 32, __ATOMIC_RELEASE);
        }
    }
    OPAL_THREAD_UNLOCK(&post_lock);
}

/* -------------------------------------------------------- peers' side --- */

typedef enum sight {
    SIGHT_NOT_YET,
    SIGHT_THERE,
    SIGHT_PASSED
} sight_t;

static sight_t look(const void *mail, const mca_coll_ascend_posted_t *posted,
                    mca_coll_ascend_facts_t *facts)
{
    const uint64_t tag = posted->tag;
    const mca_coll_ascend_record_t *record = (const mca_coll_ascend_record_t *)mail + place_of(tag);
    const uint64_t found = __atomic_load_n(&record->tag, __ATOMIC_ACQUIRE);
    const bool same = found >> 32 == tag >> 32;

    if (same && 0 == (uint32_t)found) {
        return (__atomic_load_n(&record->ended, __ATOMIC_RELAXED) > posted->born) ? SIGHT_PASSED
                                                                                  : SIGHT_NOT_YET;
    }
    if (0 == found || (same && (int32_t)(uint32_t)(found - tag) < 0)) {
        return SIGHT_NOT_YET;
    }
    if (found != tag) {
        return SIGHT_PASSED;
    }
    for (size_t i = 0; i < sizeof(record->words) / sizeof(record->words[0]); i++) {
        facts->words[i] = __atomic_load_n(&record->words[i], __ATOMIC_RELAXED);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return (tag == __atomic_load_n(&record->tag, __ATOMIC_RELAXED)) ? SIGHT_THERE : SIGHT_PASSED;
}

/* False when the call has to do without this record. */
static bool wait_for(const void *mail, mca_coll_ascend_posted_t *posted, int64_t *deadline,
                     mca_coll_ascend_facts_t *facts)
{
    sight_t sight = look(mail, posted, facts);

    for (unsigned looks = 0; SIGHT_NOT_YET == sight && !posted->late; looks++) {
        if (0 == looks % LOOKS) {
            const int64_t now = now_ms();

            *deadline = (0 == *deadline) ? now + MCA_COLL_ASCEND_RECORD_WAIT_MS : *deadline;
            posted->late = now >= *deadline;
        }
        opal_progress();
        sight = look(mail, posted, facts);
    }
    return SIGHT_THERE == sight;
}

/* The first and the last rank whose records the call waits for. */
static void watched(const mca_coll_ascend_call_t *call, int *first, int *last)
{
    const int me = ompi_comm_rank(call->comm), size = ompi_comm_size(call->comm);

    *first = 0;
    *last = -1;
    switch (mca_coll_ascend_traits[call->family->kind].watch) {
    case MCA_COLL_ASCEND_WATCH_ALL:
        *last = size - 1;
        break;
    case MCA_COLL_ASCEND_WATCH_LOWER:
        *last = me - 1;
        break;
    case MCA_COLL_ASCEND_WATCH_LEAVES:
        *last = (me == call->root) ? size - 1 : -1;
        break;
    case MCA_COLL_ASCEND_WATCH_ROOT:
        if (me != call->root && call->root >= 0 && call->root < size) {
            *first = *last = call->root;
        }
        break;
    default:
        break;
    }
}

static bool types_fit(uint32_t one, uint32_t other)
{
    return one == other || 0 == (one & ~BYTE_BITS) || 0 == (other & ~BYTE_BITS);
}

static int compare_blocks(const mca_coll_ascend_facts_t *own, const mca_coll_ascend_facts_t *peer,
                          bool both)
{
    if (own->received != peer->sent || (both && own->sent != peer->received)) {
        return MPI_ERR_TRUNCATE;
    }
    if (!types_fit(own->type, peer->sent_type) ||
        (both && !types_fit(own->sent_type, peer->type))) {
        return MPI_ERR_TYPE;
    }
    return MPI_SUCCESS;
}

/* MPI_SUCCESS, or the error class of the first thing that does not fit. */
static int compare(const mca_coll_ascend_facts_t *own, const mca_coll_ascend_facts_t *peer)
{
    const mca_coll_ascend_trait_t *trait = trait_of(own->kind);

    if (peer->failed || own->kind != peer->kind) {
        return MPI_ERR_OTHER;
    }
    if (own->root != peer->root) {
        return MPI_ERR_ROOT;
    }
    if (trait->reduces && 0 != own->received && 0 != peer->received) {
        if (own->op != peer->op) {
            return MPI_ERR_OP;
        }
        if (own->type != peer->type) {
            return MPI_ERR_TYPE;
        }
    }
    switch (trait->match) {
    case MCA_COLL_ASCEND_MATCH_EQUAL:
        if (own->received != peer->received) {
            return MPI_ERR_TRUNCATE;
        }
        return types_fit(own->type, peer->type) ? MPI_SUCCESS : MPI_ERR_TYPE;
    case MCA_COLL_ASCEND_MATCH_BLOCKS:
        return compare_blocks(own, peer, MCA_COLL_ASCEND_WATCH_ALL == trait->watch);
    default:
        return MPI_SUCCESS;
    }
}

/* ------------------------------------------------------------ messages -- */

static const char *class_name(int class)
{
    switch (class) {
    case MPI_ERR_ROOT:
        return "MPI_ERR_ROOT";
    case MPI_ERR_OP:
        return "MPI_ERR_OP";
    case MPI_ERR_TYPE:
        return "MPI_ERR_TYPE";
    case MPI_ERR_TRUNCATE:
        return "MPI_ERR_TRUNCATE";
    default:
        return "MPI_ERR_OTHER";
    }
}

static const char *op_name(uint32_t index)
{
    const ompi_op_t *op = NULL;

    if (MCA_COLL_ASCEND_OP_USER != index && index <= INT_MAX) {
        op = opal_pointer_array_get_item(ompi_op_f_to_c_table, (int)index);
    }
    return (NULL != op) ? op->o_name : "an operation of the user's";
}

static const char *type_name(uint32_t used)
{
    const bool one = 0 != used && 0 == (used & (used - 1));

    if (0 == used) {
        return "no type";
    }
    return one ? opal_datatype_basicDatatypes[__builtin_ctz(used)]->name : "several basic types";
}

#define WORDS_MAX 256

static void put_words(char *words, const mca_coll_ascend_facts_t *facts)
{
    const mca_coll_ascend_trait_t *trait = trait_of(facts->kind);
    int len = snprintf(words, WORDS_MAX, "%s", trait->names[MCA_COLL_ASCEND_BLOCKING]);

    if (trait->rooted) {
        len += snprintf(words + len, WORDS_MAX - (size_t)len, ", root %d", facts->root);
    }
    if (MCA_COLL_ASCEND_MATCH_EQUAL == trait->match) {
        len += snprintf(words + len, WORDS_MAX - (size_t)len, ", %llu bytes of %s",
                        (unsigned long long)facts->received, type_name(facts->type));
    } else if (MCA_COLL_ASCEND_MATCH_BLOCKS == trait->match) {
        len += snprintf(words + len, WORDS_MAX - (size_t)len,
                        ", %llu bytes of %s sent and %llu of %s received for each rank",
                        (unsigned long long)facts->sent, type_name(facts->sent_type),
                        (unsigned long long)facts->received, type_name(facts->type));
    }
    if (trait->reduces) {
        len += snprintf(words + len, WORDS_MAX - (size_t)len, "%s%s with %s",
                        MCA_COLL_ASCEND_MATCH_EQUAL == trait->match ? "" : " of ",
                        MCA_COLL_ASCEND_MATCH_EQUAL == trait->match ? "" : type_name(facts->type),
                        op_name(facts->op));
    }
    if (facts->failed) {
        (void)snprintf(words + len, WORDS_MAX - (size_t)len,
                       "; it could not use its device buffer");
    }
}

/* Once per communicator: a program that goes on after the first error meets
 * what follows from it. */
static void report(const mca_coll_ascend_call_t *call, const mca_coll_ascend_posted_t *posted,
                   int peer, const mca_coll_ascend_facts_t *theirs, int class)
{
    mca_coll_ascend_module_t *module = (mca_coll_ascend_module_t *)call->module;
    char own_words[WORDS_MAX], their_words[WORDS_MAX];

    if (module->told) {
        return;
    }
    module->told = true;
    put_words(own_words, &posted->facts);
    put_words(their_words, theirs);
    mca_common_ascend_tell(
        "help-coll-ascend.txt", theirs->failed ? "peer failed" : "calls differ",
        mca_coll_ascend_traits[posted->facts.kind].names[MCA_COLL_ASCEND_BLOCKING],
        call->comm->c_name, ompi_comm_rank(call->comm), own_words, peer, their_words,
        class_name(class));
}

/* --------------------------------------------------------------- check -- */

/* A broadcast that a rank leaves would keep the root and the ranks behind it in
 * the tree waiting, and what the root has sent already would be taken by the
 * next broadcast. So this rank takes part with memory of the root's size. */
static void drain_bcast(const mca_coll_ascend_call_t *call, const mca_coll_ascend_facts_t *root)
{
    const mca_coll_base_comm_coll_t *lower = mca_coll_ascend_lower(call);
    void *scratch = NULL;

    if (root->failed || MCA_COLL_ASCEND_BCAST != root->kind || root->root != call->root ||
        0 == root->received || root->received > INT_MAX) {
        return;
    }
    scratch = malloc(root->received);
    if (NULL != scratch) {
        (void)lower->coll_bcast(scratch, (int)root->received, MPI_BYTE, call->root, call->comm,
                                lower->coll_bcast_module);
        free(scratch);
    }
}

/* Where all look at all, all give an error. The first to do so must not free
 * the communicator, nor write over its record, before the others have looked. */
static void leave_together(const mca_coll_ascend_call_t *call,
                           const mca_coll_ascend_posted_t *posted)
{
    const mca_coll_ascend_module_t *module = (const mca_coll_ascend_module_t *)call->module;
    mca_coll_ascend_record_t *table = own_table();
    const int64_t deadline = now_ms() + MCA_COLL_ASCEND_RECORD_LEAVE_MS;
    const size_t place = place_of(posted->tag);
    mca_coll_ascend_facts_t theirs;

    if (NULL == table || NULL == module->mails ||
        MCA_COLL_ASCEND_WATCH_ALL != mca_coll_ascend_traits[call->family->kind].watch) {
        return;
    }
    __atomic_store_n(&table[place].decided, posted->tag, __ATOMIC_RELEASE);
    for (int i = 0; i < module->npeers; i++) {
        const mca_coll_ascend_record_t *record = module->mails[i];
        sight_t sight;

        while (NULL != record && now_ms() < deadline) {
            sight = look(record, posted, &theirs);
            if (SIGHT_PASSED == sight ||
                (SIGHT_THERE == sight &&
                 (!theirs.device || MCA_COLL_ASCEND_WATCH_ALL != trait_of(theirs.kind)->watch ||
                  posted->tag == __atomic_load_n(&record[place].decided, __ATOMIC_ACQUIRE)))) {
                break;
            }
            opal_progress();
        }
    }
}

static void open_mails(const mca_coll_ascend_call_t *call, mca_coll_ascend_module_t *module)
{
    module->mails = calloc((size_t)module->npeers, sizeof(*module->mails));
    if (NULL != module->mails) {
        module->peers_known = true;
        mca_coll_ascend_open_peers(call->comm, module->mails);
    }
}

int mca_coll_ascend_record_check(const mca_coll_ascend_call_t *call,
                                 mca_coll_ascend_posted_t *posted, int rc)
{
    mca_coll_ascend_module_t *module = (mca_coll_ascend_module_t *)call->module;
    const bool bcast = MCA_COLL_ASCEND_BCAST == call->family->kind;
    const bool failed = OMPI_SUCCESS != rc;
    mca_coll_ascend_facts_t theirs;
    int64_t deadline = 0;
    int first, last;

    if (!mca_coll_ascend_component.check || module->unchecked) {
        return rc;
    }
    if (NULL == module->mails) {
        open_mails(call, module);
    }
    if (failed && !bcast) {
        leave_together(call, posted);
        return rc;
    }
    watched(call, &first, &last);
    for (int i = first; i <= last && NULL != module->mails; i++) {
        int class;

        if (NULL == module->mails[i] || !wait_for(module->mails[i], posted, &deadline, &theirs)) {
            continue;
        }
        class = failed ? MPI_SUCCESS : compare(&posted->facts, &theirs);
        if (MPI_SUCCESS != class) {
            report(call, posted, i, &theirs, class);
            rc = class;
        }
        if (OMPI_SUCCESS != rc) {
            if (bcast) {
                drain_bcast(call, &theirs);
            }
            break;
        }
    }
    if (OMPI_SUCCESS != rc) {
        leave_together(call, posted);
    }
    return rc;
}

void mca_coll_ascend_record_done(const mca_coll_ascend_call_t *call,
                                 const mca_coll_ascend_posted_t *posted)
{
    mca_coll_ascend_module_t *module = (mca_coll_ascend_module_t *)call->module;
    mca_coll_ascend_facts_t theirs;
    int first, last;

    if (OPAL_LIKELY(!posted->late)) {
        return;
    }
    watched(call, &first, &last);
    for (int i = first; i <= last; i++) {
        if (NULL != module->mails[i] && SIGHT_NOT_YET == look(module->mails[i], posted, &theirs)) {
            module->unchecked = true;
        }
    }
}
