"""Times the peers from PyPI on a file of texts, or of signatures, one a line: peers.py PEER FILE ROUNDS.

Its figures are the lines of rensa, datasketch, simhash, chdb and pybktree in docs/benchmarks.md (signing, finding).

Prints lines of a name, an amount and the seconds it took, with tabs between: bytes of text, or rows. Each peer gets
its work the way its own documentation does it, shingles ready-made outside the clock, one thread.
"""

import importlib.metadata
import sys
import time

# Documents whose shingles are in memory at a time.
CHUNK = 200
SHINGLE = 5


def shingles(text):
    return [text[i : i + SHINGLE] for i in range(len(text) - SHINGLE + 1)] or [text]


def report(name, amount, seconds):
    print(f"{name}\t{amount}\t{seconds}", flush=True)


def timed(name, texts, rounds, prepare, work):
    """Adds up each chunk's best time."""
    total = 0.0
    for start in range(0, len(texts), CHUNK):
        ready = prepare(texts[start : start + CHUNK])
        best = float("inf")
        for _ in range(rounds):
            begin = time.perf_counter()
            work(ready)
            best = min(best, time.perf_counter() - begin)
        total += best
    report(name, sum(len(text.encode()) for text in texts), total)


def rensa(texts, rounds):
    from rensa import RMinHash

    def work(documents):
        for document in documents:
            signature = RMinHash(num_perm=128, seed=42)
            signature.update(document)
            signature.digest()

    timed("rensa RMinHash(128)", texts, rounds, lambda chunk: [shingles(text) for text in chunk], work)


def datasketch(texts, rounds):
    from datasketch import MinHash

    def work(documents):
        for document in documents:
            signature = MinHash(num_perm=128)
            signature.update_batch(document)

    timed(
        "datasketch MinHash(128)",
        texts,
        min(rounds, 2),
        lambda chunk: [[shingle.encode() for shingle in shingles(text)] for text in chunk],
        work,
    )


def simhash(texts, rounds):
    from simhash import Simhash

    def work(documents):
        for document in documents:
            Simhash(document).value

    timed("simhash Simhash", texts, min(rounds, 2), lambda chunk: [shingles(text) for text in chunk], work)


def chdb(texts, rounds, path):
    from chdb import session

    clickhouse = session.Session()
    clickhouse.query("CREATE DATABASE bench")
    clickhouse.query(
        "CREATE TABLE bench.article ENGINE = Memory AS "
        f"SELECT line AS body FROM file('{path}', LineAsString, 'line String')"
    )
    size = sum(len(text.encode()) for text in texts)
    for name, expression in [
        ("chdb cityHash64", "cityHash64(body)"),
        ("chdb ngramSimHashUTF8", f"ngramSimHashUTF8(body, {SHINGLE})"),
        ("chdb ngramMinHashUTF8", f"tupleElement(ngramMinHashUTF8(body, {SHINGLE}), 1)"),
    ]:
        best = float("inf")
        for _ in range(rounds):
            begin = time.perf_counter()
            clickhouse.query(f"SELECT sum({expression}) FROM bench.article SETTINGS max_threads = 1")
            best = min(best, time.perf_counter() - begin)
        report(name, size, best)
    clickhouse.close()


def pybktree(lines, probes):
    from pybktree import BKTree

    signatures = [int(line) & (1 << 64) - 1 for line in lines]
    tree = BKTree(lambda a, b: (a ^ b).bit_count(), signatures)
    sought = [signature ^ 0b101 for signature in signatures[:: max(1, len(signatures) // probes)][:probes]]
    begin = time.perf_counter()
    for signature in sought:
        tree.find(signature, 3)
    report("pybktree, distance 3", len(sought), time.perf_counter() - begin)


def main():
    peer, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(path, encoding="utf-8") as file:
        texts = [line.rstrip("\n") for line in file]
    report(f"version {importlib.metadata.version(peer)}", 1, 0)
    if peer == "chdb":
        chdb(texts, rounds, path)
    elif peer == "pybktree":
        pybktree(texts, 4 * rounds)
    else:
        {"rensa": rensa, "datasketch": datasketch, "simhash": simhash}[peer](texts, rounds)


main()
