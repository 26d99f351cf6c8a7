"""The tables of ninth.tsv, for tables.py. Some leave out their sources' largest files: those that labelled them did not have these."""

import ast
import html
import io
import json
import re
import zipfile
from contextlib import suppress
from email.utils import parsedate_to_datetime
from xml.etree import ElementTree

from sources import Row, records, stem, table


def paragraphs(markup):
    """Returns the text of HTML without scripts, tags and empty lines."""
    markup = re.sub(r"(?is)<(script|style)\b.*?</\1>", " ", markup or "")
    markup = re.sub(r"(?i)<(?:br|/p|/div|/li|/tr|/h\d)[^>]*>", "\n", markup)
    text = re.sub(r"[ \t\xa0\u200b]+", " ", html.unescape(re.sub(r"<[^>]+>", "", markup)))
    return re.sub(r"\n\s*\n+", "\n", text)


def with_quotes(markup):
    """Returns the text of a forum's HTML, with a mark before the lines that quote."""
    markup = re.sub(r"(?i)<(/?)blockquote[^>]*>", lambda tag: "\n\2\n" if tag[1] else "\n\1\n", markup)
    markup = re.sub(r"(?i)<br\s*/?>\s*|</(?:p|div|li|tr)>", "\n", markup)
    quoted = []
    depth = 0
    for line in map(str.strip, html.unescape(re.sub(r"<[^>]+>", "", markup)).split("\n")):
        if line == "\1":
            depth += 1
        elif line == "\2":
            depth = max(0, depth - 1)
        else:
            quoted.append("> " * depth + line)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(quoted))


def sheet(workbook):
    """Yields the rows of a workbook's first sheet, without the first row: the cells by the letters of their columns."""
    namespace = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(io.BytesIO(workbook)) as archive:
        shared = []
        if "xl/sharedStrings.xml" in archive.namelist():
            strings = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
            shared = ["".join(item.itertext()) for item in strings.iter(f"{namespace}si")]
        rows = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml")).iter(f"{namespace}row")
    for row in list(rows)[1:]:
        cells = {}
        for cell in row:
            text = "".join(cell.itertext())
            if text:
                cells[cell.get("r").rstrip("0123456789")] = shared[int(text)] if cell.get("t") == "s" else text
        yield cells


@table("antcorpus/antcorpus.multisource.data@f117ce44a9cfad0dcbd341b7d744e4c3cdb4fed8")
def ar_ant(source):
    """Articles of five broadcasters' sites, February to October 2018, site by site and section by section."""
    for number, (path, article) in enumerate(source.texts(r"\.txt$"), 1):
        parts = dict(re.findall(r"(?s)<(TIME|TITLE|TEXT)>(.*?)</\1>", article))
        try:
            date = parsedate_to_datetime(parts["TIME"].strip()).isoformat()
        except (KeyError, TypeError, ValueError):
            date = stem(path)[-8:]
        yield Row(number, parts.get("TEXT"), parts.get("TITLE", "").strip(), date)


@table("bakarin/Corona-NewsScraper-Tagesschau@17e69f81a6cc0354eb6ee015928d5778c582389b")
def de_coronaticker(source):
    """A broadcaster's articles on the epidemic, as they stood each day in spring 2020; the title is the path of the address."""
    for path, text in source.texts(r"^data/2020"):
        for article in records(text):
            yield Row(f"{stem(path)}#{article['']}", article["article"], article["url"], article["date"][:19])


@table("av9ash/gitbugs@51e31ae034c54157b713dc9045aac95876fc50ff")
def en_bugs(source):
    """Bug reports of two projects, and of an editor, where many are in other languages than English; the title is the summary."""
    bugs = [
        (bug["Summary"], bug["Description"])
        for path in ("hadoop/hadoop_bugs.csv", "seamonkey/SeaMonkey_bugs.csv")
        for bug in records(source.text(path))
    ]
    editor = source.text("multilingual/multilingual_bug_reports_vscode.csv")
    bugs += [(bug["title"], bug["body"]) for bug in records(editor)]
    for number, (title, text) in enumerate(bugs, 1):
        yield Row(number, text, title)


@table("opendcl/forum-archive@ad10ae279fbf8f36dfcfe552356b1bfca6ecf94c")
def en_cadforum(source):
    """Posts of a forum on dialogs for CAD programs, thread by thread, with quotes and code; the title is the thread's."""
    for _path, page in sorted(source.texts(r"^topics/"), key=lambda topic: int(re.match(r"topics/(\d+)", topic[0])[1])):
        title = re.search(r"(?s)<h1>(.*?)</h1>", page)
        for name, post in re.findall(r'(?s)<article class="post" id="(msg\d+)">(.*?)</article>', page):
            body = re.search(r'(?s)<div class="post-body">(.*)</div>', post)
            date = re.search(r"post-date[^>]*>([^<]*)", post)
            yield Row(name, body and with_quotes(body[1]), title and html.unescape(title[1]), date and date[1])


@table("yanmsong/Skills-Extraction-from-Data-Science-Job-Postings@13411cbf2cbe7948bacb12fd77b2008bc8165f04")
def en_dsjobs(source):
    """Job adverts for data analysts on three portals, portal by portal; a job may be posted in several cities."""
    files = source.texts(r"^data/(glassdoor_data|indeed|linkedin_data)[^/]*\.csv$")
    adverts = [advert for _path, text in files for advert in records(text)]
    for number, advert in enumerate(adverts, 1):
        text = advert["Description"] or ""
        # One portal's adverts are lists of paragraphs, but not all that open with a bracket.
        if text.startswith("["):
            with suppress(SyntaxError, TypeError, ValueError):
                text = "\n".join(ast.literal_eval(text))
        yield Row(number, text, advert["Job Title"] if "Job Title" in advert else advert["Name"])


@table("mikethedriver002-beep/her-sports-news-scraper@45c7a97da4f0d1855f4cf7ecf6fcfeda4e1e4eb7")
def en_wsports(source):
    """Teasers on women's sports from feeds, 19 crawls in June 2026, with each version of a teaser once."""
    versions = {}
    for _path, text in source.texts(r"^run_history/.*/womens_sports_articles\.csv$"):
        for item in records(text):
            versions.setdefault((item["link"], item["title"], item["summary"]), item["published"])
    for number, ((_link, title, summary), date) in enumerate(versions.items(), 1):
        yield Row(f"{number:05}", summary, title, date)


@table("nkrusch/fi-news-corpus@25855183001bc07f2ffda00c92f76ea464b2aafe", most_rows=40_000)
def fi_teasers(source):
    """Headlines of a tabloid newspaper with their teasers, by time from 20 February 2022 on."""
    articles = [article for _path, text in source.texts(r"^corpus/") for article in records(text)]
    for article in sorted(articles, key=lambda article: (article["paivamaara"], article["id"])):
        if article["paivamaara"] >= "2022-02-20" and article["tiivistelma"] != "NULL":
            yield Row(article["id"], article["tiivistelma"], article["otsikko"], article["paivamaara"])


@table("yourssu/ssufid-sites@a69e19fa182e85ce75a8acb15b7da3da5e8ba21a")
def ko_ssunotices(source):
    """Notices of a university and its departments, site by site."""
    for path, text in source.texts(r"data\.json$", without=r"^(calendar|biz\.|mediamba\.|oasis\.)"):
        for notice in json.loads(text)["items"]:
            name = f"{path.removesuffix('/data.json')} {notice['id']}"
            yield Row(name, paragraphs(notice.get("content")), notice.get("title"), notice.get("created_at"))


@table("anesta95/food_safety_recalls@03962d8e22f9ed683f4a1cd633fcf13a46422153")
def mul_recalls(source):
    """Recalls of food in English and Spanish: the text lists the products, the title says who recalls them and why."""
    for recall in json.loads(source.text("transformed_staged_data/usda_food_safety_recalls_staged.json")):
        text, title = (html.unescape(recall[part] or "") for part in ("product_description", "title"))
        yield Row(recall["uid"], text, title, (recall["notification_dttm"] or "")[:10])


@table("thaisgarcia/news-classification@094a21947e4a5b569b0d95c9234736c56bb58016")
def pt_heads(source):
    """Headlines of Brazilian portals and papers, crawl by crawl and section by section."""
    for number, headline in enumerate(records(source.text("noticias.csv")), 1):
        yield Row(number, headline["titulo"])


@table("MMFreitas1/Analysis-of-Portuguese-news@4c5e7c9855dfa606ce4d73bcd3895702e588001e")
def pt_sic(source):
    """Teasers of a Portuguese broadcaster's news, with headlines."""
    for number, news in enumerate(sheet(source.bytes("Data/news.xlsx")), 1):
        yield Row(number, news.get("D"), news.get("C"), news.get("A"))


@table("mnngoisaoxanh/tintuchangngay@7abff6db61b6ad73162aad1600a7940bfb98f035")
def vi_tintuc(source):
    """Teasers of Vietnamese newspapers in one week of August 2026, day by day."""
    for _path, articles in source.values(r"^data/news/.*\.json$"):
        for article in articles:
            name = f"{article['source']} {article['id']}"
            yield Row(name, paragraphs(article.get("summary")), article.get("title"), article.get("published"))


@table("Tangweiyu/SmartGovernment@4430cc039ee707c3a3835fb0ee97abde46cca2c8")
def zh_complaints(source):
    """What citizens wrote to the government of a city, whose places are coded; the title is the subject."""
    for message in sheet(source.bytes("data/附件3.xlsx")):
        yield Row(message.get("A"), re.sub(r"\s*\n\s*", "\n", message.get("E", "")), message.get("C"), message.get("D"))


@table("rebornZH/2019-CCF-BDCI-NLP@daeaba037be4ea5440f23b5e0d51ef5e59b4e667")
def zh_finrisk(source):
    """Posts, adverts and news that name lenders, as a contest on risks collected them."""
    for post in records(source.text("data/a/Test_Data.csv")):
        yield Row(post["id"], post["text"], post["title"])


# In the order of the table.
FEEDS = """people-daily readhub 36kr jiemian wallstreetcn zaobao cctv guangming caixin-latest caixin-article caixin-weekly
huxiu ifanr qqtech geekpark chaping xwlb people-politics cls-telegraph-watch readhub-daily ai-era latepost"""


@table("exposir/RSS@8f2baf25e147b99a36ca8eeae4fa134661551380")
def zh_portalfeeds(source):
    """Articles and flashes from the feeds of Chinese papers, portals and wires, end of January 2026, feed by feed."""
    files = [f"feeds/{feed}.json" for feed in FEEDS.split()]
    # Earlier states of two feeds, whose latest are among the largest files.
    files += ["next-app/public/feeds/xinhua.json", "next-app/public/feeds/ithome.json"]
    for file in files:
        for item in json.loads(source.text(file))["items"]:
            name = f"{stem(file)} {item.get('url') or item.get('id') or item.get('title')}"
            text = paragraphs(item.get("content_html") or item.get("content_text"))
            yield Row(name, text, item.get("title"), item.get("date_published"))
