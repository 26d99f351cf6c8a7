"""The tables of sixth.tsv, for tables.py. Some leave out their sources' largest files: those that labelled them did not have these."""

import io
import re
import zipfile

from sources import Row, lines, records, stem, table


@table("nuuuwan/lk_cabinet_decisions@40d419f19429690a500c77a5a8a57ae044ada0bd")
def en_cabinet(source):
    """Decisions of a cabinet of ministers; the title often has what the text does not say."""
    for _path, decision in source.values(r"^data/cabinet_decisions/.*\.json$"):
        yield Row(decision["key"], decision["decision_details"], decision["title"], decision["date_str"])


@table("walkerdb/supreme_court_transcripts@f8c155e23ed871118de6368bab02b0dcb7585eee")
def en_cases(source):
    """Summaries of the cases of a supreme court: facts, question and conclusion, with their HTML."""
    # The files whose names end with -t01 and so on are transcripts.
    for path, case in source.values(r"^oyez/cases/(?!.*-t\d).*\.json$"):
        parts = (case.get(part) for part in ("facts_of_the_case", "question", "conclusion"))
        yield Row(stem(path), "\n".join(filter(None, parts)), case["name"], case["term"])


@table("wadefagen/datasets@cc85869f8df3453a3f2f9bd3c7d3272037936b61")
def en_courses(source):
    """The summer courses of a university, 2017 to 2026: a row for each course and year."""
    for _path, text in source.texts(r"^course-catalog/data/.*-su\.csv$"):
        for course in records(text):
            number = f"{course['YearTerm']} {course['Subject']} {course['Number']}"
            yield Row(number, course["Description"], course["Name"], course["Year"])


@table("deepset-ai/COVID-QA@fb2eb5e249618457e5359806601086c635c8eb8f")
def en_faq(source):
    """Answers to frequent questions on COVID-19 in English, from three crawls; the title is the question."""
    for file, delimiter in (("faq_covidbert.csv", ","), ("faq_200322_16.tsv", "\t"), ("faq_200327.tsv", "\t")):
        for number, entry in enumerate(records(source.text(f"data/faqs/{file}"), delimiter=delimiter)):
            if entry["lang"] == "en":
                yield Row(f"{stem(file)}-{number}", entry["answer"], entry["question"], entry["last_update"])


@table("btderr02/117th-Senate-Tweets@8cc7ed407df72bd6cb87cdcd3ae5d78488c51efc")
def en_senatetweets(source):
    """Tweets of senators, July 2022 to January 2023, senator by senator."""
    for path, text in source.texts(r"^Data/"):
        for number, tweet in enumerate(records(text)):
            day = tweet["Datetime"][:10]
            if day >= "2022-07":
                yield Row(f"{stem(path).strip()}-{number}", tweet["Text"], date=day)


@table("GitHub-Incident-History/GitHub-Incident-History@8016f1caba3eafbaa88d63d4973a334fbb99aea4")
def en_statuspage(source):
    """Updates on a status page, incident by incident; the title is the incident's name."""
    for _path, page in source.values("^incidents/"):
        incident = page["incident"]
        for update in incident["incident_updates"]:
            yield Row(update["id"], update["body"], incident["name"], update["created_at"])


@table("ia-labo/French-News-Clustering@56d82608a6b4d0576c40e1c32d31652dfbe1a5db")
def fr_titles(source):
    """Headlines of portals on one day."""
    headlines = records(source.text("api/client/test_one_day.csv"), fieldnames=("headline", "time"))
    for number, record in enumerate(headlines):
        yield Row(f"fr-{number}", record["headline"], date=record["time"])


@table("C22-PS119/True-Sight-Engine@de72d82c67dc2b4e707cf99b2693411d2a732c4d")
def id_berita(source):
    """News, true and false."""
    for number, record in enumerate(records(source.text("berita.csv"))):
        yield Row(f"berita-{number}", record["berita"])


@table("yasaidev/koume-dayuu-dataset@5c1e094342c0d31d318a4793ed8f79dd5ed77d97")
def ja_koume(source):
    """Tweets of a comedian, 2011 to 2021: jokes of one form, notices of a blog."""
    for tweet in records(source.text("data/dayukoume.csv")):
        yield Row(tweet["id"], tweet["tweet"], date=tweet["created_at"])


@table("JeongSangByuk/Smart-Emergency-Info-Message@82e22ad027d4126e2495c98bcb4f80bd0493a761")
def ko_alerts(source):
    """Emergency messages of authorities; the title is the area that received it."""
    messages = source.bytes("deeplearnig/deeplearnigtest/Test/Data/disaster_msg_original.csv").decode("cp949")
    for number, message in enumerate(records(messages), 1):
        yield Row(number, message["msg"], message["location"])


@table("kocohub/korean-hate-speech@f8d05dce2b22007bb149e5139c0060c68ad8f94b")
def ko_newscomments(source):
    """Comments on news of entertainment; the title is the headline."""
    comments = lines(source.text("unlabeled/unlabeled_comments_5.txt"))
    headlines = lines(source.text("news_title/unlabeled_comments.news_title_5.txt"))
    for (number, comment), (_number, headline) in zip(comments, headlines):
        yield Row(number + 1, comment, headline)


@table("mrbrandsma/master-thesis-populism@0b7b4cc85b6e84cb993e9c612298b5405ed8b5fa")
def nl_partytweets(source):
    """Tweets of parties, the names of accounts masked."""
    for part in ("dev", "test"):
        for number, tweet in enumerate(records(source.text(f"data/large_data/{part}.csv"))):
            yield Row(f"{part}-{number}", tweet["Tweet"], date=tweet["Date"])


@table("costinbusioc/FakeNews@f8d6899e0bd3082a283b77acf0e1d837f9fa7ae9")
def ro_portals(source):
    """News of portals, portal by portal."""
    for path, text in source.texts(r"^crawling/sources/.*\.csv$", r"/(agerpres|digi24|libertatea)\.csv$"):
        for number, article in enumerate(records(text)):
            yield Row(f"{stem(path)}-{number}", article["text"], article["title"], article["date_published"])


@table(
    "release-press-releases-romania/release-press-releases-romania.github.io@157b28a7a498e16cf571c67726d9390ce00aa755"
)
def ro_press(source):
    """Summaries of articles and press releases, as the feeds of sites have them."""
    for _path, feed in source.values(r"^data/feeds/.*\.json$"):
        for number, item in enumerate(feed["items"]):
            yield Row(f"{feed['slug']}-{number}", item["summary"], item["title"], item["published"])


@table("magizbox/scraper@3387ada618569fd73517092f2215a89398d8f7ee")
def vi_baomoi(source):
    """Articles of newspapers that one site collects; the title is the first line."""
    for path, text in source.texts(r"^vn_news/data/.*\.txt$"):
        title, _, body = text.strip().partition("\n")
        yield Row(stem(path), body, title)


@table("aruis/bilibilijob@b7046d52f675fa056b02fc594ebe8e4e22f6c51a")
def zh_bilijobs(source):
    """Job adverts of one employer; the title is post and city."""
    names = ("id", "address", "post", "text", "hours", "kind", "time", "city")
    for advert in records(source.text("doc/result.csv"), fieldnames=names):
        yield Row(advert["id"], advert["text"], f"{advert['post']} {advert['city'] or ''}", advert["time"])


@table("Gedanke/nlpTask@05b57312e229cb55dea0eb6286f40d7358bad344")
def zh_danmaku(source):
    """Comments that scroll over videos, video by video."""
    for _path, text in source.texts(r"^data/barrageMsg/.*\.csv$"):
        for record in records(text, restkey="rest"):
            # Some comments have commas and no quotes.
            yield Row(record["弹幕id"], ",".join([record["弹幕内容"], *record.get("rest", [])]))


@table("candlewill/Dialog_Corpus@a263af977a83a243d5e8e60b5ba9696e0e6347fa")
def zh_egretforum(source):
    """Questions in a forum of developers, each with its best answer after it."""
    with zipfile.ZipFile(io.BytesIO(source.bytes("egret-wenda-corpus.zip"))) as archive:
        posts = archive.read("egret-wenda-corpus-master/raw/egret_wenda_lines_raw.txt").decode().replace("\r\n", "\n")
    bar = r" \+\+\+\$\+\+\+ "
    for post in re.finditer(rf"(?ms)^(\d+){bar}.*?{bar}(.*?)(?=^\d+{bar}|\Z)", posts):
        yield Row(post[1], post[2])


@table("UCSD-AI4H/COVID-Dialogue@029e8ab2fc406366809815f000ed5bac71b16c1f")
def zh_medconsult(source):
    """Questions to doctors about COVID-19 and the answers, as dialogues."""
    dialogues = source.text("COVID-Dialogue-Dataset-Chinese.txt").replace("\r", "")
    for dialogue in re.finditer(r"(?ms)^id=(\d+)\n\S*\n(.*?)(?=^id=\d+\n|\Z)", dialogues):
        yield Row(dialogue[1], dialogue[2])
