"""The signatures of docs/internals/signatures.md, in the plainest Python: a second implementation, to check the first against.

Slow on purpose: every function says what the specification says, and nothing else. formats.py compares its vectors with the page.
"""

import math
import re
import unicodedata

from xxh3 import hash64, hash128

WORD = (1 << 64) - 1


def token_hash(token):
    return hash64(token.encode())


def mix(value, stream):
    x = (value + stream * 0x9E3779B97F4A7C15) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def shingles(units, size):
    return ["".join(units[i : i + size]) for i in range(len(units) - size + 1)]


def han(unit):
    return len(unit) == 1 and "\u4e00" <= unit <= "\u9fff"


def half(unit):
    return "\u3040" <= unit[0] <= "\u309f" or "\u0e00" <= unit[0] <= "\u0eff"


def unit_shingles(text, size):
    """The shingles of shingles:N, for simplified Chinese, kana, Thai letters without marks, and Latin letters: Unicode's words are what
    this finds there."""
    text = re.sub("(?<![0-9.])[0-9]{1,3}(,[0-9]{3})+(?![0-9])", lambda number: number[0].replace(",", ""), text.casefold())
    text = spelling(re.sub("(?<=[0-9]) %", "%", text))
    word = r"(?:[0-9a-z\u00df-\u024f]|(?<=[0-9])\.(?=[0-9]))+(?:(?<=[0-9])%)?"
    units = re.findall(r"[\u4e00-\u9fff\u3041-\u309f\u0e01-\u0e30]|[\u30a1-\u30fc]+|" + word, text)
    count = lambda run: sum(1 if half(unit) else 2 for unit in run)
    ends = lambda start: (end for end in range(start + 1, len(units) + 1) if count(units[start:end]) >= 2 * size)
    runs = [units[start:end] for start in range(len(units)) for end in [next(ends(start), 0)] if end]
    tight = lambda unit: han(unit) or half(unit)
    spaced = lambda run: [("" if tight(a) or tight(b) else " ") + b for a, b in zip(run, run[1:])]
    return ["".join(run[:1] + spaced(run)) for run in runs or [units] * bool(units)]


# Letters of the step spelling that become others; those that go; Greek accents and digits are in Unicode's data.
SPELLINGS = dict(
    zip("äæöøœüåßıșțςёآأإٱىیکةۀہۂۃ\u0929\u0931\u0934ँৎൺൻർൽൾൿ",
        "ae ae oe oe oe ue aa ss i ş ţ σ е ا ا ا ا ي ي ك ه ه ه ه ه न र ळ ं ত্ ണ് ന് ര് ല് ള് ക്".split())
)
GONE = "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"
GONE += "\u06e7\u06e8\u06ea-\u06ed\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u093c"


def spelling(text):
    """The step spelling, for words in which it leaves something."""
    text = re.sub(f"[{GONE}]", "", unicodedata.normalize("NFC", text))
    text = "".join(SPELLINGS.get(c, c) for c in text)
    greek = lambda c: "\u0370" <= c <= "\u03ff" or "\u1f00" <= c <= "\u1fff"
    text = "".join(unicodedata.normalize("NFD", c)[0] if greek(c) else c for c in text)
    text = "".join(str(unicodedata.decimal(c)) if "\u0660" <= c < "\u2000" and c.isdecimal() else c for c in text)
    vowel, tone = (lambda c: unicodedata.normalize("NFD", c)[0]), (lambda c: unicodedata.normalize("NFD", c)[1])
    moved = lambda pair: vowel(pair[0][0]) + unicodedata.normalize("NFC", pair[0][1] + tone(pair[0][0]))
    text = re.sub("[òóỏõọ][ae]|[ùúủũụ]y", moved, text)
    text = re.sub("(?<=[\u0900-\u097f])[ङञणनम]\u094d", "\u0902", text)
    text = re.sub("(?<=[\u0400-\u052f])[\u0300\u0301]+", "", text)
    return text.replace("i\u0307", "i").replace("เเ", "แ")


def fixed_point(weight):
    return round(weight * 2**32)


def simhash_totals(weighted):
    return [sum(weight if hash >> bit & 1 else -weight for hash, weight in weighted) for bit in range(64)]


def signs(totals, bits=64):
    return sum(1 << bit for bit, total in enumerate(totals[:bits]) if total > 0)


# tfidf and textrank need a table and a page of their own.
WEIGHTINGS = ["none", "count", "log_count", "tf"]


def weigh(words, weighting):
    counts = {word: words.count(word) for word in words}
    rule = {
        "none": lambda count: 1,
        "count": lambda count: count,
        "log_count": lambda count: 1 + math.log(count),
        "tf": lambda count: count / len(words),
    }[weighting]
    return {word: rule(count) for word, count in counts.items()}


def as_integer(weight, weighting):
    return weight if weighting in ("none", "count") else fixed_point(weight)


def tokenset_text(weights, weighting, label="tokens"):
    description = label if weighting == "none" else f"{label} {weighting}"
    fingerprint = hash64(description.encode())
    entries = sorted((token_hash(word), weight) for word, weight in weights.items())
    tokens = [f"{hash:016x}" + ("" if weighting == "none" else f"={weight:g}") for hash, weight in entries]
    return f"1:{fingerprint:016x}:{{{','.join(tokens)}}}"


def minhash_many(elements, count, seed=0):
    elements = [mix(element, seed) if seed else element for element in elements]
    winners = [None] * count
    for round_number in range(2 * count):
        if None not in winners:
            break
        found = {}
        for element in elements:
            x = mix(element, round_number) if round_number else element
            bin_number = x * count >> 64 if round_number < count else round_number - count
            if x != WORD:
                found[bin_number] = min(x, found.get(bin_number, WORD))
        for bin_number, x in found.items():
            if winners[bin_number] is None:
                winners[bin_number] = x
    return [WORD if x is None else x for x in winners]


def minhash_bottom(elements, count):
    return sorted({element >> 32 for element in elements})[:count]


def sketch(elements, count, fingerprint):
    smallest = set(sorted(set(elements))[:count])
    return minhash_bytes("bottom_k", 64, count, fingerprint, sorted(smallest | {min(elements[:32])}))


def keys(signature):
    """The index keys of a minhash."""
    width, fingerprint = signature[2] // 8, int.from_bytes(signature[8:16], "little")
    stamp = mix(fingerprint, int.from_bytes(signature[:6], "little"))
    values = [int.from_bytes(signature[i : i + width], "little") for i in range(16, len(signature), width)]
    many_hash = signature[1] == 1
    return [mix(value + (position << 32) * many_hash & WORD, stamp) for position, value in enumerate(values)]


def narrowed(values):
    """The scale of bottom_k values, and the values of 16 bits on it."""
    scale = min(16, 32 - max(values).bit_length())
    return scale, [value >> (16 - scale) for value in values]


def minhash_bytes(scheme, width, count, fingerprint, values, scale=0):
    header = bytes([1, {"many_hash": 1, "bottom_k": 2}[scheme], width, scale])
    header += count.to_bytes(2, "little") + len(values).to_bytes(2, "little") + fingerprint.to_bytes(8, "little")
    return header + b"".join((value & ((1 << width) - 1)).to_bytes(width // 8, "little") for value in values)


def text_digest(text):
    return hash128(text.encode()).to_bytes(16, "big")


def bloom_bytes(texts, expected, rate):
    bits = math.ceil(-expected * math.log(rate) / math.log(2) ** 2)
    bits = (bits + 63) // 64 * 64
    hashes = min(max(round(math.log(2) * bits / expected), 1), 32)
    data = bytearray(bits // 8)
    for text in texts:
        digest = int.from_bytes(text_digest(text), "big")
        low, high = digest & WORD, digest >> 64
        for i in range(hashes):
            position = ((low + i * high) & WORD) * bits >> 64
            data[position // 8] |= 1 << position % 8
    return bytes([1, hashes]) + bytes(6) + bits.to_bytes(8, "little") + bytes(data)


def p_simhash(words, documents, frequency, together, keep=20, mu=1.5, bits=64):
    hashes = [token_hash(word) for word in words]
    raw = {}
    for word in set(hashes):
        count = min(max(frequency(word), 1), documents)
        weight = hashes.count(word) / len(hashes) * math.log(documents / count)
        if weight > 0:
            raw[word] = weight
    length = math.sqrt(sum(weight**2 for weight in raw.values()))
    ranked = sorted(raw, key=lambda word: (-raw[word], word))[:256]
    lowered = [
        (raw[word] / length * (1 - max((together(word, other) for other in ranked[:rank]), default=0)), word)
        for rank, word in enumerate(ranked)
    ]
    kept = sorted((pair for pair in lowered if pair[0] > 0), key=lambda pair: -pair[0])[:keep]
    throws = round(bits * math.log(2))
    totals = [0] * bits
    for weight, word in kept:
        thrown = [0] * bits
        for position in (place for place, other in enumerate(hashes) if other == word):
            for throw in range(1, throws + 1):
                thrown[mix(word ^ position, throw) * bits >> 64] += 1
        for bit in range(bits):
            of_hash, of_place = fixed_point(weight * mu), fixed_point(weight * (1 - mu))
            totals[bit] += of_hash if word >> bit & 1 else -of_hash
            totals[bit] += of_place if thrown[bit] * bits > sum(thrown) else -of_place
    return signs(totals, bits)


def e_simhash(words, entropy):
    hashes = [token_hash(word) for word in words]
    return signs(
        simhash_totals(
            [
                (word ^ hashes.index(word), fixed_point(hashes.count(word) / len(hashes) * (1 + entropy(word))))
                for word in set(hashes)
            ]
        )
    )


def golden_vectors():
    """Yields each golden vector's name and value, in the order of the specification."""
    for text in ["", "a", "字", "新闻", "五个字呢吧", "新闻" * 4, "新闻" * 10, "新闻" * 30, "新闻" * 60]:
        name = text if len(text) < 6 else f"新闻 * {len(text) // 2}"
        yield f"token_hash({name})", f"{token_hash(text):016x}"
    yield "mix(1, 1)", f"{mix(1, 1):016x}"
    yield "mix(token_hash(新闻), 3)", f"{mix(token_hash('新闻'), 3):016x}"

    sentence = "近似重复的新闻，改动几个字。"
    grams = [token_hash(gram) for gram in shingles(sentence, 3)]
    totals = simhash_totals([(gram, 1) for gram in grams])
    yield "simhash(3-grams)", f"{signs(totals):016x}"
    yield "simhash(3-grams, 32 bits)", f"{signs(totals, 32):016x}"
    yield "simhash totals 0 to 7 (3-grams)", " ".join(str(total) for total in totals[:8])
    weighted = [(token_hash("近似"), 3), (token_hash("重复"), 2), (token_hash("新闻"), 2), (token_hash("改动"), 0)]
    yield "simhash(近似 3, 重复 2, 新闻 2, 改动 0)", f"{signs(simhash_totals(weighted)):016x}"

    words = ["北京"] * 6 + ["地铁", "地铁", "线路", "开通"]
    for weighting in WEIGHTINGS:
        entries = [(token_hash(word), as_integer(weight, weighting)) for word, weight in weigh(words, weighting).items()]
        yield f"simhash(北京 6 times, 地铁 twice, 线路, 开通; {weighting})", f"{signs(simhash_totals(entries)):016x}"

    stamp = 0x0123456789ABCDEF
    numbers = [token_hash(str(number)) for number in range(2000)]
    for name, elements in [("3-grams", grams), ("新闻", [token_hash("新闻")]), ("0 to 1999", numbers)]:
        for width in [32, 16]:
            values = minhash_bytes("many_hash", width, 8, stamp, minhash_many(elements, 8)).hex()
            yield f"minhash({name}, 8 values, {width} bits)", values
    seeded = minhash_bytes("many_hash", 32, 8, stamp, minhash_many(grams, 8, seed=7)).hex()
    yield "minhash(3-grams, 8 values, 32 bits, seed 7)", seeded
    many = minhash_bytes("many_hash", 32, 128, stamp, minhash_many(grams, 128))
    yield "text_digest of minhash(3-grams, 128 values, 32 bits) in hexadecimal", text_digest(many.hex()).hex()
    for name, elements in [("3-grams", grams), ("新闻", [token_hash("新闻")])]:
        values = minhash_bytes("bottom_k", 32, 8, stamp, minhash_bottom(elements, 8)).hex()
        yield f"minhash({name}, 8 values, bottom_k)", values
    for name, elements in [("3-grams", grams), ("新闻", [token_hash("新闻")]), ("0 to 1999", numbers)]:
        scale, values = narrowed(minhash_bottom(elements, 8))
        yield f"minhash({name}, 8 values, bottom_k, 16 bits)", minhash_bytes("bottom_k", 16, 8, stamp, values, scale).hex()
    yield "minhash(0 to 1999, 3 values, bottom_k, 64 bits)", sketch(numbers, 3, stamp).hex()
    definition = '{"tokenizer":"words","normalize":["control","nfkc","casefold","simplified","punctuation","space","spelling"],"shingle":5}'
    made = hash64(definition.encode())
    yield "fingerprint(definition of shingles:5, seed 0)", f"{made:016x}"
    words = ["Straße über Ålesund", "İstanbul ışık", "știri", "ещё за\u0301мок", "Οδός μάϊος", "قَالَ محمـد إلى المدرسة", "کتابی ۱۴۰۲"]
    words += ["שָׁלוֹם", "हिन्दी ज़्यादा यहाँ १२", "khoẻ khỏe thúy hoà", "เเม่", "അവൻ"]
    for text in words:
        yield f"spelling({text})", spelling(text.casefold())
    texts = [sentence, "PostgreSQL 18 的新索引 is faster", "四个字吧", "two words", "增长2.5%，达1,234.5亿元"]
    texts += ["ひらがなとカタカナの文です。", "กขคงจฉชซญฎ ABC", "Die Straße führt über Köln nach Ålesund"]
    for text in texts:
        signature = sketch([token_hash(shingle) for shingle in unit_shingles(text, 5)], 3, made)
        yield f"sketch({text}; shingles:5, 3 keys)", signature.hex()
        yield f"keys of sketch({text}; shingles:5, 3 keys)", " ".join(f"{key:016x}" for key in keys(signature))
    signature = minhash_bytes("many_hash", 32, 8, stamp, minhash_many(grams, 8))
    yield "keys of minhash(3-grams, 8 values, 32 bits)", " ".join(f"{key:016x}" for key in keys(signature))
    scale, values = narrowed(minhash_bottom(grams, 8))
    signature = minhash_bytes("bottom_k", 16, 8, stamp, values, scale)
    yield "keys of minhash(3-grams, 8 values, bottom_k, 16 bits)", " ".join(f"{key:016x}" for key in keys(signature))
    description = "chars:5"
    yield "fingerprint(chars:5, seed 0)", f"{hash64(description.encode()):016x}"
    yield "fingerprint(chars:5, seed 7)", f"{hash64(description.encode(), seed=7):016x}"

    definition = '{"tokenizer":"chars","size":5,"normalize":["control","nfkc","casefold","simplified","punctuation","nospace","spelling"]}'
    yield "fingerprint(definition of chars:5, seed 0)", f"{hash64(definition.encode()):016x}"
    for weighting in ["none", "count"]:
        yield f"tokenset(近似 新闻 新闻, {weighting})", tokenset_text(weigh(["近似", "新闻", "新闻"], weighting), weighting)
    yield "tokenset(近似 1, 新闻 2.5, given)", tokenset_text({"近似": 1, "新闻": 2.5}, "given")

    for text in ["", "新闻", sentence, sentence * 20]:
        name = text if len(text) < 20 else "the sentence * 20"
        yield f"text_digest({name})", text_digest(text).hex()
    yield "bloom_filter(新闻, 近似, 重复; 10 at 0.01)", bloom_bytes(["新闻", "近似", "重复"], 10, 0.01).hex()

    words = ["太阳队", "总决赛", "赢", "雄鹿队", "太阳队", "总决赛"]
    frequency = {token_hash(word): count for word, count in [("太阳队", 12), ("总决赛", 45), ("赢", 160)]}
    pair = {token_hash("太阳队"), token_hash("总决赛")}

    def together(a, b):
        return 0.25 if {a, b} == pair else 0.0

    signature = p_simhash(words, 1000, lambda word: frequency.get(word, 0), together)
    yield "p_simhash", f"{signature:016x}"
    entropy = {token_hash("太阳队"): 1.5, token_hash("总决赛"): 2.25}
    yield "e_simhash", f"{e_simhash(words, lambda word: entropy.get(word, 0.0)):016x}"
