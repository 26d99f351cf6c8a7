"""What docs/internals/formats.md says of index pages, keys, names, answers, profiles and triggers, in the plainest Python: a second implementation.

formats.py compares its vectors with the page.
"""

import json
import math

from signatures import WORD, token_hash
from xxh3 import hash64, hash128

# Index pages.
SIZE = 8192
HEADER = 24
SPECIAL = SIZE - 48
LEAST = (0, 0)
GREATEST = (WORD, WORD)
NONE = 0xFFFFFFFF


def little(value, length):
    return value.to_bytes(length, "little")


def page(items=b"", lower=None, special=b""):
    lower = HEADER + len(items) if lower is None else lower
    head = bytes(12) + little(lower, 2) + little(SPECIAL, 2) * 2 + little(SIZE | 4, 2) + bytes(4)
    body = (head + items).ljust(SPECIAL, b"\0")
    return body + (special.ljust(46, b"\0") + little(0x4ED5, 2))


def metapage(kind):
    return page(little(0x6E647570, 4) + little(2, 4) + bytes([kind]) + bytes(7))


def address(block, line):
    return block << 16 | line


def entry(position):
    """The key, then the line pointer and the block in three halves, the lower one first."""
    key, row = position
    return little(key, 8) + little(row & 0xFFFF, 2) + little(row >> 16 & 0xFFFF, 2) + little(row >> 32, 2)


def special(low, high, right, level, sorted_entries, tree, state):
    bounds = b"".join(little(number, 8) for number in low + high)
    return bounds + little(right, 4) + little(level, 2) + little(sorted_entries, 2) + bytes([tree, state])


def leaf(entries, low=LEAST, high=GREATEST, right=NONE, tree=0):
    items = b"".join(map(entry, sorted(entries)))
    return page(items, special=special(low, high, right, 0, len(entries), tree, 1))


def appended(leaf_page, count, position):
    """A leaf of `count` entries with one more: pd_lower moves to the next multiple of 16 entries."""
    at = HEADER + 14 * count
    places = min((count + 1 + 15) // 16 * 16, (SPECIAL - HEADER) // 14)
    changed = bytearray(leaf_page)
    changed[at : at + 14] = entry(position)
    changed[12:14] = little(max(HEADER + 14 * places, int.from_bytes(leaf_page[12:14], "little")), 2)
    return bytes(changed)


def inner(downlinks, low, high, right, level, tree):
    items = b"".join(entry(position) + little(child, 4) for position, child in sorted(downlinks))
    return page(items, special=special(low, high, right, level, len(downlinks), tree, 1))


def shown(data):
    """The words of eight bytes that are not zero, each after its offset."""
    words = ((at, data[at : at + 8]) for at in range(0, SIZE, 8))
    return " ".join(f"{at}:{word.hex()}" for at, word in words if any(word))


def bands(signature):
    """Four bands of 16 bits, the lowest first."""
    return [sum((signature >> 4 * place + i & 1) << place for place in range(16)) for i in range(4)]


def tree_keys(signature):
    """The key in each of four trees: its own band first, then the others in turn."""
    if signature is None:
        return [(4, 0)]
    of = bands(signature)
    return [(tree, sum(of[(tree + i) % 4] << 48 - 16 * i for i in range(4))) for tree in range(4)]


# Keys and names.
def key_text(values):
    quoted = lambda value: '"' + value.replace('"', '""') + '"' if "," in value or '"' in value else value
    return values[0] if len(values) == 1 else ", ".join(map(quoted, values))


def beside(table, ending):
    """The name of the table of removed rows or of answers beside a table."""
    name = table.encode()
    return (table if len(name) <= 63 - len(ending) else "neardup_" + hash128(name).to_bytes(16, "big").hex()[:12]) + ending


# Answers.
# What a reader of these tables finds there, by type.
REMOVED = "run bigint batch integer at timestamptz by text key text duplicate_of text verdict text measure text value float8"
ANSWERS = (
    "key text other text is_copy boolean note text act text role name at timestamptz document name hash bigint other_hash bigint "
    "asked timestamptz stratum text pairs float8 score float8 numbers float8[]"
)


def columns(prefix, pairs):
    names = pairs.split()
    return ", ".join(f"{prefix}{name} {kind}" for name, kind in zip(names[::2], names[1::2]))


def row_hash(document, *beside):
    """What is compared of a row: its document, title, and columns that must not differ or mostly agree. Blank ones keep their places."""
    value = hash64(document.encode())
    for place, text in enumerate(beside, 1):
        text = text.strip()
        if text:
            rotated = (value << 5 | value >> 59) & WORD
            value = ((rotated ^ hash64(text.encode())) + place) * 0x9E3779B97F4A7C15 & WORD
    return value - (value >> 63 << 64)


# Profiles.
def statistics(documents, words):
    """Each word: its hash, documents, entropy in nats, and the values of its cells by their numbers."""
    words = sorted(words)
    data = little(1, 4) + little(len(words), 4) + little(documents, 8)
    data += b"".join(little(word[0], 8) for word in words)
    data += b"".join(little(word[1], 4) for word in words)
    data += b"".join(little(round(word[2] * 65536), 4) for word in words)
    data += b"".join(little(sum(1 << cell for cell in word[3]), 8) for word in words)
    return data + b"".join(little(word[3][cell], 2) for word in words for cell in sorted(word[3]))


def parse(data):
    number = lambda at, length: int.from_bytes(data[at : at + length], "little")
    count, documents = number(4, 4), number(8, 8)
    words, at = {}, 16 + 24 * count
    for i in range(count):
        cells, values = number(16 + 16 * count + 8 * i, 8), {}
        for cell in (cell for cell in range(64) if cells >> cell & 1):
            values[cell], at = number(at, 2), at + 2
        words[number(16 + 8 * i, 8)] = number(16 + 8 * count + 4 * i, 4), number(16 + 12 * count + 4 * i, 4) / 65536, values
    assert at == len(data)
    return documents, words


def co_occurrence(a, b):
    equal = sum(1 for cell in a if b.get(cell) == a[cell])
    return equal / max(len(a.keys() | b.keys()), 1)


# The argument of a guard's trigger.
NAMES = ["document", "scope", "time", "title", "differ", "agree", "mark", "related"]
ARGUMENT = {
    "method": "sketch", "analyzer": "shingles:5", "keys": 10, "on_duplicate": "mark", "verify": "facts", "threshold": 0.5, "columns": 1,
    "expression": ["public", "whole"], "scope": 2, "time": True, "title": True, "differ": 1, "excerpts": "keep", "window": 172800000000,
    "marks": True, "on_related": "mark", "relates": True, "divert": ["public", "copies"], "counter": ["public", "count"], "log": True,
    "since": 1924992000,
}


def roles(argument):
    """The places in the trigger's list of columns that each role has; one column belongs to the document in any case."""
    get = argument.get
    counts = [1 + get("columns", 0), *(get(name, 0) for name in NAMES[1:-2]), get("marks", 0), 2 * get("relates", 0)]
    first = lambda role: sum(map(int, counts[:role]))
    parts = [[name, *map(str, range(first(role), first(role + 1)))] for role, name in enumerate(NAMES)]
    return ", ".join(" ".join(part) for part in parts if part[1:])


def golden_vectors():
    """Yields each golden vector's name and value, in the order of the page."""
    yield "metapage of sketches", shown(metapage(1))
    yield "metapage of SimHashes", shown(metapage(2))
    two = leaf([(1, address(0, 1)), (1 << 63, address(70000, 5))])
    yield "leaf of two entries", shown(two)
    yield "the same with a third one appended", shown(appended(two, 2, (3, address(2, 7))))
    downlinks = [((5, 0), 11), ((0x0123456789ABCDEF, address(1, 2)), 12)]
    yield "inner page of two downlinks", shown(inner(downlinks, (5, 0), (0xFFFF << 48, address(9, 9)), 8, 1, 2))
    yield "deleted page", shown(page(special=bytes(41) + bytes([2])))
    keys = lambda signature: " ".join(f"{tree}:{key:016x}" for tree, key in tree_keys(signature))
    yield "keys of SimHash 0123456789abcdef", keys(0x0123456789ABCDEF)
    yield "keys of no SimHash", keys(None)

    yield "key of one value", key_text(['a, "b"'])
    yield "key of two values", key_text(["7", "2031-05-04"])
    yield "key of two values with a comma and quotation marks", key_text(["a, b", 'c "d"'])
    for table in ["posts", "a" * 55, "a" * 56, "表" * 20]:
        short = table if len(table) < 20 else f"{table[0]} * {len(table)}"
        yield f"tables beside {short}", beside(table, "_removed") + " " + beside(table, "_answers")

    yield "columns of removed rows in 1.0", columns("neardup_", REMOVED)
    yield "columns of answers in 1.0", columns("", ANSWERS)

    yield "hash of a document", str(row_hash("近似重复的新闻"))
    yield "hash of a document with a title", str(row_hash("近似重复的新闻", " Title "))
    yield "hash of a document with two columns and no title", str(row_hash("近似重复的新闻", "", "Tampa", "7"))

    a, b = token_hash("近似"), token_hash("新闻")
    trained = statistics(1000, [(a, 12, 1.5, {0: 7, 3: 9, 63: 65535}), (b, 160, 0.25, {0: 7, 3: 8})])
    documents, words = parse(trained)
    yield "profile of two words", trained.hex()
    yield "rarity of 近似, 新闻 and another", " ".join(f"{math.log(documents / words[word][0] if word in words else documents):.12f}" for word in [a, b, 0])
    yield "co-occurrence and entropies", f"{co_occurrence(words[a][2], words[b][2]):.6f} {words[a][1]:g} {words[b][1]:g}"

    yield "argument of a guard with everything", json.dumps(ARGUMENT, separators=(",", ":"))
    yield "its columns", roles(ARGUMENT)
    least = {"analyzer": "chars:3", "keys": 10, "on_duplicate": "reject"}
    yield "argument of a guard with nothing more", json.dumps(least, separators=(",", ":"))
    yield "its one column", roles(least)
    agreeing = {"analyzer": "shingles:5", "keys": 10, "on_duplicate": "mark", "title": True, "differ": 1, "agree": 2, "marks": True}
    yield "argument of a guard with columns in which copies agree", json.dumps(agreeing, separators=(",", ":"))
    yield "all of its columns", roles(agreeing)
