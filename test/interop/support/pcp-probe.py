"""Answers questions about a pmcd through libpcp, for test/interop: one JSON request a line in, one JSON answer a line out.

Started with a host specification. Requests: {"op": "describe", "names": [...]}, {"op": "fetch", "names": [...]}.
"""
import ctypes
import json
import sys

import cpmapi as c
from pcp import pmapi

TYPES = {c.PM_TYPE_32: "l", c.PM_TYPE_U32: "ul", c.PM_TYPE_64: "ll", c.PM_TYPE_U64: "ull",
         c.PM_TYPE_FLOAT: "f", c.PM_TYPE_DOUBLE: "d", c.PM_TYPE_STRING: "cp"}


def safe(call, *arguments):
    try:
        return call(*arguments)
    except pmapi.pmErr:
        return None


class Probe:
    def __init__(self, hostspec):
        self.context = pmapi.pmContext(c.PM_CONTEXT_HOST, hostspec)
        self.pmids = {}

    def pmid(self, name):
        if name not in self.pmids:
            try:
                self.pmids[name] = self.context.pmLookupName(name)[0]
            except pmapi.pmErr:
                self.pmids[name] = None
        return self.pmids[name]

    def describe(self, names):
        indoms, metrics = {}, {}
        for name in names:
            pmid = self.pmid(name)
            if pmid is None:
                metrics[name] = None
                continue
            desc = self.context.pmLookupDesc(pmid)
            units = desc.contents.units
            indom = desc.contents.indom
            metrics[name] = {
                "pmid": pmid, "type": desc.contents.type, "indom": indom, "semantics": desc.contents.sem,
                "units": [units.dimSpace, units.dimTime, units.dimCount,
                          units.scaleSpace, units.scaleTime, units.scaleCount],
                "labels": safe(self.context.pmGetItemLabels, pmid) or {},
                "domainLabels": safe(self.context.pmGetDomainLabels, pmid >> 22) or {},
                "clusterLabels": safe(self.context.pmGetClusterLabels, pmid) or {},
            }
            if indom != c.PM_INDOM_NULL and indom not in indoms:
                found = safe(self.context.pmGetInDom, desc)
                pairs = list(zip(*found)) if found and found[0] else []
                indoms[indom] = {
                    "instances": [[inst, text.decode() if isinstance(text, bytes) else text] for inst, text in pairs],
                    "labels": safe(self.context.pmGetInDomLabels, indom) or {},
                    "instanceLabels": safe(self.context.pmGetInstancesLabels, indom) or {},
                }
        return {"metrics": metrics, "indoms": indoms, "contextLabels": safe(self.context.pmGetContextLabels) or {}}

    def fetch(self, names):
        values = {}
        known = [name for name in names if self.pmid(name) is not None]
        descs = {name: self.context.pmLookupDesc(self.pmid(name)) for name in known}
        pmids = [self.pmid(name) for name in known]
        result = self.context.pmFetch((ctypes.c_uint * len(pmids))(*pmids))
        for position, name in enumerate(known):
            count = result.contents.get_numval(position)
            if count < 0:
                values[name] = {"error": count}
                continue
            kind = descs[name].contents.type
            found = {}
            for i in range(count):
                atom = self.context.pmExtractValue(result.contents.get_valfmt(position),
                                                   result.contents.get_vlist(position, i), kind, kind)
                found[result.contents.get_inst(position, i)] = self.text(atom, kind)
            values[name] = found
        self.context.pmFreeResult(result)
        return values

    @staticmethod
    def text(atom, kind):
        if kind not in TYPES:
            return None
        value = getattr(atom, TYPES[kind])
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        return repr(float(value)) if kind in (c.PM_TYPE_FLOAT, c.PM_TYPE_DOUBLE) else str(value)


def main():
    probe = Probe(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(probe, request["op"])(request["names"])), flush=True)


main()
