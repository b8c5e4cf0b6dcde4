"""Prints what a pmcd says of all metrics below mmv, through libpcp, as one JSON object. Started with a host specification."""
import ctypes
import json
import sys

import cpmapi as c
from pcp import pmapi

TYPES = {c.PM_TYPE_32: "l", c.PM_TYPE_U32: "ul", c.PM_TYPE_64: "ll", c.PM_TYPE_U64: "ull",
         c.PM_TYPE_FLOAT: "f", c.PM_TYPE_DOUBLE: "d", c.PM_TYPE_STRING: "cp"}


def safe(call, *arguments):
    try:
        found = call(*arguments)
    except pmapi.pmErr:
        return None
    except ValueError as error:
        return {"invalid": error.doc}
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else found


def values(context, pmid, kind):
    result = context.pmFetch((ctypes.c_uint * 1)(pmid))
    count = result.contents.get_numval(0)
    if count < 0:
        context.pmFreeResult(result)
        return count
    found = []
    for i in range(count):
        atom = context.pmExtractValue(result.contents.get_valfmt(0), result.contents.get_vlist(0, i), kind, kind)
        value = getattr(atom, TYPES[kind])
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        elif isinstance(value, float):
            value = repr(value)
        found.append([result.contents.get_inst(0, i), str(value)])
    context.pmFreeResult(result)
    return found


def metric(context, name):
    pmid = context.pmLookupName(name)[0]
    desc = context.pmLookupDesc(pmid)
    units = desc.contents.units
    return {
        "pmid": pmid, "type": desc.contents.type, "indom": desc.contents.indom, "semantics": desc.contents.sem,
        "units": [units.dimSpace, units.dimTime, units.dimCount, units.scaleSpace, units.scaleTime, units.scaleCount],
        "oneline": safe(context.pmLookupText, pmid, c.PM_TEXT_ONELINE),
        "help": safe(context.pmLookupText, pmid, c.PM_TEXT_HELP),
        "cluster": safe(context.pmGetClusterLabels, pmid) or {},
        "item": safe(context.pmGetItemLabels, pmid) or {},
        "values": values(context, pmid, desc.contents.type),
    }, desc


def indom(context, desc):
    number = desc.contents.indom
    try:
        numbers, names = context.pmGetInDom(desc)
        instances = [[inst, text.decode() if isinstance(text, bytes) else text]
                     for inst, text in zip(numbers or [], names or [])]
    except (pmapi.pmErr, TypeError):
        instances = None
    return {
        "instances": instances,
        "labels": safe(context.pmGetInDomLabels, number) or {},
        "instanceLabels": safe(context.pmGetInstancesLabels, number) or {},
    }


def main():
    context = pmapi.pmContext(c.PM_CONTEXT_HOST, sys.argv[1])
    names, metrics, indoms = [], {}, {}
    context.pmTraversePMNS("mmv", lambda name: names.append(name.decode() if isinstance(name, bytes) else name))
    for name in names:
        try:
            metrics[name], desc = metric(context, name)
        except pmapi.pmErr as error:
            metrics[name] = {"error": str(error)}
            continue
        number = desc.contents.indom
        if number != c.PM_INDOM_NULL and number not in indoms:
            indoms[number] = indom(context, desc)
    print(json.dumps({"metrics": metrics, "indoms": indoms}))


main()
