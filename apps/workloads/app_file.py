"""Writes application files (kerncast-app/1): what the make-app scripts of the workloads share."""

import json


def zeros(size):
    return size, {"kind": "zeros"}


def unknown(size):
    """Addresses and branches that depend on it are assumed, and predictions say so."""
    return size, {"kind": "unknown"}


def constant(size, value, type="f32"):
    return size, {"kind": "constant", "value": value, "type": type}


def iota(size, type="i32", start=0, step=1):
    return size, {"kind": "iota", "type": type, "start": start, "step": step}


def random(size, seed, type="f32", **bounds):
    """bounds: min and max, else [0, 1) for floats and all values for integers."""
    return size, {"kind": "random", "type": type, "seed": seed, **bounds}


def copy(kind, size):
    return {"op": "memcpy", "kind": kind, "bytes": size, "stream": 0}


def memset(buffer, size, value=0):
    return {"op": "memset", "bytes": size, "buffer": buffer, "value": value}


def sync():
    return {"op": "sync"}


def argument(value):
    """A buffer's name, an i32, an f32 (Python float), or a pair of type and value."""
    if isinstance(value, str):
        return {"buffer": value}
    if isinstance(value, tuple):
        return {value[0]: value[1]}
    return {"f32" if isinstance(value, float) else "i32": value}


def kernel(name, grid, block, registers, args, **more):
    return {"op": "kernel", "kernel": name, "grid": grid, "block": block, "registers": registers,
            "args": [argument(a) for a in args], **more}


def print_app(name, buffers, events):
    """One buffer and one event a line. buffers: name to (bytes, init)."""
    def line(value):
        return json.dumps(value)

    named = ",\n".join(f"  {line(b)}: {line({'bytes': size, 'init': init})}" for b, (size, init) in buffers.items())
    happening = ",\n".join("  " + line(event) for event in events)
    print(f'{{"format": "kerncast-app/1", "name": {line(name)}, "modules": [{line(name + ".ptx")}],\n'
          f' "buffers": {{\n{named}}},\n "events": [\n{happening}]}}')
