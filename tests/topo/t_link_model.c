/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Protects: the link model is usable as a cost model for every family: all figures are
 * positive, a nearer kind is never slower, A2 reads faster than it writes over HCCS
 * (measured), and a kind is the same seen from both ends.
 */
#include "tests/topo/t_topo.h"

#include <errno.h>
#include <string.h>

static void check_figures(enum asc_topo_soc soc, enum asc_topo_link_kind kind,
                          struct asc_topo_link *link)
{
    asc_topo_model_link(soc, kind, link);
    t_check(link->kind == kind, "%d %d", soc, kind);
    t_check((link->get_bandwidth > 1e9) && (link->put_bandwidth > 1e9), "%d %d", soc, kind);
    t_check((link->latency > 1e-7) && (link->latency < 1e-4), "%d %d", soc, kind);
    t_check((link->overhead > 1e-7) && (link->overhead < 1e-4), "%d %d", soc, kind);
}

static void check_family(enum asc_topo_soc soc)
{
    static const enum asc_topo_link_kind near_to_far[] = {
        ASC_TOPO_LINK_SAME, ASC_TOPO_LINK_SIO, ASC_TOPO_LINK_HCCS, ASC_TOPO_LINK_HCCS_SW,
        ASC_TOPO_LINK_PIX,  ASC_TOPO_LINK_PHB, ASC_TOPO_LINK_SYS,  ASC_TOPO_LINK_UNKNOWN,
    };
    struct asc_topo_link near, far;
    size_t i;

    check_figures(soc, near_to_far[0], &near);
    for (i = 1; i < sizeof(near_to_far) / sizeof(near_to_far[0]); ++i) {
        check_figures(soc, near_to_far[i], &far);
        t_check(far.get_bandwidth <= near.get_bandwidth, "%d %d get", soc, near_to_far[i]);
        t_check(far.put_bandwidth <= near.put_bandwidth, "%d %d put", soc, near_to_far[i]);
        t_check(far.latency >= near.latency, "%d %d latency", soc, near_to_far[i]);
        near = far;
    }
    asc_topo_model_host_link(soc, &far);
    t_check((far.get_bandwidth > 1e9) && (far.put_bandwidth > 1e9), "%d host", soc);
}

/* P47: links whose worth is given count, the model fills in the rest. */
static void check_given(void)
{
    struct asc_topo_device_facts devices[3] = {
        {.physical_id = 4}, {.physical_id = 6}, {.physical_id = 7}};
    struct asc_topo_given given[4];
    struct asc_topo_node_facts facts = {
        .soc_name = "Ascend910B3", .num_devices = 3, .devices = devices, .given = given};
    struct asc_topo_link link, model;
    struct asc_topo *topo = NULL;
    char why[256];

    facts.num_given =
        asc_topo_parse_links("6-4=2.5G/7us,7-4=/1ms,h-6=900M,4-9=1T", given, 4, why, sizeof(why));
    t_check(facts.num_given == 4, "%d links: %s", facts.num_given, why);
    t_check(asc_topo_create(&facts, &topo) == 0, "create");
    asc_topo_model_link(ASC_TOPO_SOC_910B, ASC_TOPO_LINK_UNKNOWN, &model);
    t_check(asc_topo_link(topo, 0, 1, &link) == 0 && link.get_bandwidth == 2.5e9 &&
                link.put_bandwidth == 2.5e9 && link.latency > 6.9e-6 && link.latency < 7.1e-6,
            "0-1: %g B/s, %g s", link.get_bandwidth, link.latency);
    t_check(asc_topo_link(topo, 0, 2, &link) == 0 && link.get_bandwidth == model.get_bandwidth &&
                link.latency > 0.9e-3,
            "0-2: %g B/s, %g s", link.get_bandwidth, link.latency);
    t_check(asc_topo_link(topo, 1, 2, &link) == 0 && link.latency == model.latency, "1-2");
    t_check(asc_topo_host_link(topo, 1, &link) == 0 && link.get_bandwidth == 9e8, "host of 1: %g",
            link.get_bandwidth);
    t_check(asc_topo_given_link(topo, 0, 9, &link) == 1 && link.put_bandwidth == 1e12,
            "a device that is not visible: %g", link.put_bandwidth);
    t_check(asc_topo_given_link(topo, 1, 7, &link) == 0, "1-2 was not given");
    asc_topo_destroy(topo);

    t_check(asc_topo_parse_links("0-1=1G,2-3", given, 4, why, sizeof(why)) == -EINVAL &&
                strstr(why, "'2-3'") != NULL,
            "%s", why);
    t_check(asc_topo_parse_links("", given, 4, why, sizeof(why)) == 0, "nothing given");
}

static void check_names(void)
{
    static const struct {
        const char *name;
        enum asc_topo_soc soc;
    } names[] = {
        {"Ascend910A", ASC_TOPO_SOC_910},
        {"Ascend910ProB", ASC_TOPO_SOC_910},
        {"Ascend910B", ASC_TOPO_SOC_910},
        {"Ascend910B1", ASC_TOPO_SOC_910B},
        {"Ascend910B3", ASC_TOPO_SOC_910B},
        {"Ascend910_9392", ASC_TOPO_SOC_910_93},
        {"Ascend310P3", ASC_TOPO_SOC_310P},
        {"Ascend310B4", ASC_TOPO_SOC_310B},
        {"Ascend950PR_9599", ASC_TOPO_SOC_950},
        {"Ascend1234", ASC_TOPO_SOC_UNKNOWN},
        {"", ASC_TOPO_SOC_UNKNOWN},
        {NULL, ASC_TOPO_SOC_UNKNOWN},
    };
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        t_check(asc_topo_soc_from_name(names[i].name) == names[i].soc, "%s: %d",
                names[i].name != NULL ? names[i].name : "NULL",
                asc_topo_soc_from_name(names[i].name));
    }
}

/* Pairs: 0-1 HCCS both ways, 0-2 the ends differ, 1-2 only one end speaks. */
static void check_pairs(void)
{
    const uint64_t bits[9] = {0x55, 0x01, 0x01, 0x01, 0x02, 0x00, 0x10, 0x08, 0x40};
    struct asc_topo_device_facts devices[3] = {{0}};
    struct asc_topo_node_facts facts = {
        .soc_name = "Ascend910B3", .num_devices = 3, .devices = devices, .link_bits = bits};
    static const enum asc_topo_link_kind kinds[9] = {
        ASC_TOPO_LINK_SAME, ASC_TOPO_LINK_HCCS, ASC_TOPO_LINK_SYS,
        ASC_TOPO_LINK_HCCS, ASC_TOPO_LINK_SAME, ASC_TOPO_LINK_PHB,
        ASC_TOPO_LINK_SYS,  ASC_TOPO_LINK_PHB,  ASC_TOPO_LINK_SAME,
    };
    struct asc_topo_link link;
    struct asc_topo *topo = NULL;
    int a, b;

    t_check(asc_topo_create(&facts, &topo) == 0, "create");
    t_check(asc_topo_soc(topo) == ASC_TOPO_SOC_910B, "%d", asc_topo_soc(topo));
    for (a = 0; a < 3; ++a) {
        for (b = 0; b < 3; ++b) {
            t_check(asc_topo_link(topo, a, b, &link) == 0, "%d %d", a, b);
            t_check(link.kind == kinds[a * 3 + b], "%d-%d is %s", a, b,
                    asc_topo_kind_name(link.kind));
        }
    }
    t_check(asc_topo_link(topo, 0, 3, &link) == -EINVAL, "index 3");
    t_check(asc_topo_link(topo, -1, 0, &link) == -EINVAL, "index -1");
    asc_topo_destroy(topo);

    facts.link_bits = NULL;
    t_check(asc_topo_create(&facts, &topo) == 0, "create");
    t_check(asc_topo_link(topo, 0, 1, &link) == 0 && link.kind == ASC_TOPO_LINK_UNKNOWN,
            "nobody said, yet it is %s", asc_topo_kind_name(link.kind));
    asc_topo_destroy(topo);

    facts.num_devices = -1;
    t_check(asc_topo_create(&facts, &topo) == -EINVAL, "-1 devices");
}

int main(void)
{
    struct asc_topo_link link;
    int soc;

    for (soc = ASC_TOPO_SOC_UNKNOWN; soc < ASC_TOPO_SOC_LAST; ++soc) {
        check_family(soc);
    }
    asc_topo_model_link(ASC_TOPO_SOC_910B, ASC_TOPO_LINK_HCCS, &link);
    t_check(link.get_bandwidth > link.put_bandwidth, "A2 reads faster than it writes");
    check_given();
    check_names();
    check_pairs();
    return T_PASS;
}
