"""The tables of seventh.tsv, for tables.py. Some leave out their sources' largest files: those that labelled them did not have these."""

import csv
import gzip
import html
import io
import json
import re
import zipfile
from xml.etree import ElementTree

from sources import Row, lines, records, stem, table, within


def words(markup):
    """Returns the text of HTML: a line for each paragraph, no tags."""
    text = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"</p>|<br[^>]*>|</li>", "\n", markup)))
    return "\n".join(filter(None, (re.sub(r"\s+", " ", line).strip() for line in text.split("\n"))))


def without_tags(markup):
    text = re.sub(r"<[^>]*>", " ", re.sub(r"</(?:p|li|div|h\d)>|<br */?>", "\n", markup))
    return re.sub(r"[ \xa0]+", " ", html.unescape(text))


@table("iamaber/bangla-news-scraper@66b7693614e7e9a61122c875eca71716e69db3cb")
def bn_news(source):
    """Articles of two newspapers on a few days of January and August 2024; one has its print and its online articles."""
    for number, article in enumerate(records(source.text("Prothomalo/data.csv"))):
        yield Row(f"prothomalo-{number}", article["Article Body"], article["Headline"], article["Date Published"])
    for number, article in enumerate(records(source.text("Jugantor/jugantor_articles.csv"))):
        yield Row(f"jugantor-{number}", article["Body"], article["Headline"], article["Date"])


@table("defgsus/frontpage-archive-2026@09aee5b774962ecfd0a9bce3fdd21a6d6624807c")
def de_frontpages(source):
    """Teasers on the front pages of German news sites on one day, page by page: an article stands on several."""
    for path, page in source.values(r"^docs/snapshots/.*\.json$"):
        if isinstance(page, dict):
            for number, article in enumerate(page.get("articles", [])):
                name = f"{within('docs/snapshots', path)}-{number}"
                yield Row(name, article.get("teaser"), article.get("title"), page.get("timestamp"))


@table("nd-crane/trusted_ke@135462aee70d38e32e34e5954a5e750c9a1910df")
def en_airincidents(source):
    """What happened in accidents and incidents of aircraft, 1975 to 2008, in a line of capitals each; those that had to do with maintenance."""
    for incident in records(source.text("OMIn_dataset/data/FAA_data/Maintenance_Text_data_nona.csv")):
        yield Row(incident["c5"], incident["c119"], f"{incident['c11'].strip()} {incident['c14'].strip()}", incident["c9"])


@table("boto/botocore@0e6e2404b85dc336dd2889814e089bde7d1a4c55")
def en_apichanges(source):
    """The entries of a library's changelog; the title is the version."""
    for version, entries in re.findall(r"(?ms)^(\d[\d.]*)\n=+\n(.*?)(?=^\d[\d.]*\n=|\Z)", source.text("CHANGELOG.rst")):
        for number, entry in enumerate(re.findall(r"(?ms)^\* (.*?)(?=^\* |\Z)", entries)):
            yield Row(f"{version}-{number}", " ".join(entry.split()), version)


@table("allgau-alps/skitour@1107b8c2eeaaa79219cd2e618a86509dba8f3c6a")
def en_avalanche(source):
    """Avalanche bulletins of Tyrol, Vorarlberg and Bavaria in one winter, each for some regions and half a day or a day."""
    for _path, day in source.values(r"^data/bulletin_cache/.*\.json$"):
        for bulletin in day["bulletins"]:
            parts = [bulletin.get(part) or {} for part in ("avalancheActivity", "snowpackStructure")]
            parts += bulletin.get("tendency") or []
            texts = [part.get(kind) for part in parts for kind in ("highlights", "comment")]
            title = ", ".join(region["name"] for region in bulletin["regions"])
            yield Row(bulletin["bulletinID"], "\n".join(filter(None, texts)), title, bulletin["validTime"]["startTime"])


@table("natmrubin/prosecutor-press-releases@492f02ee2ac1bc5d33f45a239253e18e2443a379")
def en_dapress(source):
    """Press releases of local prosecutors, with the menus and footers of their sites; the title is the first line."""
    for path, text in source.texts(r"^text/.*\.txt$"):
        title, _, body = text.strip().partition("\n")
        yield Row(within("text", path), body, title)


@table("lennymd/news21-pressReleasesDOJ@1a05eb9883822edd7f1bbecd2a73c554b2c4f37c")
def en_doj(source):
    """Press releases of a department of justice, 2009 to 2018. The crawl wrote None for paragraphs that it lost."""
    releases = list(records(source.text("scrape_pressRelease/out_url_list_withID.csv")))
    for path, text in source.texts(r"^scrape_pressRelease/pressReleases_txt/.*\.txt$"):
        if text.strip() != "None":
            release = releases[int(stem(path).split("_")[1])]
            yield Row(stem(path), text, release["title"], release["date"])


@table("gaganpreet/hn-hiring-mapped@9b6b32f9c3e0665cc944b82bfd2a1b7e61248fac")
def en_hnhiring(source):
    """Job posts of a forum's monthly thread, January 2014 to June 2016; many come again each month."""
    for path, posts in source.values(r"^src/web/data/.*\.json$"):
        if "2014-01" <= stem(path) <= "2016-06":
            for post in posts:
                text = re.sub("<[^>]*>", "", post["full_html"].replace("<p>", "\n\n"))
                yield Row(post["url"].split("=")[-1], html.unescape(text), date=stem(path))


@table("ICG216/Airbnb_Edinburgh@05b0026b7111a8f1ba8b234a8b41340f74ef590c")
def en_lodgings(source):
    """Descriptions of lodgings in a city, by those who let them, with their HTML; the title is the advert's."""
    for lodging in records(gzip.decompress(source.bytes("listings.csv.gz")).decode()):
        yield Row(lodging["id"], lodging["description"], lodging["name"], lodging["last_scraped"])


@table("prakasharyaman/NewpaperNews-API@b6603c9bea78305508214b61ccce45011f67ff4d")
def en_newsfeed(source):
    """Summaries of news in English, as an interface gives them by country and section, and by source."""
    for path, feed in source.values(r"^(top-headlines/category/.*/(us|gb|au|in)|everything/(?!aajtak).*)\.json$"):
        for number, article in enumerate(feed.get("articles", [])):
            name = f"{within('', path)}-{number}"
            yield Row(name, article.get("description"), article.get("title"), article.get("publishedAt"))


@table("odenizgiz/Podcasts-Data@b418c3031428cbb7886d92a6e715a6d86f04bb9c")
def en_podcasts(source):
    """Paragraphs of the descriptions of podcasts' episodes, podcast by podcast, without short ones."""
    with zipfile.ZipFile(io.BytesIO(source.bytes("data/11.raw data.zip"))) as archive:
        for path in archive.namelist():
            if re.match(r"11\.raw data/\d+\.txt$", path):
                for number, paragraph in lines(archive.read(path).decode("utf-8", "replace")):
                    if len(paragraph.strip()) >= 100:
                        yield Row(f"{stem(path)}-{number}", paragraph)


@table("malelew/ucsd-police-log-database@d5de34ad6d687f58a96b77bc8729b7b224ba8281")
def en_policelog(source):
    """Calls to the police of a campus, a line each; the title is the kind of call."""
    for _path, calls in source.values("^scrape_script/data/pulled_logs_data.json$"):
        for call in calls:
            yield Row(call["CASE_NUMBER"], call["SUMMARY"], call["CALL_CATEGORY"], call["DATE_REPORTED"])


@table("kenambrose-GSA/CDO-Council-Public-Comment-Analysis-Project@3aa5c719e18edeb6d2f2c8662ac76ef42bdb3173")
def en_regcomments(source):
    """Public comments on proposed rules, many written from a template of a campaign."""
    folder = "clickableprototype/dedup"
    clustered = source.text(f"{folder}/clustered_comments.csv")
    for text in (clustered, *(text for _path, text in source.texts(rf"^{folder}/data/.*\.csv$"))):
        for comment in records(text):
            yield Row(comment["name"], comment["text"])


@table("CVFH/Tuits_arg_2019@06478c978997470ca403c4fdcec67e06ea93bf16", most_rows=40_000)
def es_argtweets(source):
    """Tweets of Argentine candidates and governors, account by account."""
    for _path, text in source.texts(r"^Data/.*\.csv$", r"/(datos_base|temas_palabras)\.csv$"):
        for tweet in records(text):
            yield Row(tweet["tweet_id"], tweet["text"], date=tweet["created_at"])


@table("diegooclato/uoc-TyCD@646bf3fd3ac27c8d4b831900fa8f970ced4c53d7")
def es_covidnews(source):
    """News on COVID-19, as a channel's site has them, found by several search words."""
    for number, article in enumerate(records(source.text("WebScrapingCode/news_pandemia_covid19.csv"), delimiter=";")):
        # Some records are torn at line ends; the parts have no address.
        if (article["Noticia URL"] or "").startswith("http"):
            yield Row(f"{article['Clave']}-{number}", article["Contenido"], article["Titulo"], article["Fecha"])


@table("hiAndrewQuinn/selkouutiset-scrape-cleaned@8c0183a7152c3a92bb3ceabb78e7a83b99e51bc1")
def fi_plainnews(source):
    """News in plain Finnish, as a broadcaster reads them out each day: a row for each item."""
    for path, text in source.texts(r"^\d{4}/\d\d/\d\d/index\.fi\.md$"):
        day = "-".join(path.split("/")[:3])
        for number, item in enumerate(re.split(r"(?m)^## ", text)):
            title, _, body = item.partition("\n")
            # What stands before the first heading is a list of the others.
            if number:
                yield Row(f"{day}-{number}", body, title, day)


@table("CivicDash/democratie@f4d516598b7709c1ecfdef87200f1f4e3ea21d33")
def fr_amendements(source):
    """Amendments to two bills in a parliament, what they change and why; the title is the article."""
    for _path, value in source.values(r"^public/data/amendements/(DLR5L17N50819|DLR5L17N51670)/.*\.json$"):
        amendment = value["amendement"]
        contents = amendment["corps"].get("contenuAuteur") or {}
        parts = (contents.get(part) for part in ("dispositif", "exposeSommaire"))
        text = "\n".join(without_tags(part) for part in parts if isinstance(part, str))
        article = amendment["pointeurFragmentTexte"]["division"]["articleDesignation"]
        yield Row(amendment["uid"], text, article, amendment["cycleDeVie"]["dateDepot"])


@table("omilab/Neural-Sentiment-Analyzer-for-Modern-Hebrew@628897188e7956f702fec2a2b09d173559c24dc7")
def he_fbcomments(source):
    """Comments on the posts of a head of state; spaces stand between words and marks, quotes are as in the source."""
    for part in ("train", "test"):
        for number, line in lines(source.text(f"data/token_{part}.tsv")):
            yield Row(f"{part}-{number}", line.rpartition("\t")[0])


@table("4mbrus/Hungarian-News-Scrape@63c9735700621d3baec7bc57f80ee4c29a9124ff")
def hu_portals(source):
    """News of four portals on a few days, portal by portal."""
    for path, text in source.texts(r"^data_raw/.*_db\.csv$"):
        for number, article in enumerate(records(text)):
            name = f"{stem(path).removesuffix('_db')}-{number}"
            yield Row(name, article["body"], article["title"], article["pub_date"])


@table("Lumingft18/Scraping-Articoli-Incidenti-Coratolive@77d2526220e1485d771ae2fa579b443b794e6f7d")
def it_accidents(source):
    """News of a town's portal on accidents and traffic."""
    for article in json.loads(source.text("data/incidents.json")):
        yield Row(article["id"], article["content"], article["title"], article["date"])


@table("groundcobra009/japan-news-frontpage-index@d87d67e7282c6eca9588d72c04b78462ed179221")
def ja_headlines(source):
    """Headlines of newspapers and broadcasters, ten days in July and August 2026, with many of earthquakes."""
    for _path, text in source.texts(r"^data/2026/(07/2026-07-(2[89]|3\d)|08/2026-08-0[1-6])\.csv$"):
        for headline in records(text):
            if headline["status"] == "ok":
                # The same headline is collected several times a day.
                yield Row(headline["url"], headline["headline"], date=headline["date"])


@table("cmoon78/korean-news-analysis@d4bc95587d698ca07f0dde7b9ce41698d0e581f9")
def ko_fnnews(source):
    """The first hundred characters of a newspaper's articles, often the caption of a photo; the title says what it is about."""
    for article in records(source.text("Sample_for_testing.csv")):
        yield Row(article["item_id"], article["description"], article["title"], article["pub_date"])


@table("ainaju618-blip/koreanewskorea@0a1c06135fbe4792553292d51811dad345d2e0ef")
def ko_localpress(source):
    """Press releases of towns and counties, as a site crawled them, some of them twice."""
    for release in records(source.text("backupscrapers/backups/posts_backup_20251219_172054.csv")):
        yield Row(release["id"], release["content"], release["title"], release["published_at"])


@table("sajao/CrisisLex@d67cddd51131dbb28842209014f67cffe359ff42")
def mul_crisistweets(source):
    """Tweets during 26 disasters, event by event, in English, Spanish, Italian, Portuguese and others."""
    for _path, text in source.texts(r"^data/CrisisLexT26/.*-tweets_labeled\.csv$"):
        for tweet in records(text):
            yield Row(tweet["Tweet ID"].strip('"'), tweet[" Tweet Text"])


@table("pyvideo/data@8d37350255d05fefef7354ed5f382c1c669429d0")
def mul_talks(source):
    """Descriptions of talks of conferences and meetings, most in English, some with what is said of the event or the channel."""
    for path, talk in source.values(r"^[^/]+/videos/.*\.json$"):
        yield Row(within(".", path), talk.get("description"), talk["title"], talk.get("recorded"))


@table("shreya-bista/nepali-news-clustering@9bf527afd0239c5a5ab77b86e87fecd117fda8fc")
def ne_onlinekhabar(source):
    """Articles of an online newspaper, 2016 to 2019."""
    for part in (1, 3):
        articles = gzip.decompress(source.bytes(f"onlinekhabar/onlinekhabar_05112019_{part}.json.gz")).decode()
        for _number, line in lines(articles.strip()):
            article = json.loads(line)
            yield Row(article["id"], article["description"], article["title"], article["date_nepali"])


@table("azietek/real-estate-market-analysis@fb32520b302455e525d04941538955ce6b16cdf6")
def pl_flats(source):
    """Adverts of flats for sale in a city, from four crawls that overlap; the title is the advert's."""
    for path, text in source.texts(r"^data/(morizon_1_10|morizon_11_40|morizon_40_80|oferty)\.csv$"):
        for number, advert in enumerate(records(text)):
            yield Row(f"{stem(path)}-{number}", advert["opis"], advert["nazwa_ogloszenia"])


@table("jghm-f/FACTCK.BR@57e25d742ea14cb912069d3f6e9a0333477bc9c3")
def pt_factck(source):
    """Claims that Brazilian fact-checkers reviewed, as they quote them; the title is the article's."""
    claims = records(source.text("FACTCKBR.tsv"), delimiter="\t", quoting=csv.QUOTE_NONE)
    for number, claim in enumerate(claims, 1):
        yield Row(number, claim["claimReviewed"], claim["title"], claim["datePublished"])


@table("NKTKLN/telegram-news-classifier@b8b03f1982910fbf4151c184f1ade8b67aa1f585")
def ru_tgchannels(source):
    """Posts of Russian Telegram channels on news and programming, most of autumn 2024, channel by channel."""
    for path, posts in source.values(r"^data/raw/.*_messages\.json$"):
        for post in posts:
            yield Row(f"{stem(path).split('_')[0]}-{post['message_id']}", post["text"], date=post["date"])


@table("theisuru/sentiment-tagger@de08e39efd4796d1a0e883012cf42b17f316cc96", most_rows=30_000)
def si_newscomments(source):
    """Comments on the news of a newspaper, article by article; the title is the headline."""
    for path, text in source.texts("^corpus/raw_data/"):
        title = re.search(r"(?s)<title>(.*?)</title>", text)
        pattern = r"(?s)<comment>.*?<date>(.*?)</date>.*?<index>(\d+)</index>.*?<phrase>(.*?)</phrase>"
        for day, number, comment in re.findall(pattern, text):
            yield Row(f"{stem(path)}-{number}", html.unescape(comment), title and html.unescape(title[1]), day)


@table("rpetar/newspaper-scrapers@31ee76a616d5810f6ce21c08eb8b52784356374c")
def sr_newspaper(source):
    """News of a tabloid newspaper, much of it from agencies, as a search for some words found it."""
    with zipfile.ZipFile(io.BytesIO(source.bytes("Alo/data/articles/Alo.zip"))) as archive:
        for name in archive.namelist():
            if name.endswith(".xml"):
                article = ElementTree.fromstring(archive.read(name)).find("article")
                text, title, day = (article.findtext(f"article-{part}") for part in ("text", "title", "time"))
                # The lines are indented as XML.
                yield Row(stem(name), re.sub(r"\s*\n\s*", "\n", text or ""), title, day)


@table("dnouri/polisen-se-events-history@1df068afa9065a2acc8a4569d0f51b6560c2d4d6")
def sv_police(source):
    """What the police tell of events, April to August 2026; the title has time, kind and place."""
    for path, page in source.texts(r"^html/6[345]\d{4}\.html$"):
        title = re.search(r"<h1>(.*?)</h1>", page, re.S)
        preamble = re.search(r'<p class="preamble">(.*?)</p>', page, re.S)
        body = re.search(r'<div class="text-body editorial-html">(.*?)</div>', page, re.S)
        text = "\n".join(words(part[1]) for part in (preamble, body) if part)
        yield Row(stem(path), text, title and words(title[1]))


@table("PyThaiNLP/thaigov-corpus@ee227b25d88d90e97dac579fbd9295860e8c302e")
def th_thaigov(source):
    """News and notices of a government and its ministries, 2018 to 2020; the title starts with the site's name."""
    for path, text in source.texts(r"^(16|23|24|thaigov2-(9|10|11))/.*\.txt$"):
        title, _, rest = text.lstrip("\ufeff").strip().partition("\n")
        # The address stands below the text.
        body = re.split(r"\nที่มา ?:", rest)[0]
        yield Row(within(".", path), re.sub(r"[ \t\r]*\n\s*", "\n", body), title)


@table("oztalha/TR-2014@84234d3825444bb59e67ccf9e4e68aa9d2900674")
def tr_headlines(source):
    """Headlines of a portal, 2013 to January 2015; a number after a dash marks a second article on the same news."""
    for number, record in enumerate(records(source.text("data/TR-headlines.csv"))):
        yield Row(f"tr-{number}", record["title"])


@table(
    "COVID-19-Weibo-data/COVID-19-sentiment-analysis-dataset-Weibo@c83c628f2b2d2b6a4a6d82306ddf5014776fd22b"
)
def zh_covidweibo(source):
    """Posts under the hashtags of two days in February 2020: news, forwards, comments, adverts."""
    for day in ("2.25", "2.26"):
        posts = source.bytes(f"COVID-19 Unlabeled Weibo Data/{day}.csv").decode("gb18030", "replace")
        for number, post in enumerate(records(posts)):
            yield Row(f"{day}-{number}", post["text"], date=f"2020-0{day.replace('.', '-')}")


@table("lihkg-foresight/lihkg-dataset@2aeb4461355810be21748977a3213251789e484b")
def zh_lihkg(source):
    """Posts of a forum that mention blank votes, before an election in Hong Kong, in Cantonese."""
    for post in records(source.text("2019-blank-vote/blank-vote-posts.csv")):
        yield Row(f"{post['thread_id']}-{post['msg_id']}", post["msg"], date=post["time"])


@table("666ghj/Weibo_PublicOpinion_AnalysisSystem@35084eb41fe47b054020834d0766624946f57755")
def zh_weibo(source):
    """Posts of spring 2018 on anything: sayings, adverts, votes for stars."""
    file = "SentimentAnalysisModel/WeiboSentiment_MachineLearning/data/weibo2018/train.txt"
    for _number, line in lines(source.text(file)):
        post = line.split(",", 2)
        if len(post) == 3:
            yield Row(post[0], post[2])
