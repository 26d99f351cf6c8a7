"""The tables of fifth.tsv, for tables.py. Some leave out their sources' largest files: those that labelled them did not have these."""

import csv
import html
import io
import json
import re
import zipfile
from pathlib import PurePosixPath

from sources import Row, lines, records, stem, table, within


@table("NadineNicoleSchmitt/Analyzing-German-News-Headlines@bc30e437183a8635d8ba96f0d9ad5e7fe49c0212")
def de_headlines(source):
    """Headlines of newspapers, as search results by subject have them: at most 2,500 of each newspaper and subject."""
    without = (
        "(Arbeitsmarkt|Bildung|Covid|Digitalisierung|Klimawandel|Rassismus|Ukraine)FAZ"
        "|(Bildung|Covid|Klimawandel|Ukraine)SZ|UkraineHandelsblatt|CovidSpiegel|ArbeitsmarktWirtschaftswoche"
    )
    for path, text in source.texts(r"^WebScraping/(FAZ|Handelsblatt|SZ|Spiegel|Wirtschaftswoche)/.*\.csv$", without):
        names = text.split("\n", 1)[0]
        delimiter = ";" if names.count(";") > names.count(",") else ","
        for number, record in enumerate(records(text, delimiter=delimiter)):
            if number == 2500:
                break
            headline = record.get("Title") or record.get("title") or record.get("Headline")
            yield Row(f"{stem(path)}-{number}", headline, date=record.get("Date"))


@table("Ketis1/Berlin-Polizei-reports@c4ae0ece97de5ab88fc4c98ae91554394105b675")
def de_polizei(source):
    """Press releases of the police of Berlin, 2014 to 2025, year by year."""
    for path, text in source.texts(r"^berlin_reports_yearly/.*\.csv$"):
        year = stem(path)[-4:]
        for number, record in enumerate(records(text)):
            yield Row(f"{year}-{number}", record["description"], record["title"], record["date"])


@table("shanalishah/Smart-Ad-Classifier-NLP-Powered-Craigslist-Moderation@6e64e0b209a47dbd61f39e4fe9bdc6bf9fcd01e8")
def en_craigslist(source):
    """Classified adverts for computers and parts."""
    for number, record in enumerate(records(source.text("data/combined_data.csv"))):
        yield Row(f"cl-{number}", record["description"], record["title"])


@table("data-is-plural/newsletter-archive@c35820ab5ba2b720a1eaa06ee4d1999328a5cb4e")
def en_dataplural(source):
    """Paragraphs of a weekly newsletter on data sets."""
    for path, text in source.texts(r"^editions/.*\.md$"):
        edition = within("editions", path)
        for number, paragraph in enumerate(re.split(r"\n\s*\n", text)):
            if len(paragraph) > 60:
                yield Row(f"{edition}-{number}", paragraph, date=edition)


@table("ItsMalikx/limbus-news-archive@4052675444631ae8b22fa4ecc0296dc0648eef71")
def en_gamenotices(source):
    """Notices of an online game: maintenance, updates, events."""
    for notice in json.loads(source.text("data/notices.json")):
        yield Row(notice["id"], notice["content"], notice["title"], notice["date"])


@table("fluid-project/fluid-irc-logs@8adbcc614b39d714ae8533d6f734511dd46d2400")
def en_irc(source):
    """Messages of a project's channels, its bots' among them, of at least 15 characters; the title is who wrote it."""
    for path, text in source.texts(r"^botbot\.me/[^/]+/.*\.log$"):
        day = within("botbot.me", path)
        for number, line in lines(text.replace("\\'", "'")):
            # Some lines are Python's representation of bytes.
            message = re.match(r"(?:b')?(\d{4}-\d\d-\d\dT[\d:]+) <([^>]+)> (.*)", line)
            if message and len(message[3]) >= 15:
                yield Row(f"{day}-{number}", message[3], message[2], message[1])


@table("mozilla/foundation-security-advisories@3b3c634b70342ed22f06614c696b3ad8867239e1")
def en_mfsa(source):
    """Security advisories, in Markdown and YAML."""
    for path, text in source.texts(r"^announce/.*\.(md|yml)$"):
        yield Row(path.removeprefix("announce/"), text)


@table(
    "nodejs/TSC@0e35767c9666d03c0e9596e636b35623887ffb6f",
    "ethereum/pm@cea5a16928f6f233a038d237bb0706c3a6f7bc6f",
)
def en_minutes(nodejs, ethereum):
    """Minutes and notes of meetings of two projects."""
    for path, text in nodejs.texts(r"^meetings/.*\.md$"):
        yield Row(f"nodejs/TSC:{path}", text)
    for path, text in ethereum.texts(r"(?i)(meeting|call|sync|breakout|notes|acd).*\.md$"):
        yield Row(f"ethereum/pm:{path}", text)


@table("mubaris/motivate@ff66d015fe9f6017444ea709f8e3217a0537c4cd")
def en_quotes(source):
    """Sayings; the title is the author."""
    for path, sayings in source.values(r"^motivate/data/.*\.json$"):
        for number, saying in enumerate(sayings["data"]):
            yield Row(f"{stem(path)}-{number}", saying["quote"], saying.get("author"))


@table("umbrae/reddit-top-2.5-million@d0efcade504b8ed735a48ddc2b15552fa924c9d9")
def en_redditposts(source):
    """Top posts that have a text, forum by forum."""
    without = "/(LetsNotMeet|fatpeoplestories|libraryofshadows|nosleep|subredditoftheday|tabled)[.]csv$"
    for _path, text in source.texts(r"^data/.*\.csv$", without):
        for post in records(text):
            if post.get("selftext"):
                yield Row(post["id"], html.unescape(post["selftext"]), post["title"], post["created_utc"])


@table("lintool/GrimmerSenatePressReleases@2c7bab8837f934437a9fdbb8460876fde31f5cae", most_rows=25_000)
def en_senatepress(source):
    """Press releases of senators, 2005 to 2007, senator by senator; the title is the first line."""
    for path, text in source.texts(r"^raw/[^/]+/.*\.txt$", encoding="latin-1"):
        title, _, body = text.strip().partition("\n")
        yield Row(within("raw", path), body, title.strip()[:300])


def text_messages(source, path):
    """Yields the messages of an archive of one XML file, found by their tags."""
    with zipfile.ZipFile(io.BytesIO(source.bytes(path))) as archive:
        messages = archive.read(archive.namelist()[0]).decode("utf-8", "replace")
    for message in re.finditer(r'(?s)<message id="(\d+)">.*?<text>(.*?)</text>', messages):
        yield Row(message[1], html.unescape(message[2]))


@table("kite1988/nus-sms-corpus@bf0a365170d324e61e4025edf363d400f1edd1a6")
def en_sms(source):
    """Text messages in English."""
    return text_messages(source, "smsCorpus_en_xml_2015.03.09_all.zip")


@table("AbhinavKota13/datascience@744f7ddda2910e6f8055fdb6191b727d3fab05b3")
def en_tickets(source):
    """Support tickets of an electronics shop, which their authors made up of phrases."""
    for ticket in records(source.text("customer_support_tickets.csv")):
        text = ticket["Ticket Description"].replace("{product_purchased}", ticket["Product Purchased"])
        yield Row(ticket["Ticket ID"], text, ticket["Ticket Subject"], ticket["Date of Purchase"])


@table("SirNate0/Urho3D-Discourse-Archive@9a0514311fb511086df5a544e5c7c4a879b74e29")
def en_urhoforum(source):
    """Posts of a game engine's forum, with what they quote, as plain text."""
    for _path, thread in source.values(r"^posts/json/.*\.json$"):
        for post in thread.get("post_stream", {}).get("posts", []):
            quoted = re.sub(r"(?s)<blockquote>(.*?)</blockquote>", as_quotation, post["cooked"])
            yield Row(post["id"], plain_text(quoted), thread.get("title"), post["created_at"])


def as_quotation(block):
    """Returns a quoted block with the mark of mails before each line."""
    return "".join(f"> {line}\n" for _number, line in lines(plain_text(block[1])))


def plain_text(markup):
    """Returns the text of a piece of HTML, blocks on lines of their own."""
    markup = re.sub(r"(?is)<(script|style).*?</\1>", "", markup)
    markup = re.sub(r"(?i)<(br|/p|/div|/li|/h\d|/tr|/blockquote|/aside)\b[^>]*>", "\n", markup)
    text = html.unescape(re.sub(r"<[^>]+>", "", markup))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


@table("MohammadHeydari/Persian-News-Agencies-on-Instagram-Dataset@e2fb23f30a77d9d76c3fa93ff9fe4584cb74b917")
def fa_instanews(source):
    """Posts of a news agency on Instagram."""
    for number, post in enumerate(json.loads(source.text("khabar_fouri.json"))["posts"]):
        yield Row(f"kf-{number}", post.get("caption"), date=post.get("date"))


@table("persiannlp/parsinlu@a3b08d0b93ca84e0017e2f490a2aa3ab36c79885")
def fa_reviews(source):
    """Reviews of food and films; the title is the category. The source repeats a review for each question asked about it."""
    pattern = r"^data/sentiment-analysis/(food(_dev|_test)?|movie(_dev|_test|_train)?)\.jsonl$"
    for path, text in source.texts(pattern):
        last = None
        for number, line in lines(text.strip()):
            record = json.loads(line)
            if record["review"] != last:
                last = record["review"]
                yield Row(f"{stem(path)}-{number}", last, record.get("category"))


@table("IndoNLP/indonlu@ce728f6926a36174b9923dfe49d6a6839b6e9bb7")
def id_reviews(source):
    """Reviews and comments."""
    for part in ("train", "valid", "test"):
        for number, line in lines(source.text(f"dataset/smsa_doc-sentiment-prosa/{part}_preprocess.tsv")):
            yield Row(f"{part}-{number}", line.rsplit("\t", 1)[0])


@table("e9t/nsmc@cc0670e872d4ac27bfe36c87456783004b39ef6c")
def ko_moviereviews(source):
    """Short reviews of films, film by film."""
    for _path, reviews in source.values(r"^raw/.*\.json$"):
        for review in reviews:
            yield Row(review["review_id"], review["review"], date=review["date"])


@table("masakhane-io/masakhane-news@819be052e79e0a600e0ed4a7356594681cb5c4f3")
def mul_africanews(source):
    """News of several broadcasters in African languages and French."""
    without = "/(eng/.*|(amh|fra|hau|swa|tir)/train)[.]tsv$"
    for path, text in source.texts(r"^data/.../(train|dev|test)\.tsv$", without):
        for number, record in enumerate(records(text, delimiter="\t", quoting=csv.QUOTE_NONE)):
            yield Row(f"{within('data', path)}-{number}", record["text"], record["headline"])


@table("lizfrey/comp-neuro-final-project@58db2aec843aa6f27ece093ad93a2657bf5a0932")
def mul_spamsms(source):
    """Text messages, spam and others, translated by machine: all German ones, then all French ones."""
    messages = list(records(source.text("data-en-hi-de-fr.csv")))
    for language in ("de", "fr"):
        for number, message in enumerate(messages):
            yield Row(f"{language}-{number}", message.get(f"text_{language}"))


@table("cardiffnlp/xlm-t@874214d64d96599eb869a033c22ec2cc57d19256")
def mul_tweets(source):
    """Tweets in eight languages, the names of accounts masked."""
    for part in ("train", "val", "test"):
        for number, line in lines(source.text(f"data/sentiment/all/{part}_text.txt")):
            yield Row(f"{part}-{number}", line)


@table("roneysco/Fake.br-Corpus@780f5516c4ae070761632d98ac3368f3ded09d35")
def pt_fakebr(source):
    """News from Brazil, false and true."""
    for path, text in source.texts(r"^full_texts/(true|fake)/.*\.txt$"):
        yield Row(within("full_texts", path), text)


@table("suleymancan/news-dataset@0e3a5bf92cc18ee7036bd76cbecfb287a6792981")
def tr_spots(source):
    """The one or two sentences that newspapers put below a headline."""
    for path, text in source.texts(r"^src/main/resources/static/newstitle/"):
        for number, line in lines(text):
            yield Row(f"{PurePosixPath(path).name}-{number}", line)


@table("sonlu3612/vietnamese-education-news-dataset@f104b858cd16a2e208ae81c7512bf9afb17da430")
def vi_edunews(source):
    """News about schools, true and false."""
    for path, article in source.values(r"_articles/.*\.json$"):
        text = article.get("maintext") or article.get("content") or article.get("text")
        yield Row(path, text, article.get("title"), article.get("date_publish"))


@table("hitokoto-osc/sentences-bundle@3d792a8efe5f396dbdd10918ac21bebc08b58922")
def zh_hitokoto(source):
    """Short sentences and sayings; the title is where they come from."""
    for _path, sentences in source.values(r"^sentences/.\.json$"):
        for sentence in sentences:
            yield Row(sentence["uuid"], sentence["hitokoto"], sentence["from"])


@table("SophonPlus/ChineseNlpCorpus@a0b781d72158bde242c0626c9e354d2b328865ff")
def zh_hotel(source):
    """Reviews of hotels."""
    reviews = source.text("datasets/ChnSentiCorp_htl_all/ChnSentiCorp_htl_all.csv")
    for number, record in enumerate(records(reviews)):
        yield Row(f"h{number}", record["review"])


@table("thunlp/Chinese_Rumor_Dataset@c1178d8cfd4c245c296889a51fc252b17c9037c5")
def zh_reposts(source):
    """Comments with which microblog posts were passed on: of each post the first 40 that have at least 12 characters."""
    for _path, reposts in source.values(r"^CED_Dataset/(non-)?rumor-repost/[^.].*\.json$"):
        comments = [repost for repost in reposts if len(repost.get("text") or "") >= 12]
        for comment in comments[:40]:
            yield Row(comment["mid"], comment["text"], date=comment["date"])


@table("kite1988/nus-sms-corpus@bf0a365170d324e61e4025edf363d400f1edd1a6")
def zh_sms(source):
    """Text messages in Chinese."""
    return text_messages(source, "smsCorpus_zh_xml_2015.03.09.zip")


@table("SophonPlus/ChineseNlpCorpus@a0b781d72158bde242c0626c9e354d2b328865ff")
def zh_waimai(source):
    """Comments on delivered meals."""
    for number, record in enumerate(records(source.text("datasets/waimai_10k/waimai_10k.csv"))):
        yield Row(f"w{number}", record["review"])
