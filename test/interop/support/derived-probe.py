"""Real libpcp over archives, for test/interop: one JSON request a line in, one JSON answer a line out.

Requests: {"op": "open", "archive": path}, {"op": "add", "name": n, "expression": e}, {"op": "describe", "names": [...]},
{"op": "instances", "indom": d}, {"op": "fetch", "names": [...]}, {"op": "mode", "mode": m, "seconds": [s, us], "intervalMs": i},
{"op": "profile", "indom": d, "instances": [...]}.
Values are texts with all their digits; errors are {"error": code}.
"""
import ctypes
import json
import os
import sys

os.environ["PCP_DERIVED_CONFIG"] = ""

import cpmapi as c
from pcp import pmapi

TYPES = {c.PM_TYPE_32: "l", c.PM_TYPE_U32: "ul", c.PM_TYPE_64: "ll", c.PM_TYPE_U64: "ull",
         c.PM_TYPE_FLOAT: "f", c.PM_TYPE_DOUBLE: "d", c.PM_TYPE_STRING: "cp"}

ADD_DERIVED = pmapi.LIBPCP.pmAddDerivedMetric
ADD_DERIVED.restype = ctypes.c_int
ADD_DERIVED.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
MODES = {"forward": c.PM_MODE_FORW, "back": c.PM_MODE_BACK, "interp": c.PM_MODE_INTERP}


def describe(context, name):
    try:
        pmid = context.pmLookupName(name)[0]
        desc = context.pmLookupDesc(pmid)
    except pmapi.pmErr as error:
        return {"error": error.args[0]}
    units = desc.contents.units
    return {"pmid": pmid, "type": desc.contents.type, "indom": desc.contents.indom, "semantics": desc.contents.sem,
            "units": [units.dimSpace, units.dimTime, units.dimCount,
                      units.scaleSpace, units.scaleTime, units.scaleCount]}


def text_of(atom, kind):
    """The value with all its digits; None for aggregates and events, which count but are not compared."""
    if kind not in TYPES:
        return None
    value = getattr(atom, TYPES[kind])
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return repr(float(value)) if kind in (c.PM_TYPE_FLOAT, c.PM_TYPE_DOUBLE) else str(value)


class Probe:
    def open(self, request):
        self.context = pmapi.pmContext(c.PM_CONTEXT_ARCHIVE, request["archive"])
        return {}

    def add(self, request):
        message = ctypes.c_char_p()
        status = ADD_DERIVED(request["name"].encode(), request["expression"].encode(), ctypes.byref(message))
        if status < 0:
            return {"error": status, "message": (message.value or b"").decode("utf-8", "replace")}
        return {}

    def describe(self, request):
        return {name: describe(self.context, name) for name in request["names"]}

    def instances(self, request):
        desc = pmapi.pmDesc()
        desc.indom = request["indom"]
        answer = {}
        for key, call in (("now", self.context.pmGetInDom), ("ever", self.context.pmGetInDomArchive)):
            try:
                pairs = zip(*call(ctypes.pointer(desc)))
            except pmapi.pmErr:
                pairs = []
            answer[key] = [[inst, name.decode() if isinstance(name, bytes) else name] for inst, name in pairs]
        return answer

    def fetch(self, request):
        values, known = {}, []
        for name in request["names"]:
            found = describe(self.context, name)
            if "error" in found:
                values[name] = found
            else:
                known.append((name, found))
        try:
            result = self.context.pmFetch((ctypes.c_uint * len(known))(*[found["pmid"] for _, found in known]))
        except pmapi.pmErr as error:
            return {"error": error.args[0]}
        for position, (name, found) in enumerate(known):
            count = result.contents.get_numval(position)
            kind = found["type"]
            if count < 0:
                values[name] = {"error": count}
            else:
                values[name] = {"values": [self.value(result, position, i, kind) for i in range(count)]}
        stamp = result.contents.timestamp
        answer = {"seconds": [stamp.tv_sec, stamp.tv_usec], "values": values}
        self.context.pmFreeResult(result)
        return answer

    def value(self, result, position, i, kind):
        atom = None
        if kind in TYPES:
            atom = self.context.pmExtractValue(result.contents.get_valfmt(position),
                                               result.contents.get_vlist(position, i), kind, kind)
        return [result.contents.get_inst(position, i), text_of(atom, kind)]

    def mode(self, request):
        stamp = pmapi.timeval(*request["seconds"])
        mode = MODES[request["mode"]]
        step = request["intervalMs"]
        if mode == c.PM_MODE_INTERP:
            mode |= c.PM_XTB_SET(c.PM_TIME_MSEC)
        self.context.pmSetMode(mode, stamp, step)
        return {}

    def profile(self, request):
        desc = pmapi.pmDesc()
        desc.indom = request["indom"]
        self.context.pmDelProfile(ctypes.pointer(desc), None)
        self.context.pmAddProfile(ctypes.pointer(desc), request["instances"])
        return {}


def main():
    probe = Probe()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(probe, request["op"])(request)
        except pmapi.pmErr as error:
            answer = {"error": error.args[0]}
        print(json.dumps(answer), flush=True)


main()
