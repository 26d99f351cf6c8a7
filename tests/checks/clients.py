"""What SQLAlchemy and Django make of a row that a guard refuses, marks or leaves out, as docs/recipes.md says.

Prints a line for each thing, which begins with "ok" if it is as the page says. Postgres is where libpq's environment variables say.
"""

import json
import os

import django
import sqlalchemy
from django.conf import settings

DATABASE = os.environ["PGDATABASE"]
settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": DATABASE,
            "HOST": os.environ["PGHOST"],
            "PORT": os.environ["PGPORT"],
            "USER": os.environ["PGUSER"],
        }
    },
    INSTALLED_APPS=[],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django import db  # noqa: E402
from django.db import connection, models, transaction  # noqa: E402
from sqlalchemy import orm, text  # noqa: E402

FIRST = "The tide mill at Holm was built in 1790 and ground barley for two centuries. It stands on a causeway."
COPY = "The tide mill at Holm was built in 1790, and ground barley for two centuries. It stands on a causeway!"
OTHER = "A lighthouse keeper needs three things, said the old one: oil, patience, and a reason to stay awake."
CALL = "SELECT key, duplicate_of, action FROM neardup.insert_or_match('stories', {}::jsonb)"

engine = sqlalchemy.create_engine("postgresql+psycopg://")


def expect(what, actual, expected):
    print(f"ok {what}" if actual == expected else f"{what}: {actual!r}, not {expected!r}")


class Base(orm.DeclarativeBase):
    pass


class Alchemy(Base):
    __tablename__ = "stories"
    id: orm.Mapped[int] = orm.mapped_column(sqlalchemy.Identity(always=True), primary_key=True)
    body: orm.Mapped[str]


class Story(models.Model):
    body = models.TextField()

    class Meta:
        app_label = "clients"
        db_table = "stories"


def administer(*statements):
    with engine.begin() as session:
        session.execute(text("SET client_min_messages = error"))
        for statement in statements:
            session.execute(text(statement))


def protect(action, more=""):
    administer(
        "TRUNCATE stories RESTART IDENTITY",
        f"SELECT neardup.protect('stories', 'body', on_duplicate => '{action}'{more})",
    )


def with_sqlalchemy(action):
    """What session.add does with a copy."""
    with orm.Session(engine) as session:
        session.add(Alchemy(body=FIRST))
        session.flush()
        copy = Alchemy(body=COPY)
        try:
            with session.begin_nested():
                session.add(copy)
                session.flush()
            outcome = f"stored {copy.id}"
        except sqlalchemy.exc.IntegrityError as error:
            outcome = error.orig.sqlstate
        except Exception as error:
            outcome = "unusable" if action in ("skip", "divert", "merge") else repr(error)
        rest = Alchemy(body=OTHER)
        session.add(rest)
        session.flush()
        session.commit()
        return outcome


def with_django(action):
    """What save() does with a copy."""
    with transaction.atomic():
        Story(body=FIRST).save()
        copy = Story(body=COPY)
        try:
            with transaction.atomic():
                copy.save()
            outcome = f"stored {copy.pk}" if copy.pk else "unusable"
        except db.IntegrityError as error:
            outcome = error.__cause__.sqlstate
        except Exception as error:
            outcome = "unusable" if action in ("skip", "divert", "merge") else repr(error)
        Story(body=OTHER).save()
        return outcome


def match_sqlalchemy(body):
    with orm.Session(engine) as session:
        row = session.execute(text(CALL.format("CAST(:row AS jsonb)").replace("::jsonb", "")), {"row": json.dumps({"body": body})}).one()
        story = session.get(Alchemy, int(row.key or row.duplicate_of))
        session.commit()
        return row.action, story.id


def match_django(body):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(CALL.format("%s"), [json.dumps({"body": body})])
        key, duplicate_of, action = cursor.fetchone()
    return action, Story.objects.get(pk=int(key or duplicate_of)).pk


for action, more, outcome in [
    ("reject", "", "23505"),
    ("mark", "", "stored 2"),
    ("skip", "", "unusable"),
    ("merge", ", merge => 'seen_again'", "unusable"),
]:
    for name, add, match in [
        ("SQLAlchemy", with_sqlalchemy, match_sqlalchemy),
        ("Django", with_django, match_django),
    ]:
        protect(action, more)
        expect(f"{name}, {action}", add(action), outcome)
        protect(action, more)
        expect(f"{name}, {action}, insert_or_match", [match(FIRST)[0], match(COPY)], ["insert", (action, 2 if action == "mark" else 1)])
