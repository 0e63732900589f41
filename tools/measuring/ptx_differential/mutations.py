"""Small damage to PTX text: each function returns the damaged text, or None where it finds nothing to damage."""

import re

WORDS = ("rn rz ftz sat u32 s32 f32 f64 b32 b64 u64 s64 u16 b16 b8 f16x2 bf16 v2 v4 global shared local const "
         "param relu satfinite volatile sync aligned cta gpu sys relaxed acquire release wide hi lo uni to cc "
         "approx nc x2 trans L2::cache_hint noftz row col").split()
IMMEDIATES = ("0", "1", "-1", "129", "70000", "0x100000000", "1.0", "0f3F800000", "%tid.x", "_", "WARP_SZ")


def split_statement(text):
    """Guard, opcode and operands of a statement."""
    m = re.match(r"(\s*(?:@!?[\w%$]+\s+)?)([a-z]\w*(?:\.[\w:]+)*)(.*)", text, re.S)
    return m.groups() if m else None


def with_modifiers(text, change):
    parts = split_statement(text)
    if parts is None:
        return None
    words = parts[1].split(".")
    if change(words) is False:
        return None
    return parts[0] + ".".join(words) + parts[2]


def drop_modifier(text, random):
    def change(words):
        if len(words) < 2:
            return False
        del words[random.randrange(1, len(words))]
        return True
    return with_modifiers(text, change)


def duplicate_modifier(text, random):
    def change(words):
        if len(words) < 2:
            return False
        words.insert(random.randrange(1, len(words)), random.choice(words[1:]))
        return True
    return with_modifiers(text, change)


def insert_modifier(text, random):
    return with_modifiers(text, lambda words: words.insert(random.randrange(1, len(words) + 1),
                                                           random.choice(WORDS)))


def replace_modifier(text, random):
    def change(words):
        if len(words) < 2:
            return False
        words[random.randrange(1, len(words))] = random.choice(WORDS)
        return True
    return with_modifiers(text, change)


def swap_modifiers(text, random):
    def change(words):
        if len(words) < 3:
            return False
        i, j = random.sample(range(1, len(words)), 2)
        words[i], words[j] = words[j], words[i]
        return True
    return with_modifiers(text, change)


def operands_of(text):
    """(begin, end) of each register, symbol or constant among a statement's operands."""
    parts = split_statement(text)
    if parts is None:
        return []
    shift = len(parts[0]) + len(parts[1])
    return [(shift + m.start(), shift + m.end()) for m in re.finditer(r"%?[\w$][\w$.]*", parts[2])]


def replaced(text, place, by):
    return text[:place[0]] + by + text[place[1]:]


def other_register(text, random, registers):
    places = operands_of(text)
    return replaced(text, random.choice(places), random.choice(registers)) if places and registers else None


def other_kind(text, random, registers):
    places = operands_of(text)
    if not places:
        return None
    place = random.choice(places)
    old = text[place[0]:place[1]]
    by = random.choice([*IMMEDIATES, f"[{old}]", f"{{{old}}}", f"{{{old}, {old}}}", f"!{old}", f"-{old}",
                        f"{old}|{old}", f"{old}.x", f"{old}+4", *registers[:1]])
    return replaced(text, place, by)


def drop_operand(text, random):
    places = operands_of(text)
    if len(places) < 2:
        return None
    begin, end = random.choice(places[1:])
    comma = text.rfind(",", 0, begin)
    if comma < 0 or text[comma + 1:begin].strip() not in ("", "[", "{"):
        return None
    return text[:comma] + text[comma + 1:begin].strip() + text[end:]


def repeat_operand(text, random):
    places = operands_of(text)
    if not places:
        return None
    begin, end = random.choice(places)
    return f"{text[:end]}, {text[begin:end]}{text[end:]}"


STATEMENT = (drop_modifier, duplicate_modifier, insert_modifier, replace_modifier, swap_modifiers, drop_operand,
             repeat_operand)
OPERAND = (other_register, other_kind)


def damaged_statement(text, random, registers):
    """(name of the mutation, text); the text of registers to put in is given."""
    for _ in range(20):
        # Registers of other types are the commonest mistake, so they get half of the draws.
        mutation = random.choice(STATEMENT) if random.random() < 0.5 else random.choice(OPERAND)
        out = mutation(text, random, registers) if mutation in OPERAND else mutation(text, random)
        if out not in (None, text):
            return mutation.__name__, out
    return None


def lines_with(lines, pattern):
    return [i for i, line in enumerate(lines) if re.search(pattern, line)]


def on_line(pattern, change):
    """A mutation of a whole file: change(lines, i, random) at a random line that the pattern fits."""
    def mutation(lines, random):
        places = lines_with(lines, pattern)
        return bool(places) and change(lines, random.choice(places), random) is not False
    return mutation


def substituting(pattern, by):
    def change(lines, i, random):
        matches = list(re.finditer(pattern, lines[i]))
        if not matches:
            return False
        m = random.choice(matches)
        new = by(m, random) if callable(by) else by
        lines[i] = lines[i][:m.start()] + new + lines[i][m.end():]
        return True
    return on_line(pattern, change)


def duplicate_line(lines, i, _):
    lines.insert(i, lines[i])


def delete_line(lines, i, _):
    del lines[i]


LABEL = r"^\s*[\w$%]+:\s*$"
DECLARATION = r"^\s*\.(reg|shared|local|global|const|param)\b.*;"
SPACES = ("global", "shared", "local", "const", "param")
TYPE_WORDS = ("u8", "u16", "u32", "u64", "b8", "b16", "b32", "b64", "f32", "f64", "pred")
FILE = {
    "delete_declaration": on_line(DECLARATION, delete_line),
    "duplicate_declaration": on_line(DECLARATION, duplicate_line),
    "declaration_of_another_type": substituting(r"(?<=\.reg )\s*\.\w+", lambda m, r: "." + r.choice(TYPE_WORDS)),
    "fewer_registers": substituting(r"<\d+>", lambda m, r: f"<{int(m.group(0)[1:-1]) // 2}>"),
    "overlapping_registers": on_line(r"\.reg .*<\d+>;", lambda lines, i, r: lines.insert(
        i + 1, re.sub(r"<\d+>", str(r.choice([0, 1, 3])), lines[i]))),
    "delete_label": on_line(LABEL, delete_line),
    "duplicate_label": on_line(LABEL, duplicate_line),
    "misspelt_label": substituting(r"(?<=bra)(\.uni)?\s+[\w$%]+", lambda m, r: m.group(0) + "x"),
    "misspelt_parameter": substituting(r"\[\w+_param_\d+", lambda m, r: m.group(0) + "9"),
    "other_state_space": substituting(r"\.(global|shared|local|const|param)(?=\.)",
                                      lambda m, r: "." + r.choice(SPACES)),
    "alignment": substituting(r"(?<=\.align )\s*\d+", lambda m, r: r.choice(["3", "0", "1", "256", "-4"])),
    "no_semicolon": substituting(r";\s*$", ""),
    "no_brace": substituting(r"[{}]", ""),
    "no_parenthesis": substituting(r"[()]", ""),
    "no_comma": substituting(r",", ""),
    "array_length": substituting(r"\[\d+\]", lambda m, r: r.choice(["[0]", "[1]", "[]", "[-1]", "[2][2]"])),
    "initial_value": substituting(r"(?<== \{)\d+", lambda m, r: r.choice(["300, 300", "{1}", "1.5", "nobody"])),
    "call_arguments": substituting(r"(?<=\()(param\d+|retval\d+)", lambda m, r: r.choice(
        ["", "param0, param0", "retval0", "1", "%r1", "nobody"])),
    "delete_statement": on_line(r"^\s*[a-z@%].*;", delete_line),
    "doubled_character": substituting(r"[\w.%;,]", lambda m, r: m.group(0) * 2),
}


def registers_in(text):
    """A few registers of every declared range."""
    out = []
    for stem, count in re.findall(r"([%\w$]+)<(\d+)>", text):
        out += [f"{stem}{n}" for n in {1, int(count) - 1} if 0 < n < int(count)]
    return sorted(set(out))


def damaged_file(text, random):
    """(name of the mutation, text) with one thing wrong."""
    for _ in range(20):
        lines = text.split("\n")
        if random.random() < 0.5:
            places = [i for i, line in enumerate(lines)
                      if re.match(r"\s*(@!?[\w%]+\s+)?[a-z][\w.:]*\s.*;\s*$", line)]
            if not places:
                continue
            i = random.choice(places)
            found = damaged_statement(lines[i], random, registers_in(text))
            if found is None:
                continue
            name, lines[i] = found
        else:
            name = random.choice(list(FILE))
            if not FILE[name](lines, random):
                continue
        out = "\n".join(lines)
        if out != text:
            return name, out
    return None
