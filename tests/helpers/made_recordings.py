#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Writes recordings of about a megabyte, in the format of format.h. Each has most of its keys in common with all others,
# and some of its own. Prints the number of keys in all of them.
# usage: made_recordings.py DIRECTORY FILES

import struct
import sys
import zlib

SHARED, OWN, SELF_ABORT, WRITE_WRITE = 3000, 100, 0, 0
NOBODY = 0xFFFFFFFF
THREAD, ENTRY = 520, 280  # the sizes of these records


def section(kind, record_size, payload):
    head = struct.pack("<IIQI", kind, record_size, len(payload), zlib.crc32(payload))
    return head + struct.pack("<I", zlib.crc32(head)) + payload + bytes(-len(payload) % 8)


def entry(traceback, lost_ns):
    head = struct.pack("<8I", SELF_ABORT, WRITE_WRITE, 0, 0, traceback, 0, 1, 0)
    numbers = struct.pack("<8Q", 1, lost_ns, 0, lost_ns, lost_ns, 10, 20, 0)
    objects = bytes(8 * 8 + 3 * 8 + 4 * 4 + 2 * 8 + 4 * 8)
    return (head + numbers + objects + struct.pack("<2dI", lost_ns, 0, NOBODY)).ljust(ENTRY, b"\0")


def thread(count, lost_ns):
    record = bytearray(THREAD)
    struct.pack_into("<4IQQQQ4Q", record, 0, 1, 0, 1, 0, 5, lost_ns, 0, 0, lost_ns, 0, 0, 0)
    struct.pack_into("<4Q", record, 128, count, 0, 0, 0)
    struct.pack_into("<Q", record, 224, lost_ns)
    return bytes(record)


def add_keys(strings, sites, tracebacks, entries, numbers, name):
    """One traceback of one place each, and what was lost there."""
    for i in numbers:
        sites += struct.pack("<IIQQIIII", 1, NOBODY, 1, i, len(strings), 0, i, 0)
        strings += f"{name}_{i}".encode() + b"\0"
        tracebacks += struct.pack("<III", 1, 0, i)
        entries += entry(2 + i, 1000000 - i)


shared = (bytearray(b"\0"), bytearray(), bytearray(), bytearray())
add_keys(*shared, range(SHARED), "shared")


def recording(number):
    strings, sites, tracebacks, entries = parts = tuple(map(bytearray, shared))
    add_keys(*parts, range(SHARED, SHARED + OWN), f"own_{number}")
    lost = sum(1000000 - i for i in range(SHARED + OWN))
    count = SHARED + OWN
    totals = struct.pack("<IIQQdd", SELF_ABORT, WRITE_WRITE, count, lost, lost, 0)
    totals += struct.pack("<IIQQdd", NOBODY, NOBODY, 0, 0, 0, 0)
    info = b"version=0.1.0\0runtime=libitm\0clock=monotonic\0program=/bin/made\0wall_ns=1000\0"
    return (
        struct.pack("<8sII", b"STMLOG\r\n", 1, 16)
        + section(1, 0, info)
        + section(2, 0, strings)
        + section(3, 64, b"")
        + section(4, 40, sites)
        + section(5, 0, tracebacks)
        + section(6, 40, totals)
        + section(7, THREAD, thread(count, lost))
        + section(8, ENTRY, entries)
        + section(255, 0, b"")
    )


directory, files = sys.argv[1], int(sys.argv[2])
for number in range(files):
    with open(f"{directory}/{number:03}.data", "wb") as file:
        file.write(recording(number))
print(SHARED + files * OWN)
