"""What the tables of fifth.py to tenth.py are made with: Source reads files of a git repository at one commit, table() and Row register tables and make their
rows, the others split texts and paths."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import PurePosixPath
from typing import Any, NamedTuple

MOST_ROWS = 50_000

# By default the module refuses fields of more than 128 KiB, and a text may be longer.
csv.field_size_limit(10**9)


class Row(NamedTuple):
    """A row as its source has it. Rows without text, and rows whose id an earlier row has, are left out."""

    id: Any
    text: Any
    title: Any = None
    date: Any = None

    def json(self):
        fields = {"id": str(self.id), "text": self.text.strip()}
        fields.update((name, str(value).strip()) for name in ("title", "date") if (value := getattr(self, name)))
        return json.dumps(fields, ensure_ascii=False)


TABLES = {}


def table(*sources, most_rows=MOST_ROWS):
    """Registers a function that yields the rows of the table of its name. Takes repositories as OWNER/NAME@COMMIT."""

    def register(rows):
        TABLES[rows.__name__] = (rows, sources, most_rows)
        return rows

    return register


class Source:
    """A repository at one commit. Reads git's objects, so that neither a work tree nor its line endings matter."""

    def __init__(self, repository, commit, clones):
        self.commit = commit
        self.clone = clones / repository.replace("/", "+")
        if not self.clone.is_dir():
            subprocess.run(["git", "init", "--quiet", "--bare", self.clone], check=True)
        if subprocess.run(self._git("cat-file", "-e", commit), stderr=subprocess.DEVNULL).returncode != 0:
            print(f"fetching {repository}", file=sys.stderr)
            url = f"https://github.com/{repository}"
            subprocess.run(self._git("fetch", "--quiet", "--depth", "1", url, commit), check=True)

    def _git(self, *arguments):
        return ["git", "-C", self.clone, *arguments]

    def bytes(self, path):
        """Returns a file as it is."""
        command = self._git("cat-file", "blob", f"{self.commit}:{path}")
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout

    def text(self, path):
        """Returns a file in UTF-8."""
        return self.bytes(path).decode("utf-8", "replace")

    def texts(self, pattern, without=None, encoding="utf-8"):
        """Yields path and text of the files whose paths match one pattern and not the other, in the tree's order."""
        command = self._git("ls-tree", "-r", "-z", self.commit)
        listing = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")
        with subprocess.Popen(self._git("cat-file", "--batch"), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as objects:
            for entry in listing.split("\0")[:-1]:
                about, path = entry.split("\t", 1)
                _mode, kind, name = about.split()
                if kind != "blob" or not re.search(pattern, path) or (without and re.search(without, path)):
                    continue
                objects.stdin.write(f"{name}\n".encode())
                objects.stdin.flush()
                # "NAME blob SIZE", the bytes and a newline; or "NAME missing".
                answer = objects.stdout.readline().split()
                if answer[1] != b"blob":
                    raise FileNotFoundError(f"{self.clone} has no contents of {path}")
                contents = objects.stdout.read(int(answer[2]))
                objects.stdout.read(1)
                yield path, contents.decode(encoding, "replace")

    def values(self, pattern):
        """Yields path and contents of the JSON files whose paths match a pattern. What cannot be parsed is left out."""
        for path, text in self.texts(pattern):
            try:
                value = json.loads(text)
            except ValueError:
                continue
            yield path, value


def records(text, **dialect):
    """Returns the records of a CSV file with a line of names."""
    return csv.DictReader(io.StringIO(text.lstrip("\ufeff")), **dialect)


def lines(text):
    """Yields number and contents of each line: those that end with a line feed, and no others, as splitlines() would have."""
    return enumerate(text.split("\n"))


def stem(path):
    return PurePosixPath(path).stem


def within(folder, path):
    """Returns a path below a folder, without its ending."""
    return str(PurePosixPath(path).relative_to(folder).with_suffix(""))
