/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Error text names code, name and meaning on one line, survives unknown codes
 * and short buffers; codes map to the statuses that callers act on.
 */
#include "acl/asc_acl.h"
#include "tests/helpers/t_helpers.h"

#include <string.h>

static void check_text(aclError code, const char *name, const char *meaning)
{
    char text[ASC_ACL_TEXT_MAX];

    t_check(asc_acl_error_text(code, text, sizeof(text)) == text, "the buffer itself");
    t_check(strstr(text, name) != NULL, "'%s' to name %s", text, name);
    t_check(strstr(text, meaning) != NULL, "'%s' to say %s", text, meaning);
    t_check(strchr(text, '\n') == NULL, "one line, not '%s'", text);
}

static void check_status(aclError code, asc_status_t want)
{
    t_check(asc_acl_status(code) == want, "%d for code %d, not %d", want, code,
            asc_acl_status(code));
}

static void check_recent(void)
{
    const asc_acl_t *acl = asc_acl_get();
    char text[ASC_ACL_TEXT_MAX];
    aclError err;

    t_check(acl != NULL, "a runtime, not: %s", asc_acl_load_error());
    t_check(asc_acl_init() == ASC_OK, "aclInit");
    err = acl->aclrtSetDevice(4242);
    check_text(err, "107001", "no such device");
    (void)acl->aclrtSetDevice(1717); /* an older failure, of no interest here */
    err = acl->aclrtSetDevice(4242);
    asc_acl_error_text(err, text, sizeof(text));
    t_check(strstr(text, "1717") == NULL, "the newest message alone, not '%s'", text);
    t_check(strstr(text, "4242") != NULL, "the runtime's own words about 4242 in '%s'", text);
    asc_acl_error_text(err, text, sizeof(text));
    t_check(strstr(text, "4242") == NULL, "the recent message to be used up, not '%s'", text);
}

int main(void)
{
    char text[16];

    t_deadline(20);
    check_text(0, "0", "SUCCESS");
    check_text(107002, "107002 CONTEXT_NULL", "no current context");
    check_text(207001, "207001 MEMORY_ALLOCATION", "out of device memory");
    check_text(507899, "507899 DRV_INTERNAL_ERROR", "driver refused");
    check_text(100039, "100039 COMPILING_STUB_MODE", "stub");
    check_text(424242, "424242", "does not know");
    memset(text, 'x', sizeof(text));
    asc_acl_error_text(207001, text, 8);
    t_check(strlen(text) == 7 && text[8] == 'x', "8 bytes at most, got '%s'", text);

    check_status(0, ASC_OK);
    check_status(100002, ASC_OK);
    check_status(207001, ASC_ERR_NO_MEMORY);
    check_status(207018, ASC_ERR_NO_MEMORY);
    check_status(207009, ASC_ERR_BUSY);
    check_status(507046, ASC_ERR_TIMEOUT);
    check_status(207000, ASC_ERR_UNSUPPORTED);
    check_status(100039, ASC_ERR_NO_RUNTIME);
    check_status(424242, ASC_ERR_ACL);
    for (int status = ASC_ERR_UNSUPPORTED; status <= ASC_INPROGRESS; ++status) {
        const char *words = asc_status_text((asc_status_t)status);

        t_check(words != NULL && strcmp(words, "unknown status") != 0, "words for status %d",
                status);
    }
    t_check(strcmp(asc_status_text((asc_status_t)-99), "unknown status") == 0, "no status -99");
    check_recent();
    return T_PASS;
}
