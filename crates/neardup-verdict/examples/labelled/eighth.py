"""The tables of eighth.tsv, for tables.py."""

import json
from datetime import datetime, timezone

from sources import Row, lines, records, stem, table


@table("echo-stacker/cailianshe-daily-archive@8fe1fd6f12a95dee176a0e102487742b4aa360a8")
def zh_wire(source):
    """Newsflashes of three Chinese financial wires, 8 to 21 June 2026, wire by wire."""
    for path, text in source.texts(r"^sources/(cls|eastmoney|ths)/data/2026/2026-06-(0[89]|1\d|2[01])\.jsonl$"):
        wire = path.split("/")[1]
        for _number, line in lines(text):
            if line.strip():
                flash = json.loads(line)
                yield Row(f"{wire}-{flash['id']}", flash["content"], flash["title"], flash["datetime"])


@table("thunlp/Chinese_Rumor_Dataset@c1178d8cfd4c245c296889a51fc252b17c9037c5")
def zh_rumor(source):
    """Microblog posts, about half of which were reported as rumours, 2009 to 2017."""
    for path, post in source.values(r"^CED_Dataset/original-microblog/[^.].*\.json$"):
        yield Row(stem(path), post["text"], date=moment(post["time"]))


@table("BlankerL/DXY-COVID-19-Data@85063b69beee944903fdba0c71c450ad9e6420f7")
def zh_dxynews(source):
    """Short news on the epidemic as a medical site listed them, January to March 2020; a few are in English."""
    for news in records(source.text("csv/DXYNews.csv")):
        yield Row(news["id"], news["summary"], news["title"], news["pubDate"])


@table("readr-media/readr-data@f80f3704c68f5d616adeb9564a30d707ef1f56c8")
def zh_fbpages(source):
    """Posts of Taiwanese pages on seven referendums of 2018 and 2021, referendum by referendum; a post may be in several."""
    for path, text in source.texts(r"^referendum_fb_2021/referendum(07|08|09|10|12|13|19)\.csv$"):
        for post in records(text):
            yield Row(f"{stem(path)[-2:]}-{post['']}", post["Message"], date=post["Post.Created"])


@table("EricZhu-42/QZone_Spider@11801b78d4065e89acdf0390eb8c0499f0f1e13c")
def zh_campus(source):
    """Posts of a student service at a university, most of them on lost property; what they tell apart is often in pictures."""
    for _path, posts in source.values(r"^data/NJU_QFX\.json$"):
        for time, post in posts.items():
            yield Row(time, post["content"], date=moment(time))


def moment(time):
    """Returns a Unix time, or a date as microblogs write it, in ISO 8601."""
    if str(time).isdigit():
        return datetime.fromtimestamp(int(time), timezone.utc).isoformat()
    return datetime.strptime(time, "%a %b %d %H:%M:%S %z %Y").isoformat()
