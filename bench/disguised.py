"""Copies whose words are in disguise: disguised.py DSN [FILE...].

FILE has a JSON object with `text` on each line, also compressed by xz. Without a FILE, FILES of the folder that NEARDUP_DATA names are read.
Of 1,000 texts of 60 to 3,000 characters of each file, 30 words in 100 of those with four letters or more are disguised in one of four ways.
Prints for each file how many of 100 such copies share a key with their original, overlap, and are named: by default, and with the steps
`skeleton` and `joined`; how much longer normalising takes the server process with them; and how many of all texts of the file have words that
look disguised. Of read pairs of FILES, it prints how many are named with the steps and without. Needs psycopg2 and pg_neardup; writes nothing
but temporary tables.
"""

import json
import lzma
import os
import random
import re
import sys
import time

import psycopg2

FILES = ["tables/pt_whatsapp", "tables/en_spamassassin", "tables/ru_telegram", "tables/en_ghissues"]
READ = "tables/gold_4"
READ_OF = ("en_spamassassin", "en_ghissues")
TEXTS, SHARE = 1000, 0.3
WORD = re.compile(r"[^\W\d_]{4,}")
LATIN, CYRILLIC = "aceiopsxyABCEHIKMOPTX", "асеіорѕхуАВСЕНІКМОРТХ"
ALIKE = {**dict(zip(LATIN, CYRILLIC)), **dict(zip(CYRILLIC, LATIN))}
DIGITS = {"o": "0", "O": "0", "i": "1", "l": "1", "I": "1", "о": "0", "О": "0", "і": "1"}
ALPHABETS = [re.compile(of) for of in ("[A-Za-zÀ-ÖØ-öø-ɏ]", "[Ѐ-ԯ]", "[Ͱ-Ͽ]")]
BEFORE, AFTER = "control,nfkc,casefold,simplified", "punctuation,space,spelling"
STEPS = {
    "default analyzer": f"{BEFORE},{AFTER}",
    "skeleton": f"{BEFORE},skeleton,{AFTER}",
    "joined": f"{BEFORE},joined,{AFTER}",
    "joined and skeleton": f"{BEFORE},joined,skeleton,{AFTER}",
}
UNDISGUISED = "normalize_text({}, '{{nfkc,casefold,joined,skeleton}}')"


def texts(name):
    """All texts of a file."""
    with (lzma.open if name.endswith(".xz") else open)(name, "rt", encoding="utf-8") as file:
        return [json.loads(line).get("text") or "" for line in file]


def in_folder(name):
    return os.path.join(os.environ["NEARDUP_DATA"], name + ".jsonl.xz")


def replaced(word, by):
    """One letter of the word, replaced by what a table has for it."""
    places = [at for at, letter in enumerate(word) if letter in by]
    if places:
        at = random.choice(places)
        return word[:at] + by[word[at]] + word[at + 1:]


def disguised(word):
    """A word in one of four disguises: a look-alike letter, a digit, a point after the second letter, letters apart."""
    ways = [lambda: replaced(word, ALIKE), lambda: replaced(word, DIGITS), lambda: word[:2] + "." + word[2:], lambda: " ".join(word)]
    random.shuffle(ways)
    return next(found for way in ways if (found := way()))


def looks_disguised(text):
    """Whether a text has a word of two alphabets, and whether it has one with a 0 or 1 between letters."""
    words = re.findall(r"\w+", text)
    return (any(sum(bool(alphabet.search(word)) for alphabet in ALPHABETS) > 1 for word in words if not word.isascii()),
            any(re.search(r"[^\W\d_][01][^\W\d_]", word) for word in words))


def specification(steps):
    return json.dumps({"tokenizer": "words", "shingle": 5, "normalize": steps.split(",")})


def main():
    connection = psycopg2.connect(sys.argv[1])
    connection.autocommit = True
    cursor = connection.cursor()
    random.seed(7)

    def ask(statement, arguments=None):
        cursor.execute(statement, arguments)
        return cursor.fetchone()

    def processor_time(statement, arguments=None):
        """The least of five times, in seconds of the server process."""
        def now():
            time.sleep(0.01)
            with open(f"/proc/{connection.get_backend_pid()}/schedstat") as file:
                return int(file.read().split()[0]) / 1e9

        times = []
        for _ in range(5):
            begun = now()
            cursor.execute(statement, arguments)
            times.append(now() - begun)
        return min(times)

    def of_hundred(condition, arguments=None):
        [share] = ask(f"SELECT round(100.0 * count(*) FILTER (WHERE {condition}) / count(*)) FROM copy", arguments)
        return f"{share}"

    cursor.execute("CREATE TEMPORARY TABLE copy (original text, disguised text)")
    for name in sys.argv[2:] or map(in_folder, FILES):
        every = texts(name)
        print(f"{name}: {len(every)} texts", flush=True)
        two, digit = (sum(marks) for marks in zip(*map(looks_disguised, every)))
        print(f"  with a word of two alphabets: {two}; with a 0 or 1 between letters: {digit}", flush=True)
        suitable = sorted({text for text in every if 60 <= len(text) <= 3000 and "\0" not in text})
        chosen = random.sample(suitable, min(TEXTS, len(suitable)))
        hidden = [WORD.sub(lambda found: disguised(found[0]) if random.random() < SHARE else found[0], text) for text in chosen]
        cursor.execute("TRUNCATE copy")
        cursor.execute("INSERT INTO copy SELECT * FROM unnest(%s, %s)", (chosen, hidden))
        for analyzer, steps in STEPS.items():
            given = {"s": specification(steps)}
            key = of_hundred("sketch(original, %(s)s) && sketch(disguised, %(s)s)", given)
            overlap = of_hundred("overlap_similarity(original, disguised, %(s)s) >= 0.6", given)
            print(f"  {analyzer}: share a key {key}, overlap of at least 0.6 {overlap}", flush=True)
        named = of_hundred("near_duplicate(original, disguised)")
        clear = of_hundred(f"near_duplicate({UNDISGUISED.format('original')}, {UNDISGUISED.format('disguised')})")
        print(f"  near_duplicate: as they are {named}, undisguised {clear}", flush=True)
        normalized = "SELECT count(normalize_text(original, %s::text[])) FROM copy, generate_series(1, 20)"
        default, *others = (processor_time(normalized, (f"{{{steps}}}",)) for steps in STEPS.values())
        ratios = ", ".join(f"{analyzer} {time / default:.1f}" for analyzer, time in zip(list(STEPS)[1:], others))
        print(f"  normalising, as a multiple of the default steps: {ratios}", flush=True)
    if not sys.argv[2:]:
        with lzma.open(in_folder(READ), "rt", encoding="utf-8") as file:
            pairs = [pair for pair in map(json.loads, file) if pair["corpus"] in READ_OF and pair["label"] in "DPTU"]
        for of, labels in ("copies and excerpts", "DP"), ("others", "TU"):
            cursor.execute("TRUNCATE copy")
            two = [pair for pair in pairs if pair["label"] in labels]
            cursor.execute("INSERT INTO copy SELECT * FROM unnest(%s, %s)", tuple([pair[text] for pair in two] for text in ("text1", "text2")))
            is_copy = "(same_message({}, {})).verdict IN ('copy', 'excerpt')"
            counts = ask(f"SELECT count(*) FILTER (WHERE {is_copy.format('original', 'disguised')}), "
                         f"count(*) FILTER (WHERE {is_copy.format(UNDISGUISED.format('original'), UNDISGUISED.format('disguised'))}) FROM copy")
            print(f"read pairs, {of}: named {counts[0]} of {len(two)}, undisguised {counts[1]}", flush=True)


if __name__ == "__main__":
    main()
