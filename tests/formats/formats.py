"""Checks the golden vectors of the stored formats against a second implementation.

    python3 tests/formats/formats.py                    # compares
    python3 tests/formats/formats.py --print stored     # prints those of docs/internals/formats.md; or signatures

Needs Python 3.9 and nothing else.
"""

import pathlib
import re
import sys

import signatures
import stored

INTERNALS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "internals"
PAGES = {"signatures": (signatures, "signatures.md"), "stored": (stored, "formats.md")}


def computed(module):
    return [f"{name} = {value}" for name, value in module.golden_vectors()]


def main():
    if sys.argv[1:2] == ["--print"]:
        print("\n".join(computed(PAGES[sys.argv[2]][0])))
        return
    for module, page in PAGES.values():
        block = re.search(r"```golden\n(.*?)```", (INTERNALS / page).read_text(encoding="utf-8"), re.DOTALL)
        on_page, ours = block.group(1).splitlines() if block else [], computed(module)
        for line in sorted(set(on_page) ^ set(ours)):
            print(("only on the page: " if line in on_page else "only computed: ") + line)
        if on_page != ours:
            sys.exit(f"docs/internals/{page} and tests/formats differ")
        print(f"{len(ours)} golden vectors of docs/internals/{page} agree")


if __name__ == "__main__":
    main()
