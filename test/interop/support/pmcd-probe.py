"""Asks a pmcd everything through libpcp, for test/interop/pmcd.test.ts: one JSON request a line in, one JSON answer a line out.

Started with a host specification. Values come as hexadecimal bytes (big-endian for numbers), so that nothing is lost.
"""
import ctypes
import ctypes.util
import json
import struct
import sys

import cpmapi as c
from pcp import pmapi

# Not pmapi.LIBPCP: the argument types declared there do not fit arrays of any length.
LIB = ctypes.CDLL(ctypes.util.find_library("pcp"))
NUMBERS = {c.PM_TYPE_64: "q", c.PM_TYPE_U64: "Q", c.PM_TYPE_FLOAT: "f", c.PM_TYPE_DOUBLE: "d"}
LABEL_KINDS = {"domain": c.PM_LABEL_DOMAIN, "indom": c.PM_LABEL_INDOM, "cluster": c.PM_LABEL_CLUSTER,
               "item": c.PM_LABEL_ITEM, "instances": c.PM_LABEL_INSTANCES, "context": c.PM_LABEL_CONTEXT}


def attempt(call, *arguments):
    try:
        return call(*arguments)
    except pmapi.pmErr as error:
        return {"error": error.errno()}


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


class Probe:
    def __init__(self, hostspec):
        self.context = pmapi.pmContext(c.PM_CONTEXT_HOST, hostspec)

    def names(self, _):
        found = []
        self.context.pmTraversePMNS("", found.append)
        ids = []
        for start in range(0, len(found), 500):
            part = found[start:start + 500]
            array = (ctypes.c_char_p * len(part))(*[name.encode() for name in part])
            pmids = (ctypes.c_uint * len(part))()
            LIB.pmLookupName(len(part), array, pmids)
            ids.extend(pmids)
        return {"names": found, "pmids": ids}

    def descs(self, request):
        answer = []
        for pmid in request["pmids"]:
            desc = pmapi.pmDesc()
            status = LIB.pmLookupDesc(ctypes.c_uint(pmid), ctypes.byref(desc))
            units = ctypes.string_at(ctypes.addressof(desc) + 16, 4)
            answer.append(status if status < 0 else
                          [desc.pmid, desc.type, desc.indom, desc.sem, struct.unpack("<I", units)[0]])
        return answer

    def texts(self, request):
        kinds = (c.PM_TEXT_ONELINE, c.PM_TEXT_HELP)
        return [[text(attempt(self.context.pmLookupText, pmid, kind)) for kind in kinds] for pmid in request["pmids"]]

    def indoms(self, request):
        answer = []
        for indom in request["indoms"]:
            ids, names = ctypes.POINTER(ctypes.c_int)(), ctypes.POINTER(ctypes.c_char_p)()
            count = LIB.pmGetInDom(ctypes.c_uint(indom), ctypes.byref(ids), ctypes.byref(names))
            answer.append(count if count < 0 else [[ids[i], text(names[i])] for i in range(count)])
        return answer

    def aliases(self, request):
        return [attempt(self.context.pmNameAll, pmid) for pmid in request["pmids"]]

    def children(self, request):
        answer = []
        for name in request["names"]:
            found = attempt(self.context.pmGetChildrenStatus, name)
            answer.append(found if isinstance(found, dict) else sorted(zip(found[0], found[1])) if found and found[0] else [])
        return answer

    def labels(self, request):
        answer = []
        for kind, ident in request["targets"]:
            sets = ctypes.POINTER(pmapi.pmLabelSet)()
            call = {"context": lambda: LIB.pmGetContextLabels(ctypes.byref(sets)),
                    "domain": lambda: LIB.pmGetDomainLabels(ident, ctypes.byref(sets)),
                    "indom": lambda: LIB.pmGetInDomLabels(ctypes.c_uint(ident), ctypes.byref(sets)),
                    "cluster": lambda: LIB.pmGetClusterLabels(ctypes.c_uint(ident), ctypes.byref(sets)),
                    "item": lambda: LIB.pmGetItemLabels(ctypes.c_uint(ident), ctypes.byref(sets)),
                    "instances": lambda: LIB.pmGetInstancesLabels(ctypes.c_uint(ident), ctypes.byref(sets))}[kind]
            count = call()
            answer.append(count if count < 0 else
                          [[sets[i].inst, json.loads(text(ctypes.cast(sets[i].json, ctypes.c_char_p).value[:sets[i].jsonlen]))]
                           for i in range(count) if sets[i].nlabels > 0])
        return answer

    def fetch(self, request):
        pmids = request["pmids"]
        highres = request["highres"]
        result = ctypes.POINTER(pmapi.pmHighResResult if highres else pmapi.pmResult)()
        call = LIB.pmFetchHighRes if highres else LIB.pmFetch
        status = call(len(pmids), (ctypes.c_uint * len(pmids))(*pmids), ctypes.byref(result))
        if status < 0:
            return {"error": status}
        contents = result.contents
        stamp = contents.timestamp
        sets = [self.values(contents, i, request["types"][i]) for i in range(contents.numpmid)]
        answer = {"timestamp": [stamp.tv_sec, stamp.tv_nsec if highres else stamp.tv_usec * 1000], "sets": sets}
        (LIB.pmFreeHighResResult if highres else LIB.pmFreeResult)(result)
        return answer

    def values(self, contents, i, kind):
        count = contents.get_numval(i)
        if count <= 0:
            return count
        insitu = contents.get_valfmt(i) == c.PM_VAL_INSITU
        return [[contents.get_inst(i, j), self.value(contents, i, j, kind, insitu)] for j in range(count)]

    def value(self, contents, i, j, kind, insitu):
        held = contents.get_vlist(i, j).value
        if insitu:
            return struct.pack(">i", held.lval).hex()
        block = held.pval.contents
        data = ctypes.string_at(ctypes.addressof(block) + 4, block.vlen - 4)
        if kind in NUMBERS:
            return struct.pack(">" + NUMBERS[kind], *struct.unpack("=" + NUMBERS[kind], data)).hex()
        if kind == c.PM_TYPE_STRING:
            return data.split(b"\0")[0].decode("utf-8", "replace")
        if kind in (c.PM_TYPE_EVENT, c.PM_TYPE_HIGHRES_EVENT):
            return self.events(contents.get_vset(i), j, kind == c.PM_TYPE_HIGHRES_EVENT)
        return data.hex()

    def events(self, vset, j, highres):
        kind = pmapi.pmHighResResult if highres else pmapi.pmResult
        records = ctypes.POINTER(ctypes.POINTER(kind))()
        call = LIB.pmUnpackHighResEventRecords if highres else LIB.pmUnpackEventRecords
        count = call(vset, j, ctypes.byref(records))
        if count < 0:
            return {"error": count}
        answer = []
        for index in range(count):
            record = records[index].contents
            stamp = record.timestamp
            when = [stamp.tv_sec, stamp.tv_nsec if highres else stamp.tv_usec * 1000]
            answer.append([when, [self.parameter(record, p) for p in range(record.numpmid)]])
        return answer

    def parameter(self, record, p):
        held = record.get_vlist(p, 0).value
        pmid = record.get_pmid(p)
        if record.get_valfmt(p) == c.PM_VAL_INSITU:
            return [pmid, struct.pack(">i", held.lval).hex()]
        block = held.pval.contents
        return [pmid, self.value(record, p, 0, block.vtype, False)]


def main():
    probe = Probe(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(probe, request["op"])(request)), flush=True)


main()
