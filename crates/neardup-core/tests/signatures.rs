//! Recomputes the golden vectors of `docs/internals/signatures.md`: the code does what the page promises.
#![allow(clippy::unwrap_used, reason = "tests")]

use neardup_core::document::{HashedTokens, Weights, minhash as minhash_of};
use neardup_core::signature::bloom::BloomFilter;
use neardup_core::signature::corpus::CorpusStatistics;
use neardup_core::signature::digest::text_digest;
use neardup_core::signature::e_simhash::e_simhash;
use neardup_core::signature::minhash::{MinHash, MinHashRef, MinHasher, Parameters, Scheme, fingerprint};
use neardup_core::signature::p_simhash::PSimhash;
use neardup_core::signature::shingle::spans;
use neardup_core::signature::simhash::{SimHashCounter, keep_bits, to_hex};
use neardup_core::signature::tokenset::TokenSet;
use neardup_core::weighting::Weighting;
use neardup_text::hash::{mix, token_hash};
use neardup_text::normalize::{Buffer, Steps, normalize};
use neardup_text::{Scratch, Spec};

const SENTENCE: &str = "近似重复的新闻，改动几个字。";
const STAMP: u64 = 0x0123_4567_89ab_cdef;

/// The collection that the page describes.
struct Collection;

impl CorpusStatistics for Collection {
    fn rarity(&self, word: u64) -> f64 {
        let documents = [("太阳队", 12.0), ("总决赛", 45.0), ("赢", 160.0)]
            .into_iter()
            .find_map(|(text, documents)| (token_hash(text) == word).then_some(documents))
            .unwrap_or(1.0);
        libm::log(1000.0 / documents)
    }

    fn co_occurrence(&self, a: u64, b: u64) -> f64 {
        let pair = [token_hash("太阳队"), token_hash("总决赛")];
        if pair == [a, b] || pair == [b, a] { 0.25 } else { 0.0 }
    }

    fn neighbour_entropy(&self, word: u64) -> f64 {
        match word {
            _ if word == token_hash("太阳队") => 1.5,
            _ if word == token_hash("总决赛") => 2.25,
            _ => 0.0,
        }
    }
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn shingled_counter() -> SimHashCounter {
    let boundaries: Vec<u32> =
        SENTENCE.char_indices().map(|(at, _)| at as u32).chain([SENTENCE.len() as u32]).collect();
    let (starts, ends) = spans(&boundaries, 3);
    let mut counter = SimHashCounter::new();
    counter.add_pieces(SENTENCE.as_bytes(), starts, ends);
    counter
}

fn grams() -> Vec<u64> {
    let characters: Vec<char> = SENTENCE.chars().collect();
    characters.windows(3).map(|gram| token_hash(&gram.iter().collect::<String>())).collect()
}

fn minhash(scheme: Scheme, elements: &[u64], count: usize, width: u32, seed: u64) -> String {
    let mut hasher = MinHasher::new(Parameters::new(scheme, count, width, STAMP).unwrap(), seed);
    hasher.add_all(elements);
    hasher.finish().unwrap().to_string()
}

fn sketch(text: &str, fingerprint: u64) -> MinHash {
    let mut hasher = MinHasher::new(Parameters::sketch(3, fingerprint).unwrap(), 0);
    minhash_of(text, &"shingles:5".parse().unwrap(), &mut Scratch::default(), &mut hasher).unwrap().unwrap()
}

fn keys(signature: &MinHash) -> String {
    let keys = MinHashRef::parse(signature.as_bytes()).unwrap().keys();
    keys.map(|key| format!("{key:016x}")).collect::<Vec<_>>().join(" ")
}

/// Each golden vector's name and value, in the order of the page.
fn computed() -> Vec<(String, String)> {
    let mut vectors = Vec::new();
    let mut add = |name: &str, value: String| vectors.push((name.to_owned(), value));

    for text in ["", "a", "字", "新闻", "五个字呢吧"] {
        add(&format!("token_hash({text})"), to_hex(token_hash(text)));
    }
    for times in [4, 10, 30, 60] {
        add(&format!("token_hash(新闻 * {times})"), to_hex(token_hash(&"新闻".repeat(times))));
    }
    add("mix(1, 1)", to_hex(mix(1, 1)));
    add("mix(token_hash(新闻), 3)", to_hex(mix(token_hash("新闻"), 3)));

    let mut counter = shingled_counter();
    let signature = counter.finish().unwrap();
    add("simhash(3-grams)", to_hex(signature));
    add("simhash(3-grams, 32 bits)", to_hex(keep_bits(signature, 32).unwrap()));
    let totals: Vec<String> = counter.totals().iter().take(8).map(i64::to_string).collect();
    add("simhash totals 0 to 7 (3-grams)", totals.join(" "));
    counter.reset();
    for (word, weight) in [("近似", 3), ("重复", 2), ("新闻", 2), ("改动", 0)] {
        counter.add_weighted(token_hash(word), weight);
    }
    add("simhash(近似 3, 重复 2, 新闻 2, 改动 0)", to_hex(counter.finish().unwrap()));

    let mut tokens = HashedTokens::default();
    for weighting in [Weighting::None, Weighting::Count, Weighting::LogCount, Weighting::Tf] {
        tokens.read_tokens([["北京"; 6].as_slice(), &["地铁", "地铁", "线路", "开通"]].concat()).unwrap();
        let signature = tokens.simhash(Weights::By(weighting), 64).unwrap().unwrap();
        add(&format!("simhash(北京 6 times, 地铁 twice, 线路, 开通; {})", weighting.name()), to_hex(signature));
    }

    let grams = grams();
    let one = [token_hash("新闻")];
    let numbers: Vec<u64> = (0..2000).map(|number| token_hash(&number.to_string())).collect();
    for (name, elements) in [("3-grams", &grams[..]), ("新闻", &one), ("0 to 1999", &numbers)] {
        for width in [32, 16] {
            let value = minhash(Scheme::ManyHash, elements, 8, width, 0);
            add(&format!("minhash({name}, 8 values, {width} bits)"), value);
        }
    }
    add("minhash(3-grams, 8 values, 32 bits, seed 7)", minhash(Scheme::ManyHash, &grams, 8, 32, 7));
    add(
        "text_digest of minhash(3-grams, 128 values, 32 bits) in hexadecimal",
        hex(text_digest(&minhash(Scheme::ManyHash, &grams, 128, 32, 0))),
    );
    for (name, elements) in [("3-grams", &grams[..]), ("新闻", &one)] {
        add(&format!("minhash({name}, 8 values, bottom_k)"), minhash(Scheme::BottomK, elements, 8, 32, 0));
    }
    for (name, elements) in [("3-grams", &grams[..]), ("新闻", &one), ("0 to 1999", &numbers)] {
        let value = minhash(Scheme::BottomK, elements, 8, 16, 0);
        add(&format!("minhash({name}, 8 values, bottom_k, 16 bits)"), value);
    }
    add("minhash(0 to 1999, 3 values, bottom_k, 64 bits)", minhash(Scheme::BottomK, &numbers, 3, 64, 0));
    let made = fingerprint(&"shingles:5".parse::<Spec>().unwrap().to_json().unwrap(), 0);
    add("fingerprint(definition of shingles:5, seed 0)", to_hex(made));
    for text in [
        "Straße über Ålesund",
        "İstanbul ışık",
        "știri",
        "ещё за\u{301}мок",
        "Οδός μάϊος",
        "قَالَ محمـد إلى المدرسة",
        "کتابی ۱۴۰۲",
        "שָׁלוֹם",
        "हिन्दी ज़्यादा यहाँ १२",
        "khoẻ khỏe thúy hoà",
        "เเม่",
        "അവൻ",
    ] {
        let mut buffer = Buffer::default();
        let spelled = normalize(text, Steps::CASEFOLD.union(Steps::SPELLING), &mut buffer);
        add(&format!("spelling({text})"), spelled.to_owned());
    }
    for text in [
        SENTENCE,
        "PostgreSQL 18 的新索引 is faster",
        "四个字吧",
        "two words",
        "增长2.5%，达1,234.5亿元",
        "ひらがなとカタカナの文です。",
        "กขคงจฉชซญฎ ABC",
        "Die Straße führt über Köln nach Ålesund",
    ] {
        let sketch = sketch(text, made);
        add(&format!("sketch({text}; shingles:5, 3 keys)"), sketch.to_string());
        add(&format!("keys of sketch({text}; shingles:5, 3 keys)"), keys(&sketch));
    }
    let minhash_keys = |scheme, width| keys(&minhash(scheme, &grams, 8, width, 0).parse().unwrap());
    add("keys of minhash(3-grams, 8 values, 32 bits)", minhash_keys(Scheme::ManyHash, 32));
    add("keys of minhash(3-grams, 8 values, bottom_k, 16 bits)", minhash_keys(Scheme::BottomK, 16));
    for seed in [0, 7] {
        add(&format!("fingerprint(chars:5, seed {seed})"), to_hex(fingerprint("chars:5", seed)));
    }

    let definition = "chars:5".parse::<Spec>().unwrap().to_json().unwrap();
    add("fingerprint(definition of chars:5, seed 0)", to_hex(fingerprint(&definition, 0)));
    let set = |tokens: &[&str], weights, description| {
        let mut room = HashedTokens::default();
        room.read_tokens(tokens.iter().copied()).unwrap();
        let bytes = room.token_set(weights, fingerprint(description, 0)).unwrap();
        TokenSet::decode(&bytes).unwrap().to_text()
    };
    let words = ["近似", "新闻", "新闻"];
    add("tokenset(近似 新闻 新闻, none)", set(&words, Weights::By(Weighting::None), "tokens"));
    add("tokenset(近似 新闻 新闻, count)", set(&words, Weights::By(Weighting::Count), "tokens count"));
    let given = set(&["近似", "新闻"], Weights::Given(&[1.0, 2.5]), "tokens given");
    add("tokenset(近似 1, 新闻 2.5, given)", given);

    for text in ["", "新闻", SENTENCE] {
        add(&format!("text_digest({text})"), hex(text_digest(text)));
    }
    add("text_digest(the sentence * 20)", hex(text_digest(&SENTENCE.repeat(20))));
    let mut filter = BloomFilter::new(10, 0.01).unwrap();
    for text in ["新闻", "近似", "重复"] {
        filter.insert(text);
    }
    add("bloom_filter(新闻, 近似, 重复; 10 at 0.01)", filter.to_string());

    let words = ["太阳队", "总决赛", "赢", "雄鹿队", "太阳队", "总决赛"].map(token_hash);
    add("p_simhash", to_hex(PSimhash::default().signature(&words, &Collection).unwrap()));
    add("e_simhash", to_hex(e_simhash(&words, &Collection, 64).unwrap().unwrap()));
    vectors
}

#[test]
fn the_page_states_what_the_code_computes() {
    let page = include_str!("../../../docs/internals/signatures.md");
    let block = page.split_once("```golden\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    let stated: Vec<(String, String)> =
        block.lines().filter_map(|line| line.split_once(" = ")).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    assert_eq!(stated, computed());
}
