"""Suggestions for titles that somebody types: suggest.py DSN TITLES [QUERIES].

TITLES is a number: so many titles are cut from the English texts of the folder that NEARDUP_DATA names, beginnings of sentences of 5 to 12 words,
into table `titles` of the database, unless it is there. Then titles of six words are changed in seven ways. Prints for each way how many of the
titles are found: by pg_trgm with a GIN index among the first one and the first five, with the processor time of the server process; and by
`near_duplicate`, by a common key of sketches and by a common band of MinHashes, of the two texts alone. Needs psycopg2, pg_trgm and pg_neardup.
"""

import json
import lzma
import os
import random
import re
import sys

import psycopg2

FILES = ["reuters"] + ["tables/en_" + name for name in (
    "auspress", "arxiv", "20news", "jobs", "ghissues", "spamassassin", "healthtweets", "dblpacm", "commits")]
SUGGESTED = "SELECT id FROM titles WHERE title %% %(typed)s ORDER BY similarity(title, %(typed)s) DESC, id LIMIT 5"
BANDS = "minhash_bands(minhash(%s, 'chars:3', 125), 25, 5)"
OF_TWO = {
    "near_duplicate": "near_duplicate(%s, %s)",
    "key": "sketch(%s) && sketch(%s)",
    "band": f"{BANDS} && {BANDS}",
}


def titles():
    """Beginnings of sentences, each once, in random order."""
    found = {}
    for name in FILES:
        with lzma.open(os.path.join(os.environ["NEARDUP_DATA"], name + ".jsonl.xz"), "rt") as file:
            for line in file:
                for sentence in re.split(r"(?<=[.!?;:])\s+|\n\s*\n", json.loads(line).get("text", "")):
                    words = sentence.split()
                    title = " ".join(words[:random.randint(5, 12)]).strip(".,;:")
                    if len(words) >= 5 and 20 <= len(title) <= 120 and re.match(r"[A-Z\"']", title):
                        found[title] = True
    found = list(found)
    random.shuffle(found)
    return found


def typo(words):
    """Swaps, drops or adds a letter of the longest word."""
    at = max(range(len(words)), key=lambda at: len(words[at]))
    word, place = words[at], random.randrange(1, max(2, len(words[at]) - 1))
    kind = random.randrange(3)
    if kind == 0:
        word = word[:place] + word[place + 1:place + 2] + word[place:place + 1] + word[place + 2:]
    else:
        word = word[:place] + ("" if kind == 1 else random.choice("etaoinsr")) + word[place + (kind == 1):]
    return words[:at] + [word] + words[at + 1:]


def changes(others):
    """The ways in which a title is changed, by name; each makes words of words."""
    at = random.randrange
    return {
        "a typing error": typo,
        "two typing errors": lambda words: typo(typo(words)),
        "a word left out": lambda words: words.pop(at(len(words))) and words,
        "another word": lambda words: words.__setitem__(at(len(words)), random.choice(others)) or words,
        "a word more": lambda words: words.insert(at(len(words)), random.choice(others)) or words,
        "two words swapped": lambda words: words[:(i := at(len(words) - 1))] + [words[i + 1], words[i]] + words[i + 2:],
        "the first 60 %": lambda words: " ".join(words)[:int(len(" ".join(words)) * 0.6)].split(" "),
    }


def main():
    dsn, wanted, queries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 200
    connection = psycopg2.connect(dsn)
    connection.autocommit = True
    cursor = connection.cursor()
    random.seed(7)

    def ask(statement, arguments=None):
        cursor.execute(statement, arguments)
        return cursor.fetchall()

    def processor_time():
        with open(f"/proc/{connection.get_backend_pid()}/stat") as file:
            return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    if not ask("SELECT to_regclass('titles') IS NOT NULL")[0][0]:
        cursor.execute("CREATE TABLE titles (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL)")
        cursor.execute("INSERT INTO titles (title) SELECT unnest(%s)", (titles()[:wanted],))
        cursor.execute("CREATE INDEX titles_gin ON titles USING gin (title gin_trgm_ops)")
        cursor.execute("VACUUM ANALYZE titles")
    rows = ask("SELECT id, title FROM titles WHERE array_length(string_to_array(title, ' '), 1) = 6 AND title ~ '^[A-Za-z ,''.-]+$' "
               "ORDER BY hashint4(id) LIMIT %s", (queries,))
    others = [word for (title,) in ask("SELECT title FROM titles ORDER BY hashint4(id + 1) LIMIT 3000")
              for word in title.split() if word.isalpha() and len(word) > 3]
    cursor.execute("SET pg_trgm.similarity_threshold = 0.5")
    ask(SUGGESTED, {"typed": rows[0][1]})
    for name, change in changes(others).items():
        typed = [(id, title, " ".join(change(title.split()))) for id, title in rows]
        begun = processor_time()
        found = [[id for (id,) in ask(SUGGESTED, {"typed": text})] for _, _, text in typed]
        milliseconds = 1000 * (processor_time() - begun) / len(typed)
        first, five = (sum(id in ids[:most] for (id, _, _), ids in zip(typed, found)) / len(typed) for most in (1, 5))
        line = [f"pg_trgm: first {first:.2f}, among five {five:.2f}, {milliseconds:.0f} ms"]
        for measure, expression in OF_TWO.items():
            of_all = ", ".join([f"({expression})::int"] * len(typed))
            [values] = ask(f"SELECT {of_all}", [text for _, title, text in typed for text in (title, text)])
            line.append(f"{measure} {sum(values) / len(typed):.2f}")
        print(f"{name}: {'; '.join(line)}", flush=True)


if __name__ == "__main__":
    main()
