#!/usr/bin/python3
"""Asks the installed libpcp: one JSON request a line on stdin, one JSON answer a line on stdout.

Requests are lists [function, arguments…]; times are [sec, nsec]; integers of 64 bits travel as decimal strings.
Answers are values, or {"error": code, "message": text}. Each request runs in a child process, because some input makes
libpcp abort; those answers are {"crash": true}.
"""
import json
import os
import sys
import time
from ctypes import CDLL, POINTER, Structure, Union, byref, c_char_p, c_double, c_float, c_int, c_int32
from ctypes import c_int64, c_long, c_uint32, c_uint64, c_void_p, string_at

LIB = CDLL("libpcp.so.3")
LIB.pmUnitsStr.restype = c_char_p


class Timespec(Structure):
    _fields_ = [("sec", c_long), ("nsec", c_long)]


class Atom(Union):
    _fields_ = [
        ("l", c_int32),
        ("ul", c_uint32),
        ("ll", c_int64),
        ("ull", c_uint64),
        ("f", c_float),
        ("d", c_double),
        ("cp", c_void_p),
    ]


FIELDS = ["l", "ul", "ll", "ull", "f", "d"]


def text(value):
    return None if value is None else value.encode("utf-8")


def failure(code, message):
    return {"error": code, "message": string_at(message.value).decode() if message.value else None}


def number(kind, value):
    return str(value) if kind in (2, 3) else repr(value) if kind in (4, 5) else value


def given(kind, value):
    return float(value) if kind in (4, 5) else int(value)


def interval(spec):
    out, message = Timespec(), c_void_p()
    status = LIB.pmParseHighResInterval(text(spec), byref(out), byref(message))
    return failure(status, message) if status < 0 else [out.sec, out.nsec]


def window(start, finish, align, origin, begin, end):
    begin, end = Timespec(*begin), Timespec(*end)
    results, message = [Timespec() for _ in range(3)], c_void_p()
    status = LIB.pmParseHighResTimeWindow(
        text(start), text(finish), text(align), text(origin), byref(begin), byref(end),
        byref(results[0]), byref(results[1]), byref(results[2]), byref(message),
    )
    if status < 0:
        return failure(status, message)
    return {"aligned": status == 1, "times": [[t.sec, t.nsec] for t in results]}


def parse_units(spec):
    units, multiplier, message = c_uint32(), c_double(), c_void_p()
    status = LIB.pmParseUnitsStr(text(spec), byref(units), byref(multiplier), byref(message))
    return failure(status, message) if status < 0 else [units.value, repr(multiplier.value)]


def format_units(word):
    return LIB.pmUnitsStr(byref(c_uint32(word))).decode()


def scale(kind, value, source, target):
    before, after = Atom(), Atom()
    setattr(before, FIELDS[kind], given(kind, value))
    status = LIB.pmConvScale(kind, byref(before), byref(c_uint32(source)), byref(after), byref(c_uint32(target)))
    return {"error": status} if status < 0 else number(kind, getattr(after, FIELDS[kind]))


def error_text(code):
    LIB.pmErrStr.restype = c_char_p
    return LIB.pmErrStr(code).decode()


FUNCTIONS = {
    "interval": interval,
    "window": window,
    "parseUnits": parse_units,
    "formatUnits": format_units,
    "scale": scale,
    "errorText": error_text,
}


def in_child(requests):
    """The answers to as many requests as one child survives, and one crash after them."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(writer, "w") as out:
            for function, *arguments in requests:
                out.write(json.dumps(FUNCTIONS[function](*arguments)) + "\n")
                out.flush()
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        lines = answers.read().splitlines()
    os.waitpid(child, 0)
    return lines if len(lines) == len(requests) else lines + ['{"crash": true}']


def main():
    os.environ["TZ"] = "UTC"
    time.tzset()
    requests = [json.loads(line) for line in sys.stdin]
    done = 0
    while done < len(requests):
        lines = in_child(requests[done:])
        print("\n".join(lines))
        done += len(lines)


main()
