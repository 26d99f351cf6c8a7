"""Checks the golden vectors of the stored formats against a second implementation.

    python3 tests/formats/formats.py                    # compares
    python3 tests/formats/formats.py --print stored     # prints those of docs/internals/formats.md; or signatures, banding
    python3 tests/formats/formats.py --freeze           # adds the new ones to tests/formats/frozen, which nothing leaves
    python3 tests/formats/formats.py --unfrozen         # fails with those that --freeze would add

Needs Python 3.9 and nothing else.
"""

import hashlib
import pathlib
import re
import sys

import banding
import signatures
import stored

INTERNALS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "internals"
# The digests of all vectors of released versions: page, code and tests can be changed together, and then no comparison of these fails.
FROZEN = pathlib.Path(__file__).with_name("frozen")
PAGES = {"signatures": (signatures, "signatures.md"), "stored": (stored, "formats.md"), "banding": (banding, "banding.md")}


def computed(module):
    return [f"{name} = {value}" for name, value in module.golden_vectors()]


def digests():
    """The name of each vector with the digest of its line."""
    lines = [line for module, _ in PAGES.values() for line in computed(module)]
    return [f"{hashlib.sha256(line.encode()).hexdigest()}  {line.split(' = ')[0]}" for line in lines]


def main():
    if sys.argv[1:2] == ["--print"]:
        print("\n".join(computed(PAGES[sys.argv[2]][0])))
        return
    frozen = FROZEN.read_text(encoding="utf-8").splitlines()
    new = [line for line in digests() if line not in frozen]
    if sys.argv[1:2] == ["--unfrozen"]:
        sys.exit("\n".join(new) or None)
    if sys.argv[1:2] == ["--freeze"]:
        FROZEN.write_text("".join(f"{line}\n" for line in frozen + new), encoding="utf-8")
        print(f"{len(new)} added")
        return
    for module, page in PAGES.values():
        block = re.search(r"```golden\n(.*?)```", (INTERNALS / page).read_text(encoding="utf-8"), re.DOTALL)
        on_page, ours = block.group(1).splitlines() if block else [], computed(module)
        for line in sorted(set(on_page) ^ set(ours)):
            print(("only on the page: " if line in on_page else "only computed: ") + line)
        if on_page != ours:
            sys.exit(f"docs/internals/{page} and tests/formats differ")
        print(f"{len(ours)} golden vectors of docs/internals/{page} agree")
    if gone := sorted(set(frozen) - set(digests())):
        sys.exit("\n".join(["these vectors of released versions have changed or are gone:", *gone]))
    print(f"{len(frozen)} are frozen")


if __name__ == "__main__":
    main()
