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


def piece(at, init, **copies):
    """A buffer's contents at a place; copies: copies, every and advance, for tables of structures."""
    return {"at": at, "bytes": init[0], "init": init[1], **copies}


def pieces(size, parts):
    """Zeros where no piece says otherwise."""
    return size, {"kind": "pieces", "pieces": list(parts)}


def copy(kind, size, stream=0):
    return {"op": "memcpy", "kind": kind, "bytes": size, "stream": stream}


def memset(buffer, size, value=0):
    return {"op": "memset", "bytes": size, "buffer": buffer, "value": value}


def sync():
    return {"op": "sync"}


def argument(value):
    """A buffer's name, an i32, an f32 (Python float), a pair of type and value, or as the file says it."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return {"buffer": value}
    if isinstance(value, tuple):
        return {value[0]: value[1]}
    return {"f32" if isinstance(value, float) else "i32": value}


def kernel(name, grid, block, registers, args, **more):
    return {"op": "kernel", "kernel": name, "grid": grid, "block": block, "registers": registers,
            "args": [argument(a) for a in args], **more}


def print_app(name, buffers, events, variables=None, textures=None):
    """One buffer, variable, texture and event a line. buffers and variables: name to (bytes, init)."""
    def line(value):
        return json.dumps(value)

    def block(key, members):
        lines = ",\n".join(f"  {line(n)}: {line(value)}" for n, value in members.items())
        return f' "{key}": {{\n{lines}}},'

    def contents(members):
        return {n: {"bytes": size, "init": init} for n, (size, init) in members.items()}

    happening = ",\n".join("  " + line(event) for event in events)
    print(f'{{"format": "kerncast-app/1", "name": {line(name)}, "modules": [{line(name + ".ptx")}],')
    print(block("buffers", contents(buffers)))
    if variables:
        print(block("variables", contents(variables)))
    if textures:
        print(block("textures", textures))
    print(f' "events": [\n{happening}]}}')
