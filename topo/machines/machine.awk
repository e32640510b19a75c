# SPDX-License-Identifier: BSD-3-Clause
# Writes the hwloc XML (format 2.0) of a made-up Ascend server.
#
#   awk -v name=TEXT -v sockets=S -v numa=N -v cores=C -v device=d802 \
#       -v npus="BUS@NODE ..." -f machine.awk
#
# numa is NUMA nodes a socket, cores is cores a NUMA node (one thread each). An NPU sits
# behind a bridge of its own at PCI bus BUS (two hex digits) whose host bridge belongs to
# NUMA node NODE. Order does not matter.

# CPUs or nodes first..last as hwloc writes sets: words of 32 bits, highest first
function set(first, last,    word, nibble, bit, value, text, n) {
    text = ""
    for (word = int(last / 32); word >= 0; word--) {
        text = text (text == "" ? "" : ",") "0x"
        for (nibble = 7; nibble >= 0; nibble--) {
            value = 0
            for (bit = 3; bit >= 0; bit--) {
                n = word * 32 + nibble * 4 + bit
                value = value * 2 + (n >= first && n <= last ? 1 : 0)
            }
            text = text substr("0123456789abcdef", value + 1, 1)
        }
    }
    return text
}

function say(text,    i, pad) {
    pad = ""
    for (i = 0; i < depth; i++) {
        pad = pad "  "
    }
    print pad text
}

function close_object() { depth--; say("</object>") }

# attributes common to all objects that have CPUs and memory
function sets(c0, c1, n0, n1,    c, n) {
    c = set(c0, c1)
    n = set(n0, n1)
    return " cpuset=\"" c "\" complete_cpuset=\"" c "\" nodeset=\"" n "\" complete_nodeset=\"" n "\""
}

function object(attributes, is_leaf) {
    say("<object " attributes " gp_index=\"" ++gp "\"" (is_leaf ? "/>" : ">"))
    if (!is_leaf) {
        depth++
    }
}

# one host bridge for the 16 buses around bus
function host_bridge(bus,    top) {
    top = substr(bus, 1, 1)
    object("type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[" top "0-" top "f]\"", 0)
}

# a bridge below it, and the NPU
function npu(bus, slot,    root) {
    root = substr(bus, 1, 1) "0"
    object("type=\"Bridge\" bridge_type=\"1-1\" depth=\"1\" bridge_pci=\"0000:[" bus "-" bus \
           "]\" pci_busid=\"0000:" root ":" sprintf("%02x", slot) \
           ".0\" pci_type=\"0604 [19e5:a120] [0000:0000] 21\" pci_link_speed=\"31.507692\"", 0)
    object("type=\"PCIDev\" pci_busid=\"0000:" bus \
           ":00.0\" pci_type=\"1200 [19e5:" device "] [0200:0100] 20\" pci_link_speed=\"31.507692\"", 1)
    close_object()
}

function npus_of(node,    i, open, slot, part) {
    open = ""
    for (i = 1; i <= num_npus; i++) {
        split(list[i], part, "@")
        if (part[2] != node) {
            continue
        }
        if (substr(part[1], 1, 1) != open) {
            if (open != "") {
                close_object()
            }
            open = substr(part[1], 1, 1)
            host_bridge(part[1])
            slot = 0
        }
        npu(part[1], slot++)
    }
    if (open != "") {
        close_object()
    }
}

function numa_node(node,    first, last, cpu) {
    first = node * cores
    last = first + cores - 1
    object("type=\"L3Cache\"" sets(first, last, node, node) \
           " cache_size=\"50331648\" depth=\"3\" cache_linesize=\"128\" cache_associativity=\"0\" cache_type=\"0\"", 0)
    object("type=\"NUMANode\" os_index=\"" node "\"" sets(first, last, node, node) \
           " local_memory=\"103079215104\"", 0)
    say("<page_type size=\"4096\" count=\"25165824\"/>")
    close_object()
    for (cpu = first; cpu <= last; cpu++) {
        object("type=\"Core\" os_index=\"" cpu "\"" sets(cpu, cpu, node, node), 0)
        object("type=\"PU\" os_index=\"" cpu "\"" sets(cpu, cpu, node, node), 1)
        close_object()
    }
    npus_of(node)
    close_object()
}

BEGIN {
    num_npus = split(npus, list, " ")
    all_cpus = sockets * numa * cores
    all_nodes = sockets * numa
    print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    print "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">"
    print "<topology version=\"2.0\">"
    depth = 1
    object("type=\"Machine\" os_index=\"0\"" sets(0, all_cpus - 1, 0, all_nodes - 1) \
           " allowed_cpuset=\"" set(0, all_cpus - 1) "\" allowed_nodeset=\"" set(0, all_nodes - 1) "\"", 0)
    say("<info name=\"DMIProductName\" value=\"" name "\"/>")
    say("<info name=\"Architecture\" value=\"aarch64\"/>")
    say("<info name=\"Backend\" value=\"made up, not recorded\"/>")
    for (socket = 0; socket < sockets; socket++) {
        object("type=\"Package\" os_index=\"" socket "\"" \
               sets(socket * numa * cores, (socket + 1) * numa * cores - 1, socket * numa, \
                    (socket + 1) * numa - 1), 0)
        say("<info name=\"CPUVendor\" value=\"HiSilicon\"/>")
        say("<info name=\"CPUModel\" value=\"Kunpeng-like\"/>")
        for (node = socket * numa; node < (socket + 1) * numa; node++) {
            numa_node(node)
        }
        close_object()
    }
    close_object()
    print "</topology>"
}
