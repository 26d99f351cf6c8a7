//! Splits a group of rows with near signatures into messages, by their texts and times.
//!
//! Near signatures mean the same form; a [`verdict`] on the texts decides whether the content is the same. Rows are processed in
//! their order: each joins the nearest earlier representative whose message it repeats, or becomes a representative itself.
//! Finally, an excerpt is replaced by a longer text that contains it and all rows that joined it.
//! Promised: a row that joins a representative is within the distance and the time window of it, and removing the row loses nothing,
//! by the verdict on the two.

use ahash::AHashMap;

use crate::{Verdict, replaces};
use neardup_text::{Result, interrupt};

/// With how many representatives, the nearest ones, a row is compared. Otherwise, in a group of templates with other facts,
/// each row would be compared with all before it.
const MOST_COMPARED: usize = 16;

/// Where a row of the group belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Position of the representative; the row's own if it is one.
    pub representative: u32,
    /// The verdict on the row and its representative; `Copy` with score 1 for a representative.
    pub verdict: Verdict,
    /// The score of the verdict, 0 to 1.
    pub score: f64,
}

/// A group, its rows in the order of preference; all slices have the same length.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// The rows' signatures.
    pub signatures: &'a [u64],
    /// Their texts; without texts, every near row is a copy.
    pub documents: Option<&'a [&'a str]>,
    /// The greatest distance of a row from the one it joins.
    pub distance: u32,
    /// Their times, and how far apart these may be; a row without a time is near all others.
    pub window: Option<(&'a [Option<i64>], u64)>,
}

impl Group<'_> {
    fn apart(&self, a: u32, b: u32) -> u32 {
        (self.signatures[a as usize] ^ self.signatures[b as usize]).count_ones()
    }

    fn meet(&self, a: u32, b: u32) -> bool {
        self.window.is_none_or(|(times, within)| match (times[a as usize], times[b as usize]) {
            (Some(a), Some(b)) => a.abs_diff(b) <= within,
            _ => true,
        })
    }
}

/// Splits a group into messages. `kept` gives the verdict on two texts and its score, if one of them may be removed.
///
/// # Errors
/// Those of `kept`.
pub fn split_by_message(
    group: Group<'_>,
    kept: impl FnMut(&str, &str) -> Result<Option<(Verdict, f64)>>,
) -> Result<Vec<Place>> {
    let mut split = Split { group, verdict: kept, places: Vec::new(), representatives: Vec::new(), longer: Vec::new() };
    let mut seen: AHashMap<&str, u32> = AHashMap::new();
    for position in (0..).take(group.signatures.len()) {
        let own = Place { representative: position, verdict: Verdict::Copy, score: 1.0 };
        let document = group.documents.map(|documents| documents[position as usize]);
        let known = document.and_then(|document| seen.get(document)).map(|&earlier| split.places[earlier as usize]);
        let place = match known.filter(|place| group.meet(place.representative, position)) {
            Some(place) => place,
            None => split.join(position)?.unwrap_or(own),
        };
        if place.representative == position {
            split.representatives.push(position);
        }
        split.places.push(place);
        if let Some(document) = document {
            seen.entry(document).or_insert(position);
        }
    }
    split.prefer_longer()?;
    Ok(split.places)
}

struct Split<'a, K> {
    group: Group<'a>,
    verdict: K,
    places: Vec<Place>,
    representatives: Vec<u32>,
    /// Representatives, each with a later and longer one that contains it.
    longer: Vec<(u32, u32)>,
}

impl<K: FnMut(&str, &str) -> Result<Option<(Verdict, f64)>>> Split<'_, K> {
    fn length(&self, row: u32) -> usize {
        self.group.documents.map_or(0, |documents| documents[row as usize].len())
    }

    /// Gives the verdict on two rows, if one of them may be removed.
    fn kept(&mut self, row: u32, other: u32) -> Result<Option<(Verdict, f64)>> {
        interrupt::check();
        match self.group.documents {
            Some(documents) => (self.verdict)(documents[row as usize], documents[other as usize]),
            None => Ok(Some((Verdict::Copy, 1.0))),
        }
    }

    /// Gives where `row` belongs, if by a verdict it may be removed while `other` stays.
    fn place(&self, row: u32, other: u32, (verdict, score): (Verdict, f64)) -> Option<Place> {
        let text = |row: u32| self.group.documents.map_or("", |documents| documents[row as usize]);
        let goes = replaces(verdict, text(other), text(row));
        goes.then_some(Place { representative: other, verdict, score })
    }

    /// Gives where a row belongs among the representatives so far, if one of the nearest has the same message.
    fn join(&mut self, position: u32) -> Result<Option<Place>> {
        let group = self.group;
        let mut near: Vec<(u32, u32)> = self.representatives.iter().map(|&r| (group.apart(r, position), r)).collect();
        near.retain(|&(apart, r)| apart <= group.distance && group.meet(r, position));
        if near.len() > MOST_COMPARED {
            near.select_nth_unstable(MOST_COMPARED);
            near.truncate(MOST_COMPARED);
        }
        near.sort_unstable();
        let first = self.longer.len();
        for &(_, representative) in &near {
            let Some(kept) = self.kept(position, representative)? else { continue };
            if let Some(place) = self.place(position, representative, kept) {
                self.longer.truncate(first);
                return Ok(Some(place));
            }
            if self.length(representative) < self.length(position)
                && self.place(representative, position, kept).is_some()
            {
                self.longer.push((representative, position));
            }
        }
        Ok(None)
    }

    /// Replaces shorter representatives by longer ones that contain them, if all rows that joined them can follow.
    fn prefer_longer(&mut self) -> Result<()> {
        let mut longer = std::mem::take(&mut self.longer);
        longer.sort_by_key(|&(short, long)| (self.length(short), short, long));
        for (short, long) in longer {
            if self.places[short as usize].representative != short || self.places[long as usize].representative != long
            {
                continue;
            }
            let members: Vec<u32> =
                (0..).zip(&self.places).filter(|(_, p)| p.representative == short).map(|(m, _)| m).collect();
            let mut moved = Vec::with_capacity(members.len());
            for &member in &members {
                let reaches = self.group.apart(member, long) <= self.group.distance && self.group.meet(member, long);
                let kept = if reaches { self.kept(member, long)? } else { None };
                match kept.and_then(|kept| self.place(member, long, kept)) {
                    Some(place) => moved.push(place),
                    None => break,
                }
            }
            if moved.len() == members.len() {
                members.iter().zip(moved).for_each(|(&member, place)| self.places[member as usize] = place);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::kept_on;

    const NEWS: &str = "江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。";
    const LONGER: &str = "江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。比赛从上午九时开始，沿江两岸站满了看热闹的乡亲，锣鼓队也来助阵，散场时天已经黑了，孩子们还在岸边学着划桨的样子，老人们说起从前的赛事。";

    fn group<'a>(signatures: &'a [u64], documents: &'a [&'a str]) -> Group<'a> {
        Group { signatures, documents: Some(documents), distance: 7, window: None }
    }

    fn representatives(group: Group<'_>) -> Vec<u32> {
        split_by_message(group, kept_on).unwrap().iter().map(|place| place.representative).collect()
    }

    fn split(documents: &[&str]) -> Vec<u32> {
        representatives(group(&vec![0; documents.len()], documents))
    }

    #[test]
    fn rows_too_far_in_time_do_not_meet() {
        let times = [Some(0), Some(3), Some(4), None, Some(9), Some(6)];
        let window = Some((&times[..], 2));
        let same = Group { window, ..group(&[0; 6], &[NEWS; 6]) };
        assert_eq!(representatives(same), [0, 1, 1, 0, 4, 5]);
        assert_eq!(representatives(Group { documents: None, ..same }), [0, 1, 1, 0, 4, 5]);
        assert_eq!(representatives(Group { window: None, ..same }), [0; 6]);
        let pair = Group { window: Some((&times[..2], 2)), ..group(&[0; 2], &[NEWS, LONGER]) };
        assert_eq!(representatives(pair), [0, 1]);
    }

    #[test]
    fn without_texts_the_distance_decides() {
        let near = Group { documents: None, ..group(&[0, 0x7f, 0xff, 0x1ff], &[]) };
        assert_eq!(representatives(near), [0, 0, 2, 2]);
    }

    #[test]
    fn copies_of_an_update_join_the_update() {
        let update = NEWS.replace("第十届", "第十一届").replace("二十四", "三十");
        assert_eq!(split(&[NEWS, &update, NEWS, &update, &format!("{NEWS}！")]), [0, 1, 0, 1, 0]);
    }

    #[test]
    fn an_excerpt_gives_way_with_all_that_joined_it() {
        assert_eq!(split(&[NEWS, NEWS, LONGER]), [2, 2, 2]);
        assert_eq!(split(&[LONGER, NEWS]), [0, 0]);
    }

    #[test]
    fn nothing_joins_what_is_far() {
        let places = split_by_message(group(&[0, 0xff], &[NEWS, NEWS]), kept_on).unwrap();
        // The same text has the same signature; signatures that say otherwise are of other texts by whoever made them.
        assert_eq!(places[1].representative, 0);
        let places = split_by_message(group(&[0, 0xff], &[NEWS, LONGER]), kept_on).unwrap();
        assert_eq!((places[0].representative, places[1].representative), (0, 1));
    }

    #[test]
    fn representatives_represent_themselves() {
        let documents: Vec<String> = (0..60).map(|i| NEWS.replace("二十四", &(i % 40 + 100).to_string())).collect();
        let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
        let places = split_by_message(group(&vec![0; documents.len()], &documents), kept_on).unwrap();
        for place in &places {
            assert_eq!(places[place.representative as usize].representative, place.representative);
        }
        assert_eq!(places.iter().zip(0..).filter(|(p, i)| p.representative == *i).count(), 40);
    }
}
