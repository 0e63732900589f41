"""Differences between ptxas and our front end that are meant, or known: docs/ptx-differences.md has them."""

import re

# What ptxas 13.0 does not read.
NEWER = (r"_9_[24]_sm|[us]8x4|add\.sat\.(u32|[us]16x2)|volatile\.local|st\.async\S*b128|multimem\.cp|ignore_oob|s2f6x2"
         r"|e[45]m[32]x2\.bf16x2|e[23]m\dx2\.b?f16x2|bf16x2\.e\dm\dx2|4X\S*ue8m0|clmad|ld\.mmio\.acquire|st\.mmio\.release"
         r"|proxy::readonly|valid_addr|noftz\S*f32|async\.bulk\.(weak|relaxed)|multimem\.(st|red)\.async|\.language")

# What ptxas 13.0 assembles and we refuse: (name, pattern of the text, pattern of our message).
REFUSED = (
    ("register with an offset", r"[\w%$.]\+\d", r"expected ',' or ';'"),
    ("vector of one element for a scalar", r"\{[^,}]*\}", r"but is a vector of 1\b"),
    ("unchecked elements of matrix and vector operands",
     r"^(w?mma|ldmatrix|stmatrix|wgmma|ld|ldu|atom|red|st|suld|tcgen05|multimem)\b", r"must be a vector of|is a vector of"),
    ("unchecked operands",
     r"(bf16|f16x2|e\dm\d|ue8m0|cvt\.pack|st\.bulk|movmatrix|mma.*\.sp|async\.bulk\S*\.tensor|^txq\.level|tensormap::generic\.acquire)",
     r"^operand \d+ of"),
    ("constants cut down to 32 bits", r"0x100000000", r"must be"),
    ("vector of sust.p without its length", r"sust\.p", r"but is a vector"),
    ("names that .const and .global share", r"\.const\b.*\.global|\.global\b.*\.const", r"is declared twice"),
    ("operands that ptxas passes over", r"^(atom|red|tcgen05)\b", r"takes .* operands"),
    ("modifiers that ptxas passes over", r"", r"unknown modifier|no combination of modifiers"),
    ("plain address for a 16-bit register", r"mov\.u16", r"is the address of"),
)

# What ptxas refuses and we accept: (name, pattern of the text, pattern of its message).
ACCEPTED = (
    ("what came with PTX 9.1 and later", NEWER, r""),
    ("instructions of newer targets", r"^(red\.async|st\.async)|_sm_\d+a?\.ptx|^(control|data|clusters)",
     r"'\.release' for instruction|\.noComplete modifier required|State space incorrect for instruction '(st|red)\.async"),
    ("32-bit addresses", r"", r"32-Bit"),
    ("offsets of handles", r"^(txq|suq)\b", r"register expected"),
    ("textures' mode", r"", r"texmode_unified"),
    ("labels of debugging data", r"",
     r"function_name attribute|Duplicate definition of label '\$L__info|inlined_at directive must be used"),
    ("versions still to come", r"\.version \d\d", r"Unsupported \.version"),
    ("places of pragmas", r"", r"Pragma"),
    ("special registers as elements of vectors", r"%\w+\.[xyzw]", r"Parsing error near '\.[xyzw]'"),
    ("combinations that depend on values of modifiers", r"",
     r"[Ii]llegal modifier|cannot be (combined|applied)|requires? (scope|order|'|\.v)|[Mm]odifier '?.*'? ?required"
     r"|Rounding modifier|rounding modifier|Unexpected instruction types|Incorrect type|comparison qualifier"
     r"|requires .* type|reduction operation|[Ii]llegal (alayout|matrix shape)|State space (incorrect|mismatch)"
     r"|global state space|coordinates required|Predicate output|Vector (type|qualifier)|Illegal vector size"
     r"|vector size|Vector operand is not allowed|Conflicting use|Array index|Unknown modifier|^\{"),
    ("values of constants", r"", r"unexpected value|out of range|in range|multiple of"),
    ("operands that depend on modifiers", r"", r"Arguments mismatch|Sink '_'|Operand vector size|Vector is not expected|Incompatible elements|elements of different types|C7308|must be register"),
)


def explanation(table, text, message):
    """The name of the class that a difference belongs to, None if it belongs to none."""
    statement = text.split(": ", 1)[-1]
    return next((name for name, of_text, of_message in table
                 if re.search(of_text, statement) and re.search(of_message, message)), None)


def is_newer(text):
    return re.search(NEWER, text) is not None
