"""The tables of tenth.tsv, for tables.py. Some leave out their sources' largest files: those that labelled them did not have these."""

import html
import json
import re
from datetime import datetime, timezone
from xml.etree import ElementTree

from sources import Row, records, stem, table


@table("justusmattern/fang-covid@c3c370be491f94103ee3059b6d627c79cce0e49b", most_rows=5000)
def de_fang(source):
    """The first 5,000 articles on the epidemic of ten German sites that a data set calls unreliable, in the order of the files; they take over each other's and agencies' texts."""
    for path, article in source.values(r"^articles/.*\.json$"):
        if article["label"] == "fake":
            yield Row(stem(path), article["article"], article["header"], article["date"])


@table("mastermint-63/Veranstaltungen_in_MS@66843efb8cc77153e0f1229ad1e8d827e5b58797")
def de_termine(source):
    """Events of two months in the towns of a region, as a calendar shows them: day and hour, town, place and the beginning of the description."""
    for path, page in source.texts(r"^veranstaltungen_.*\.html$"):
        for day in page.split('<div class="datum-gruppe" id="datum-')[1:]:
            date = day[:10]
            shown = re.search(r'class="datum-header">(.*?)</div>', day)[1]
            for number, event in enumerate(day.split('<div class="termin" ')[1:], 1):
                fields = dict(re.findall(r'(?s)<div class="termin-(zeit|stadt|ort|beschreibung)">(.*?)</div>', event))
                name = re.sub(r"<[^>]*>", "", re.search(r'(?s)class="termin-name">(.*?)<span class="badge|\Z', event)[1] or "")
                lines = [f"{shown}, {fields.get('zeit', '')}", *(fields.get(field, "") for field in ("stadt", "ort", "beschreibung"))]
                text = "\n".join(html.unescape(line).strip() for line in lines if line.strip())
                yield Row(f"{stem(path)[-7:]}#{date}-{number}", text, html.unescape(name).strip(), date)


FORUMS = r"^dumps/(docusign|dwolla|scn)/.*\.(csv|json)$"


@table("collab-uniba/emse_best-answer-prediction@cf6bd6444dc3548a02f7947aacf7a78e0dbe03e6")
def en_devforums(source):
    """Questions and answers of three companies' forums for developers, thread by thread; an answer's title is its question's, in one forum with "Re:"."""
    # Three of one forum's files are among the largest, which were not there.
    for path, text in source.texts(FORUMS, without=r"scn/(cloud|hana|mobility|powerbuilder)\.json$"):
        posts = json.loads(text) if path.endswith(".json") else records(re.sub(r"\r\n?", "\n", text), delimiter=";")
        question = ""
        for post in posts:
            if post["type"] == "question":
                question = post["title"]
            yield Row(f"{stem(path)} {post['uid']}", post["text"], post["title"] or question, post["date_time"])


@table("judell/community-calendar@aa4069742329bd269260cdb635f975e80e52fd23")
def en_events(source):
    """Events in and around four towns, August to November 2026, from many feeds: texts end after 300 characters, titles have day, hour and place."""
    for town in ("asheville", "davis", "lancaster", "montclair"):
        for event in ElementTree.fromstring(source.bytes(f"rss/{town}-full.xml")).iter("item"):
            name = f"{town} {event.findtext('guid')}"
            yield Row(name, event.findtext("description"), event.findtext("title"), event.findtext("pubDate"))


@table("cisagov/kev-data@eacf03ec6637cc7be6d3d4ed50785493da5126a2")
def en_kev(source):
    """Vulnerabilities that a US agency knows to be exploited, newest first; the title names product and kind."""
    for vulnerability in records(source.text("known_exploited_vulnerabilities.csv")):
        text, title = vulnerability["shortDescription"], vulnerability["vulnerabilityName"]
        yield Row(vulnerability["cveID"], text, title, vulnerability["dateAdded"])


@table("sohrabrahimi/The-U.S.-Petitions@699d6598f256c94913c9bf1e41f1b420c0fb13ca")
def en_petitions(source):
    """The first 1,000 petitions to the White House that its data release lists, September 2011 to January 2013."""
    # Quotation marks in texts are not doubled, so that this is no CSV: a record starts with an id and ends with a date and numbers.
    for record in re.split(r"(?m)^(?=[0-9a-f]{24},)", source.text("petitions.csv"))[1:]:
        fields = re.match(r'(?s)(\w+),("?)(.*?)\2,("?)(.*)\4,"?(\d{4}-\d\d-\d\d [\d:]{8})"?,\d+,\d+', record)
        yield Row(fields[1], fields[5].replace("\r\n", "\n"), fields[3], fields[6])


@table("shessam/IR-News-Dataset@583562d326b0693ffc5faf8b65cdae85263e9979")
def fa_irnews(source):
    """Articles of five Iranian news portals, November 2019 to May 2020, site by site; the portals take over texts of agencies."""
    for path, article in source.texts(r"^Dataset/.*\.txt$"):
        # The first line describes the article, the second names the sentences of a summary, each other is a number and a sentence.
        first, _summary, *sentences = article.lstrip("\ufeff").replace("\r", "").split("\n")
        about = first.split("###") + [""] * 5
        text = "\n".join(re.sub(r"^\d+\t", "", sentence) for sentence in sentences)
        yield Row(stem(path), text, about[1], about[4])


@table("jibranfawaid/turnbackhoax-dataset@9f860bd3b672f55811631bb59dac7c8f7ce03d6c")
def id_hoax(source):
    """Checks of rumours by an Indonesian site that debunks them, 2015 to 2021."""
    file = source.bytes("Scrapping.csv").decode("cp1252", "replace")
    for number, check in enumerate(records(file, delimiter=";"), 1):
        yield Row(number, check["Body"], check["Headline"])


@table("nuuuwan/news_long_lk@0963d1e05c3ea6065123c2a05e119d1c4e1d9f51")
def mul_lkopinion(source):
    """Opinion pieces and long articles of Sri Lankan papers in English, Sinhala and Tamil, and of a few magazines, 2024 to 2026, by title."""
    for path, text in source.texts(r"^data/articles/.*/article\.json$"):
        article = json.loads(text)
        date = datetime.fromtimestamp(article["ut"], timezone.utc).date()
        yield Row(path.split("/")[2], "\n".join(article["body_paragraphs"]), article["title"], date)


@table("swerik-project/riksdagen-interpellations@b656ba9d3253906de04c84a2f88d279811a509c6")
def sv_interpellationer(source):
    """Interpellations to Swedish ministers, 1994 to 2024: their texts with the questions; the title is the subject."""
    for path, document in source.texts(r"^data/.*\.xml$"):
        header, _, body = document.partition('<div type="ipqBody">')
        subject, about = (re.sub(r"\s+", " ", html.unescape(title)) for title in re.findall(r"(?s)<title>(.*?)</title>", header)[:2])
        if subject.startswith("Interpellation "):
            subject = re.sub(r"^Interpellation .*? till .*?\)(?:, [^()]*?)? om ", "", about)
        date = re.search(r'type="sent".*?<date when="([^"]*)"', header, re.DOTALL)
        paragraphs = (re.sub(r"\s+", " ", part).strip() for part in re.split(r"</?(?:p|item|list)\b[^>]*>", body))
        text = "\n".join(html.unescape(re.sub(r"<[^>]*>", "", part)).strip() for part in paragraphs if part)
        yield Row(stem(path), re.sub(r"\n\s*\n+", "\n", text), subject, date and date[1])


@table("Patrick233/Cluster-Chinese-news-Article@d1badb63249cccb481287bd4abd6d25c7d5f04a2")
def zh_sina18(source):
    """Articles of a Chinese portal, autumn 2018, section by section; the title is the file's name."""
    for path, text in source.texts(r"^\w+/[^/]*\.txt$"):
        # A script of an advert ends many pages, and the headline opens some of them.
        text = re.sub(r"(?s)\n\s*\(function\b.*", "", text)
        title = path.split("/", 1)[1].removesuffix(".txt")
        yield Row(path.removesuffix(".txt"), text.strip().removeprefix(title), title)


@table("kiang/www.tainan.gov.tw@b98fae157d895512abdea52368c1e002e22fa75b")
def zh_tainan(source):
    """News of the departments of a city in Taiwan from 2025 on, in traditional Chinese, day by day."""
    for path, news in source.values(r"^docs/data/202[56]/\d\d/.*\.json$"):
        yield Row(stem(path), news.get("content"), news.get("title"), news.get("published"))
