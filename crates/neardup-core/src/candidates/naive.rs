//! The rule as a reader would write it down, to test the fast way and the guard's against.

use std::cmp::Reverse;
use std::convert::Infallible;

use proptest::prelude::*;

use super::spill::InMemory;
use super::{
    Apart, CandidateRule, Candidates, Earlier, Judged, Lack, Leaders, Member, Options, Probe, Ranked, Row, Rows,
};

/// A row of a table: its keys, its text and whatever else the rule knows.
#[derive(Clone, Debug)]
struct Article {
    keys: Vec<u64>,
    text: u8,
    scope: u32,
    time: Option<i64>,
}

fn row(articles: &[Article], position: usize) -> Row {
    let article = &articles[position];
    Row {
        position: position as u32,
        id: 1000 + position as u64,
        scope: article.scope,
        time: article.time,
        hash: article.text.into(),
        bytes: u32::from(article.text) * 100,
    }
}

fn earlier(articles: &[Article], position: usize) -> Earlier {
    Earlier { position: position as u32, id: 1000 + position as u64, time: articles[position].time }
}

/// The first row with the same text in the same scope.
fn exact_duplicate(articles: &[Article], position: usize, options: &Options) -> Option<usize> {
    let this = &articles[position];
    let same = |other: &usize| articles[*other].text == this.text && articles[*other].scope == this.scope;
    (0..position).filter(|other| options.is_indexed(*other as u32)).find(same)
}

/// All candidates of a row, in the order of the rule, without a window.
fn candidates(articles: &[Article], position: usize, options: &Options) -> Vec<Ranked<Earlier>> {
    let this = &articles[position];
    let enough = if this.keys.len() == 1 { 1 } else { 2 };
    let mut shared: Vec<(u32, Reverse<u32>)> = vec![(0, Reverse(u32::MAX)); position];
    for key in &this.keys {
        let has = |other: &usize| options.is_indexed(*other as u32) && articles[*other].keys.contains(key);
        let count = (0..position).filter(has).count();
        let is_hot = count > options.rule.hot;
        let meets = |other: &usize| {
            has(other)
                && articles[*other].scope == this.scope
                && !(options.is_probe(*other as u32) && exact_duplicate(articles, *other, options).is_some())
        };
        let meeting: Vec<usize> = (0..position).filter(meets).collect();
        let last = if is_hot { meeting.len().saturating_sub(options.rule.rows_of_key) } else { 0 };
        for &other in &meeting[last..] {
            let (weight, rarest) = &mut shared[other];
            *weight += if is_hot { 1 } else { 2 };
            rarest.0 = rarest.0.min(if is_hot { u32::MAX } else { count as u32 });
        }
    }
    let mut found: Vec<((u32, Reverse<u32>), usize)> = shared
        .into_iter()
        .zip(0..)
        .filter(|&((weight, _), other)| weight >= enough && options.near(this.time, articles[other].time))
        .collect();
    found.sort_unstable_by(|a, b| b.cmp(a));
    let is_long = row(articles, position).bytes as usize >= options.rule.long;
    let most = if is_long { options.rule.commons_of_long } else { options.rule.commons };
    let mut commons = 0;
    let is_rare = |rarest: u32| rarest as usize <= options.rule.rare;
    found.retain(|&((_, rarest), _)| {
        commons += usize::from(!is_rare(rarest.0));
        is_rare(rarest.0) || commons <= most
    });
    found.truncate(options.rule.texts);
    found
        .into_iter()
        .map(|((weight, rarest), other)| {
            let lack = Lack { is_single: weight <= 2, is_common: !is_rare(rarest.0) };
            Ranked { row: earlier(articles, other), weight, rarest: rarest.0, lack }
        })
        .collect()
}

fn all_candidates(articles: &[Article], options: Options, memory: usize) -> Candidates<InMemory> {
    let mut rows = Rows::new(options, memory);
    for (position, article) in articles.iter().enumerate() {
        let row = row(articles, position);
        rows.add(&row);
        article.keys.iter().for_each(|key| rows.add_key(*key, &row));
    }
    rows.finish()
}

fn has_one_key(articles: &[Article]) -> impl Fn(u64) -> Result<bool, Infallible> + '_ {
    |id| Ok(articles[id as usize - 1000].keys.len() == 1)
}

fn next(
    candidates: &mut Candidates<InMemory>,
    articles: &[Article],
    leaders: Option<&Leaders<InMemory>>,
) -> Option<Probe> {
    let is_open = |position| Some(leaders.is_none_or(|leaders| leaders.is_kept(position)));
    candidates.next(is_open, has_one_key(articles)).unwrap_or_default()
}

/// Whether one of two texts may be removed, and whether the second is the longer one.
fn judged(kept: u8, duplicate: u8) -> Option<Judged> {
    let is_near = kept.abs_diff(duplicate) <= 1;
    is_near.then_some(Judged { verdict: 7, score: 0.5, loses: false, kept_hash: kept.into() })
}

/// The list of a table: the duplicate rows, each with the row that is kept.
fn listed(articles: &[Article], options: Options) -> Vec<(u32, u32)> {
    let mut candidates = all_candidates(articles, options, 1 << 20);
    let mut leaders: Leaders<InMemory> = Leaders::new(options, 0, 1 << 20);
    let text = |row: &Earlier| articles[row.position as usize].text;
    while let Some(probe) = next(&mut candidates, articles, Some(&leaders)) {
        let own = articles[probe.position as usize].text;
        let Ok(()) = leaders.place(&probe, &Apart::default(), |kept| Ok::<_, Infallible>(judged(text(kept), own)));
    }
    let Ok(members) =
        leaders.finish(|heir, member| Ok::<_, Infallible>(judged(text(&heir.kept), text(&member.duplicate))));
    let mut pairs: Vec<(u32, u32)> =
        members.map(|Member { kept, duplicate, .. }| (duplicate.position, kept.position)).collect();
    pairs.sort_unstable();
    pairs
}

/// The same, as a guard finds it that marks copies and sees one row after the other.
fn guarded(articles: &[Article], options: &Options) -> Vec<(u32, u32)> {
    let mut marks: Vec<Option<usize>> = Vec::new();
    for (position, this) in articles.iter().enumerate() {
        let rows = |key: &u64| {
            let mut rows: Vec<usize> = (0..position).filter(|other| articles[*other].keys.contains(key)).collect();
            rows.drain(..rows.len().saturating_sub(options.rule.rows_of_key_in_scopes));
            Ok::<_, Infallible>(rows)
        };
        let Ok(ranking) = options.rule.rank(this.keys.iter(), rows);
        let meets = |other: usize| articles[other].scope == this.scope && options.near(articles[other].time, this.time);
        let candidates = || ranking.candidates.iter().filter(|ranked| meets(ranked.row));
        let identical = candidates().filter(|ranked| ranked.weight == ranking.all).find(|ranked| {
            articles[ranked.row].text == this.text && (marks[ranked.row].is_none() || options.window.is_none())
        });
        let mut budget = options.rule.budget(this.text as usize * 100);
        let mut original = identical.map(|ranked| marks[ranked.row].unwrap_or(ranked.row));
        for ranked in candidates() {
            if original.is_some() {
                break;
            }
            if marks[ranked.row].is_none() && budget.allows(ranked.lack) {
                budget.spend(ranked.lack);
                original = judged(articles[ranked.row].text, this.text).map(|_| ranked.row);
            }
        }
        marks.push(original);
    }
    let marked = marks.into_iter().enumerate();
    marked.filter_map(|(position, mark)| Some((position as u32, mark? as u32))).collect()
}

/// Articles whose keys follow from their texts: identical texts have the same keys.
fn articles(times: bool) -> impl Strategy<Value = Vec<Article>> {
    let text = (0_u8..12, 0_u32..2, prop::option::of(0_i64..40));
    prop::collection::vec(text, 0..80).prop_map(move |rows| {
        let article = |(text, scope, time): (u8, u32, Option<i64>)| {
            let mut keys: Vec<u64> = match text % 4 {
                0 => vec![u64::from(text / 4)],
                1 => vec![90, 91, u64::from(text)],
                2 => vec![90, 91, 92],
                _ => vec![u64::from(text / 2), u64::from(text), 90],
            };
            keys.sort_unstable();
            keys.dedup();
            Article { keys, text, scope, time: time.filter(|_| times) }
        };
        rows.into_iter().map(article).collect()
    })
}

fn options(rule: CandidateRule, window: Option<u64>) -> Options {
    Options { rule, window, first_probe: 0, indexes_probes: true, excerpts_give_way: true }
}

const SMALL: CandidateRule = CandidateRule {
    hot: 3,
    rows_of_key: 5,
    rows_of_key_in_scopes: 1000,
    texts: 4,
    rare: 1,
    commons: 3,
    commons_of_long: 2,
    long: 600,
    singles_of_long: 2,
};

proptest! {
    #[test]
    fn the_candidates_are_those_of_the_rule(
        articles in articles(false), first_probe in 0_u32..40, indexes_probes: bool, memory in 0_usize..100_000,
    ) {
        let options = Options { first_probe, indexes_probes, ..options(SMALL, None) };
        // Below this, the lists of hot keys are shortened.
        let mut fast = all_candidates(&articles, options, memory.max(64 * 24 * 4 * 10));
        let mut probe = next(&mut fast, &articles, None);
        for position in first_probe as usize..articles.len() {
            let exact_duplicate = exact_duplicate(&articles, position, &options);
            let expected = if exact_duplicate.is_some() { Vec::new() } else { candidates(&articles, position, &options) };
            match probe.take_if(|probe| probe.position == position as u32) {
                Some(found) => {
                    prop_assert_eq!(found.exact_duplicate.map(|exact_duplicate| exact_duplicate.position as usize), exact_duplicate);
                    prop_assert_eq!(found.candidates, expected);
                    probe = next(&mut fast, &articles, None);
                }
                None => prop_assert!(exact_duplicate.is_none() && expected.is_empty(), "{position} {expected:?}"),
            }
        }
        prop_assert_eq!(probe, None);
    }

    #[test]
    fn a_list_names_the_copies_that_a_guard_marks(
        articles in articles(false), hot in 0_usize..30, texts in 1_usize..80, rare in 0_usize..10, commons in 1_usize..20,
    ) {
        let options = options(CandidateRule { hot, rows_of_key: 1000, texts, rare, commons, ..SMALL }, None);
        prop_assert_eq!(listed(&articles, options), guarded(&articles, &options));
    }

    #[test]
    fn so_it_does_within_a_time_window(articles in articles(true), hot in 0_usize..30, window in 0_u64..40) {
        let options = options(CandidateRule { hot, rows_of_key: 1000, texts: 80, commons: 80, commons_of_long: 80, singles_of_long: 80, ..SMALL }, Some(window));
        let copies = |pairs: Vec<(u32, u32)>| pairs.into_iter().map(|(duplicate, _)| duplicate).collect::<Vec<_>>();
        prop_assert_eq!(copies(listed(&articles, options)), copies(guarded(&articles, &options)));
    }
}
