"""Modules of one or two declarations or directives: what stands outside instructions."""

ENTRY = """.maxnctapersm 2|.minnctapersm 2|.maxntid 32 .minnctapersm 2|.reqntid 32 .minnctapersm 2|.reqntid 32 .maxntid 32
.maxntid 32 .maxntid 64|.maxnreg 32 .maxnreg 32|.maxnreg 32 .minnctapersm 2|.noreturn|.unified|.reqnctapercluster 2
.reqnctapercluster 2 .maxclusterrank 4|.explicitcluster|.reqnctapercluster 2 .explicitcluster|.maxclusterrank 8
.maxclusterrank 8 .explicitcluster|.blocksareclusters|.reqntid 32 .reqnctapercluster 2 .blocksareclusters
.reqntid 32 .blocksareclusters|.abi_preserve 5|.maxntid 0|.maxntid 1025|.maxntid 32,0|.maxntid 1,1,1,1|.maxnreg 0
.maxntid 32 .minnctapersm 0|.reqnctapercluster 0|.reqntid 0|.maxntid 32,,2|.pragma "nounroll";|.pragma "xyz";"""

FUNCTION = ".noreturn|.unified|.maxntid 32|.abi_preserve 5|.abi_preserve_control 5|.noreturn .noreturn|" \
           ".abi_preserve 5 .abi_preserve_control 5|.abi_preserve 5 .abi_preserve 5|.maxnreg 32"

LINKAGE = ("", ".visible ", ".extern ", ".weak ", ".common ")

ATTRIBUTES = (".managed", ".unified(1,2)", ".managed, .unified(1,2)", ".unified(1)", ".xx", "")

VARIABLES = """.global .u32 x[];|.extern .global .u32 x[];|.shared .u32 x[];|.extern .shared .u32 x;|.const .u32 x[];
.common .const .u32 x;|.common .global .u32 x = 3;|.weak .const .u32 x = 3;|.visible .shared .u32 x;|.weak .shared .u32 x;
.common .shared .u32 x;|.extern .global .u32 x = 3;|.shared .u32 x = 3;|.local .u32 x;|.reg .u32 x;|.param .u32 x;
.global .align 3 .u32 x;|.global .align 16 .u32 x;|.global .v4 .f64 x;|.global .v3 .f32 x;|.global .pred x;
.global .u32 x[2][3] = {{1, 2, 3}, {4, 5}};|.global .u32 x[2] = {1, 2, 3};|.global .u32 x = {1};|.global .f32 x = 1;
.global .u32 x = 1.0;|.global .u8 x = 300;|.global .u64 x = y;|.global .u32 y; .global .u64 x = y;
.global .u32 y; .global .u64 x = generic(y)+4;|.global .u32 y; .global .u32 x = 0xFF(y);|.global .texref t;
.global .surfref s;|.global .samplerref s;|.global .texref t[4];|.global .u32 x, y, z[3];|.global .u32 x y;"""

PAIRS_OF_VARIABLES = """.extern .global .u32 x;|.extern .global .s32 x;|.extern .global .u32 x[4];|.extern .global .u32 x[];
.visible .global .u32 x;|.global .u32 x;|.weak .global .u32 x;|.extern .shared .align 16 .b8 x[];|.extern .const .u32 x;"""

ALIASES = """.visible .func f() { ret; } .visible .func g(); .alias g, f;|.visible .func f() { ret; } .alias g, f;
.weak .func f() { ret; } .visible .func g(); .alias g, f;|.visible .func f() { ret; } .visible .func g() { ret; } .alias g, f;
.visible .func f() { ret; } .visible .func g(.param .b32 x); .alias g, f;|.visible .entry f() { ret; } .visible .func g(); .alias g, f;
.global .u32 f; .visible .func g(); .alias g, f;"""

PARAMETERS = (".param .b32 r", ".reg .b32 r", ".reg .u32 r", ".param .align 8 .b8 r[8]", ".param .align 4 .b8 r[8]", "")

CALLS = """call (x), f, (y), p;|call (x, x), f, (y), p;|call f, (y), p;|call (x), f, p;|call (x), f, (y, y), p;|call (a), f, (a), p;
call (x), f, (1), p;|call (x), g, (y), p;|call (x), f, (y);|call (x), g, (y);|call (x), g, (y, y);|call g, (y);|call (y), g, (x);
call (x), g, (w);|call g;|call (x), k, (y);|call (x), none, (y);|call (x), f, (y), none;|call (x), f, (y), l;"""
CALLER = (".func (.param .b32 r) g(.param .b32 a) { ret; }\n.entry k() { .reg .b64 f; .reg .b32 a;\n"
          "p: .callprototype (.param .b32 _) _ (.param .b32 _);\nl: .calltargets g;\n"
          ".param .b32 x; .param .b32 y; .param .b64 w; mov.u64 f, g; ")

VERSIONS = "1.6 2.4 3.3 4.4 5.2 6.5 6.6 7.8 7.9 8.8 8.9 9.0"
OPTIONS = ("", ", debug", ", texmode_unified", ", texmode_independent", ", texmode_unified, texmode_independent",
           ", sm_75", ", foo", ",")


def listed(text):
    return [item for line in text.split("\n") for item in line.split("|")]


def functions():
    for linkage in LINKAGE:
        yield from (f"{linkage}.func f() {d} {{ ret; }}" for d in listed(FUNCTION))
        for later in LINKAGE:
            yield f"{linkage}.func f(); {later}.func f() {{ ret; }}"
            yield f"{linkage}.func f() {{ ret; }} {later}.func f();"
    for a in PARAMETERS:
        yield from (f".func f({a}); .func f({b}) {{ ret; }}" for b in PARAMETERS)
    yield from (f".func (.reg .b32 r) f() {d} {{ ret; }}" for d in listed(FUNCTION))
    yield ".func f() .noreturn; .func f() { ret; }"
    yield ".func f(); .func f() .noreturn { exit; }"


def texts():
    """Modules without their header."""
    yield from (f".visible .entry k() {d} {{ ret; }}" for d in listed(ENTRY))
    yield from functions()
    yield from listed(VARIABLES) + listed(ALIASES)
    yield from (f"{a} {b}" for a in listed(PAIRS_OF_VARIABLES) for b in listed(PAIRS_OF_VARIABLES))
    yield from (f".{space} .attribute({a}) .u32 x;" for space in ("global", "const") for a in ATTRIBUTES)
    yield from (f".func .attribute({a}) f() {{ ret; }}" for a in ATTRIBUTES)
    yield from (f"{CALLER}{call} ret; }}" for call in listed(CALLS))


def modules(target):
    """(what is shown, text) of each module."""
    for text in texts():
        yield text.replace("\n", " "), f".version 9.0\n.target {target}\n.address_size 64\n{text}\n"
    for version in VERSIONS.split():
        yield f".version {version}", f".version {version}\n.target {target}\n.address_size 64\n.entry k() {{ ret; }}\n"
    for options in OPTIONS:
        yield (f".target {target}{options}",
               f".version 9.0\n.target {target}{options}\n.address_size 64\n.entry k() {{ ret; }}\n")
