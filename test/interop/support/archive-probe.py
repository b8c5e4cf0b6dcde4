"""What libpcp reads in an archive, as lines of text: for test/interop/archive.test.ts, by way of ctypes alone.

usage: archive-probe.py ARCHIVE MAX_RECORDS MAX_METRICS

The order of lines is fixed, and every line begins with its kind; see `main`. Numbers of floating point are shown as the
hex of their big-endian bytes, strings and aggregates as hex.
"""
import struct
import sys
from ctypes import (CDLL, POINTER, Structure, Union, byref, c_char_p, c_int, c_long, c_uint, c_void_p, c_char, cast,
                    string_at, CFUNCTYPE, addressof, sizeof)
from ctypes.util import find_library

PCP = CDLL(find_library("pcp"))
LIBC = CDLL(None)
CONTEXT_ARCHIVE = 2
MODE_INTERP, MODE_FORW = 1, 2
INDOM_NULL = 0xffffffff


class Timespec(Structure):
    _fields_ = [("sec", c_long), ("nsec", c_long)]


class Desc(Structure):
    _fields_ = [("pmid", c_uint), ("type", c_int), ("indom", c_uint), ("sem", c_int), ("units", c_uint)]


class Datum(Union):
    _fields_ = [("pval", c_void_p), ("lval", c_uint)]


class Value(Structure):
    _fields_ = [("inst", c_int), ("value", Datum)]


class ValueSet(Structure):
    _fields_ = [("pmid", c_uint), ("numval", c_int), ("valfmt", c_int), ("vlist", Value * 1)]


class Result(Structure):
    _fields_ = [("timestamp", Timespec), ("numpmid", c_int), ("vset", POINTER(ValueSet) * 1)]


class Label(Structure):
    _fields_ = [("magic", c_int), ("pid", c_int), ("start", Timespec), ("host", c_char * 256), ("zone", c_char * 256),
                ("zoneinfo", c_char * 256)]


class LabelSet(Structure):
    _fields_ = [("inst", c_uint), ("nlabels", c_int), ("json", c_char_p), ("jsonlen", c_uint), ("labels", c_void_p),
                ("hash", c_void_p)]


def stamp(t):
    return "%d.%09d" % (t.sec, t.nsec)


def show(datum, valfmt, kind):
    if valfmt == 0:
        if kind == 0:
            return str(struct.unpack("i", struct.pack("I", datum.lval))[0])
        return struct.pack(">I", datum.lval).hex() if kind == 4 else str(datum.lval)
    header = struct.unpack("I", string_at(datum.pval, 4))[0]
    length = header & 0xffffff
    data = string_at(datum.pval + 4, max(length - 4, 0))
    if kind in (2, 3):
        return str(struct.unpack("q" if kind == 2 else "Q", data[:8])[0])
    if kind == 4:
        return data[3::-1].hex()
    if kind == 5:
        return data[7::-1].hex()
    if kind == 6:
        return data.split(b"\0")[0].hex()
    # Event arrays are in the host's byte order here, and big-endian in the archive.
    return "#%d" % len(data) if kind in (9, 10) else data.hex()


def show_set(vset, types):
    kind = types.get(vset.pmid, 1 if vset.valfmt == 0 else 7)
    values = cast(addressof(vset) + ValueSet.vlist.offset, POINTER(Value))
    shown = [(values[i].inst, show(values[i].value, vset.valfmt, kind)) for i in range(max(vset.numval, 0))]
    return "%d:%d:%s" % (vset.pmid, vset.numval, ",".join("%d=%s" % pair for pair in sorted(shown)))


def show_result(kind, result, types):
    sets = cast(addressof(result.contents) + Result.vset.offset, POINTER(POINTER(ValueSet)))
    shown = [show_set(sets[i].contents, types) for i in range(result.contents.numpmid)]
    print(kind, stamp(result.contents.timestamp), " ".join(shown))


def instances(call, indom):
    ids, names = POINTER(c_int)(), POINTER(c_char_p)()
    n = call(c_uint(indom), byref(ids), byref(names))
    if n < 0:
        return str(n)
    return " ".join(sorted("%d=%s" % (ids[i], names[i].hex()) for i in range(n)))


def labels(call, *args):
    sets = POINTER(LabelSet)()
    n = call(*args, byref(sets))
    if n < 0:
        return str(n)
    found = [(struct.unpack("i", struct.pack("I", sets[i].inst))[0], sets[i]) for i in range(n)]
    return " ".join("%d=%s" % (inst, (s.json or b"").hex()) for inst, s in sorted(found, key=lambda p: p[0])
                    if s.nlabels > 0)


def text(call, ident, level):
    found = c_char_p()
    status = call(c_uint(ident), c_int(level), byref(found))
    return str(status) if status < 0 else found.value.hex()


def at(label, end, fraction):
    start = label.start.sec * 10**9 + label.start.nsec
    last = end.sec * 10**9 + end.nsec
    moment = start + int((last - start) * fraction)
    return Timespec(moment // 10**9, moment % 10**9)


def metadata(label, end, names, descs):
    for name, desc in zip(names, descs):
        print("desc", name.hex(), desc.pmid, desc.type, desc.indom, desc.sem, desc.units)
    indoms = sorted({d.indom for d in descs} - {INDOM_NULL})
    for indom in indoms[:12]:
        print("ever", indom, instances(PCP.pmGetInDomArchive, indom))
    for fraction in (0.0, 0.2, 0.4, 0.61, 0.83, 1.0):
        when = at(label, end, fraction)
        PCP.pmSetModeHighRes(MODE_FORW, byref(when), None)
        for indom in indoms[:12]:
            print("indom", stamp(when), indom, instances(PCP.pmGetInDom, indom))
    domains = sorted({(d.pmid >> 22) & 511 for d in descs})
    print("labels context", labels(PCP.pmGetContextLabels))
    for domain in domains:
        print("labels domain", domain, labels(PCP.pmGetDomainLabels, c_int(domain)))
    for indom in indoms[:12]:
        print("labels indom", indom, labels(PCP.pmGetInDomLabels, c_uint(indom)))
        print("labels instances", indom, labels(PCP.pmGetInstancesLabels, c_uint(indom)))
        print("text indom", indom, text(PCP.pmLookupInDomText, indom, 1), text(PCP.pmLookupInDomText, indom, 2))
    for desc in descs[:60]:
        print("labels item", desc.pmid, labels(PCP.pmGetItemLabels, c_uint(desc.pmid)))
        print("labels cluster", desc.pmid, labels(PCP.pmGetClusterLabels, c_uint(desc.pmid & ~1023)))
        print("text metric", desc.pmid, text(PCP.pmLookupText, desc.pmid, 1), text(PCP.pmLookupText, desc.pmid, 2))


def records(label, types, limit):
    start = label.start
    PCP.pmSetModeHighRes(MODE_FORW, byref(start), None)
    for _ in range(limit):
        result = POINTER(Result)()
        status = PCP.pmFetchHighResArchive(byref(result))
        if status < 0:
            print("records end", status)
            return
        show_result("record", result, types)
        PCP.pmFreeHighResResult(result)


def interpolated(label, end, descs, types, limit):
    step = max(1, len(descs) // limit)
    # A PMID that is asked for twice sends the interpolation of 6.0.3 round in circles.
    chosen = list(dict.fromkeys(d.pmid for d in descs[::step]))[:limit]
    pmids = (c_uint * len(chosen))(*chosen)
    span = (end.sec - label.start.sec) * 10**9 + end.nsec - label.start.nsec
    print("chosen", " ".join(str(p) for p in chosen))
    for origin, part in ((0.0, 13.7), (0.213, 29.3), (1.0, -17.1), (0.6, -7.7)):
        start = at(label, end, origin)
        start.nsec -= start.nsec % 1000
        # 6.0.3 adds intervals to 32 bits of nanoseconds, which overflow and bring it out of step: what does not fit is
        # given in whole seconds.
        unit, scale = (3, 10**9) if abs(span / part) > 1.1e9 else (1, 10**3)
        delta = int(span / part / scale)
        when = Timespec(start.sec, start.nsec // 1000)
        status = PCP.pmSetMode(MODE_INTERP | 0x1000000 | (unit << 16), byref(when), c_int(delta))
        print("mode", stamp(start), delta * scale, status)
        for _ in range(30):
            result = POINTER(Result)()
            status = PCP.pmFetch(len(chosen), pmids, byref(result))
            if status < 0:
                print("interp end", status)
                break
            result.contents.timestamp.nsec *= 1000
            show_result("interp", result, types)
            PCP.pmFreeResult(result)


def main():
    archive, max_records, max_metrics = sys.argv[1].encode(), int(sys.argv[2]), int(sys.argv[3])
    context = PCP.pmNewContext(CONTEXT_ARCHIVE, archive)
    print("open", min(context, 0))
    if context < 0:
        return
    label, end = Label(), Timespec()
    PCP.pmGetHighResArchiveLabel(byref(label))
    print("label", label.magic & 0xff, label.pid, stamp(label.start), label.host.hex(), label.zone.hex())
    status = PCP.pmGetHighResArchiveEnd(byref(end))
    print("end", stamp(end) if status >= 0 else status)
    names = []
    visit = CFUNCTYPE(None, c_char_p)(lambda name: names.append(name))
    PCP.pmTraversePMNS(b"", visit)
    names.sort()
    known, descs = [], []
    for name in names:
        pmid, desc = c_uint(), Desc()
        PCP.pmLookupName(1, (c_char_p * 1)(name), byref(pmid))
        # Derived metrics, and those that libpcp adds to every archive, are not in the files.
        if (pmid.value >> 22) & 511 == 511 and (pmid.value >> 10) & 4095 < 2048:
            continue
        if PCP.pmLookupDesc(pmid, byref(desc)) >= 0:
            known.append(name)
            descs.append(desc)
    types = {d.pmid: d.type for d in descs}
    if status >= 0:
        metadata(label, end, known, descs)
    records(label, types, max_records)
    if status >= 0:
        interpolated(label, end, descs, types, max_metrics)
    sys.stdout.flush()


main()
