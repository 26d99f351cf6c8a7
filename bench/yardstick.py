"""Judges labelled pairs of texts by what other projects ship: yardstick.py PACKAGE FILE.

FILE has a JSON object a line: pair, a, b. Prints lines of a method, the pair and a value, with tabs between. Packages: datasketch;
unisim, which has the weights of RETSim.
"""

import json
import sys

SHINGLE = 5
# RETSim embeds 512 characters at a time, some 40 times a second; with more, the pairs of web pages alone take minutes.
READ_BY_RETSIM = 4096


def datasketch(pairs):
    """1 if the index finds the first text by the second: 128 permutations, shingles of five characters."""
    from datasketch import MinHash, MinHashLSH

    def signature(text):
        minhash = MinHash(num_perm=128)
        minhash.update_batch([text[i : i + SHINGLE].encode() for i in range(max(1, len(text) - SHINGLE + 1))])
        return minhash

    for pair in pairs:
        a, b = signature(pair["a"]), signature(pair["b"])
        for threshold in (0.5, 0.7, 0.9):
            lsh = MinHashLSH(threshold=threshold, num_perm=128)
            lsh.insert("a", a)
            print(f"datasketch MinHashLSH({threshold})", pair["pair"], int("a" in lsh.query(b)), sep="\t")


def unisim(pairs):
    """The cosine of the embeddings, of the beginnings of long texts."""
    from unisim import TextSim

    text_sim = TextSim(verbose=0)
    for pair in pairs:
        print("retsim", pair["pair"], text_sim.similarity(pair["a"][:READ_BY_RETSIM], pair["b"][:READ_BY_RETSIM]), sep="\t")


package, file = sys.argv[1:]
with open(file, encoding="utf-8") as lines:
    {"datasketch": datasketch, "unisim": unisim}[package](json.loads(line) for line in lines)
