"""Makes the tables of labelled pairs that come from public git repositories: tables.py FOLDER [NAME ...] [--clones CLONES].

The pairs of fifth.tsv, sixth.tsv, seventh.tsv, eighth.tsv, ninth.tsv and tenth.tsv name rows by their ids. This writes the rows: FOLDER/tables/NAME.jsonl.xz, for all
tables or for those named. FOLDER is then what the environment variable NEARDUP_DATA names. fifth.py to tenth.py have a function for each table and the commit
of its source, which is fetched from GitHub, 4 to 5 GB in all, and kept as OWNER+NAME in CLONES (FOLDER/clones by default).
A clone that is there already and has the commit is used.

tables.sha256 has the digests of the unpacked tables that were labelled. If one differs, this says so and exits with status 1: the
labels and figures are then those of other texts. docs/internals/tables.md lists sizes and licences; the texts belong to third parties.

Needs Python 3.9 or later, git, and nothing else.
"""

import argparse
import hashlib
import lzma
import sys
from pathlib import Path

# These register their tables.
import eighth  # noqa: F401
import fifth  # noqa: F401
import ninth  # noqa: F401
import seventh  # noqa: F401
import sixth  # noqa: F401
import tenth  # noqa: F401
from sources import TABLES, Source

DIGESTS = Path(__file__).with_suffix(".sha256")


def write(file, rows, most_rows):
    """Writes a table. Returns how many rows it has, and the digest of its lines."""
    ids = set()
    digest = hashlib.sha256()
    # Under another name until it is whole, so that no part of a table is taken for one.
    unfinished = file.with_name(f"{file.name}.part")
    with lzma.open(unfinished, "wb", preset=3) as output:
        for row in rows:
            if not (row.text or "").strip() or str(row.id) in ids:
                continue
            ids.add(str(row.id))
            line = f"{row.json()}\n".encode()
            digest.update(line)
            output.write(line)
            if len(ids) == most_rows:
                break
    unfinished.replace(file)
    return len(ids), digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description="Makes the tables of labelled pairs that come from public git repositories.")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the tables are written to FOLDER/tables")
    parser.add_argument("names", metavar="NAME", nargs="*", help="the tables to make, if not all")
    parser.add_argument("--clones", type=Path, help="a folder for clones, OWNER+NAME; FOLDER/clones without it")
    arguments = parser.parse_intermixed_args()
    for name in arguments.names:
        if name not in TABLES:
            parser.error(f"no table {name}; the tables are {', '.join(TABLES)}")

    clones = arguments.clones or arguments.folder / "clones"
    tables = arguments.folder / "tables"
    for folder in (clones, tables):
        folder.mkdir(parents=True, exist_ok=True)
    labelled = dict(reversed(line.split()) for line in DIGESTS.read_text().splitlines())

    differ = False
    for name in arguments.names or TABLES:
        rows, sources, most_rows = TABLES[name]
        opened = [Source(*source.split("@"), clones) for source in sources]
        count, digest = write(tables / f"{name}.jsonl.xz", rows(*opened), most_rows)
        is_labelled = digest == labelled.get(name)
        differ = differ or not is_labelled
        print(name, f"{count} rows", digest, "as labelled" if is_labelled else "NOT AS LABELLED", sep="\t", flush=True)
    sys.exit(differ)


if __name__ == "__main__":
    main()
