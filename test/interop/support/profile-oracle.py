#!/usr/bin/python3
"""Applies sequences of pmAddProfile and pmDelProfile through the installed libpcp, and fetches after each.

stdin: JSON list of sequences of [function, list of positions in the indom, or null for the whole indom, or "all" for no
indom]. stdout: for each sequence the positions of kernel.all.load's three instances that a fetch still answers.
The host is the first argument.
"""
import json
import sys
from ctypes import CDLL, POINTER, Structure, byref, c_char_p, c_int, c_long, c_uint, c_void_p

LIB = CDLL("libpcp.so.3")
LIB.pmGetInDom.argtypes = [c_uint, POINTER(POINTER(c_int)), c_void_p]
LIB.pmAddProfile.argtypes = LIB.pmDelProfile.argtypes = [c_uint, c_int, c_void_p]
LIB.pmFetch.argtypes = [c_int, c_void_p, c_void_p]
LIB.pmFreeResult.argtypes = [c_void_p]
NULL_INDOM = 0xFFFFFFFF
LOAD_PMID = 60 << 22 | 2 << 10
LOAD_INDOM = 60 << 22 | 2


class Result(Structure):
    _fields_ = [("sec", c_long), ("usec", c_long), ("numpmid", c_int), ("sets", c_void_p * 1)]


class ValueSet(Structure):
    _fields_ = [("pmid", c_uint), ("numval", c_int), ("valfmt", c_int)]


class Value(Structure):
    _fields_ = [("inst", c_int), ("value", c_void_p)]


def fetched():
    pmid, result = c_uint(LOAD_PMID), c_void_p()
    if LIB.pmFetch(1, byref(pmid), byref(result)) < 0:
        raise SystemExit("pmFetch failed")
    base = Result.from_address(result.value).sets[0]
    count = max(0, ValueSet.from_address(base).numval)
    found = [Value.from_address(base + 16 + 16 * i).inst for i in range(count)]
    LIB.pmFreeResult(result)
    return found


def main():
    if LIB.pmNewContext(1, c_char_p(sys.argv[1].encode())) < 0:
        raise SystemExit("no pmcd")
    ids, names = POINTER(c_int)(), c_void_p()
    if LIB.pmGetInDom(LOAD_INDOM, byref(ids), byref(names)) != 3:
        raise SystemExit("kernel.all.load has not three instances")
    instances = [ids[i] for i in range(3)]
    answers = []
    for sequence in json.load(sys.stdin):
        LIB.pmAddProfile(NULL_INDOM, 0, None)
        for function, positions in sequence:
            change = LIB.pmAddProfile if function == "add" else LIB.pmDelProfile
            if positions == "all":
                change(NULL_INDOM, 0, None)
            elif positions is None:
                change(LOAD_INDOM, 0, None)
            else:
                listed = (c_int * len(positions))(*[instances[i] for i in positions])
                change(LOAD_INDOM, len(positions), listed)
        answers.append(sorted(instances.index(i) for i in fetched()))
    print(json.dumps(answers))


main()
