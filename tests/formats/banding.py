"""The index keys of docs/internals/banding.md that users store, in the plainest Python: a second implementation.

formats.py compares its vectors with the page.
"""

from signatures import minhash_bytes, minhash_many, mix, shingles, token_hash, unit_shingles
from xxh3 import hash64


def array(keys):
    """The text of a Postgres array."""
    return "{" + ",".join(str(key) for key in keys) + "}"


def signed(word):
    """The low 32 bits, in two's complement."""
    word &= 0xFFFFFFFF
    return word - (word >> 31 << 32)


def simhash_bands(signature, bands):
    keys = [band << -(-64 // bands) for band in range(bands)]
    for bit in range(64):
        keys[bit % bands] |= (signature >> bit & 1) << bit // bands
    return keys


def minhash_bands(signature, bands, rows):
    width = signature[2] // 8
    values = [int.from_bytes(signature[at : at + width], "little") for at in range(16, len(signature), width)]
    runs = [values[band * rows : (band + 1) * rows] for band in range(bands)]
    return [signed(hash64(b"".join(value.to_bytes(4, "little") for value in run), band)) for band, run in enumerate(runs)]


def token_keys(tokens):
    return sorted({4 - min(len(token), 4) << 29 | token_hash(token) & 0x1FFFFFFF for token in tokens})


def overlap_keys(tokens, similarity):
    tokens = sorted(set(tokens))
    count = len(tokens)
    shared = next((shared for shared in range(1, count + 1) if shared / count >= similarity), 1)
    return tokens + [signed(mix(token & 0xFFFFFFFF, 1) | 1 << 31) for token in tokens[: count - shared + 1]]


def fingerprints(tokens, window):
    hashes = [token_hash(token) for token in tokens]
    windows = [hashes[at : at + window] for at in range(max(len(hashes) - window, 0) + 1)]
    return sorted({min(some) & 0x7FFFFFFF for some in windows if some})


def golden_vectors():
    """Yields each golden vector's name and value, in the order of the page."""
    for signature, bands in [(0x0123456789ABCDEF, count) for count in (3, 4, 10, 64)] + [(0xA9030013, 4), (0, 4)]:
        yield f"simhash_bands({signature:016x}, {bands})", array(simhash_bands(signature, bands))

    grams = [token_hash(gram) for gram in shingles("近似重复的新闻，改动几个字。", 3)]
    numbers = [token_hash(str(number)) for number in range(2000)]
    for name, elements, count, width, bands, rows in [
        ("3-grams", grams, 8, 32, 8, 1),
        ("3-grams", grams, 8, 32, 2, 3),
        ("3-grams", grams, 8, 16, 2, 3),
        ("3-grams", grams, 128, 32, 16, 8),
        ("3-grams", grams, 128, 32, 3, 40),
        ("0 to 1999", numbers, 256, 32, 2, 128),
    ]:
        signature = minhash_bytes("many_hash", width, count, 0, minhash_many(elements, count))
        keys = array(minhash_bands(signature, bands, rows))
        yield f"minhash_bands(minhash({name}, {count} values, {width} bits), {bands}, {rows})", keys

    for text, analyzer, tokens in [
        ("", "words", []),
        ("a bb ccc dddd eeeee 新闻 bb", "words", unit_shingles("a bb ccc dddd eeeee 新闻 bb", 1)),
        ("नि 𠮷 字", "chars:1", ["नि", "𠮷", "字"]),
        ("北京大学的学生", "jieba", ["北京大学", "的", "学生"]),
    ]:
        yield f"token_keys({text}; {analyzer})", array(token_keys(tokens))

    for tokens, similarity in [([], 0.8), ([7], 1), ([1, 2, 3, 4, 5], 0.8), ([5, -3, 5, 2**31 - 1, -(2**31)], 0.5)]:
        yield f"overlap_keys({array(tokens)}, {similarity})", array(overlap_keys(tokens, similarity))
    # In binary64, 0.56 * 25 is greater than 14, but 14 / 25 is 0.56.
    yield "overlap_keys(1 to 25, 0.56)", array(overlap_keys(range(1, 26), 0.56))

    text = "近似重复的新闻改动几个字"
    for some, size, window in [("", 3, 4), ("近似", 3, 4), (text, 3, 1), (text, 3, 4), (text, 3, 65536)]:
        tokens = shingles(some, size) or [some] * bool(some)
        yield f"fingerprints({some}; chars:{size}, window {window})", array(fingerprints(tokens, window))
    tokens = shingles("".join(str(number) for number in range(100)), 10)
    yield "fingerprints(0 to 99 in one word; chars:10, window 41)", array(fingerprints(tokens, 41))
