//! A group of near signatures, split into messages by what the texts say.
//!
//! Signatures bring together what has the same form; a [`verdict`] on the texts says what has the same content. Rows are
//! taken in their order: each joins the nearest earlier representative whose message it repeats, or becomes a
//! representative itself. At the end an excerpt gives way to a longer text that holds it and all that joined it.
//! Promised: whoever joins a representative is within the distance of it and by its verdict loses nothing.

use ahash::AHashMap;

use crate::verdict::{Verdict, same_message};
use crate::{Result, interrupt};

/// How many representatives a row is compared with, the nearest ones: in a group of templates with other facts each row would
/// otherwise be compared with all before it.
const MOST_COMPARED: usize = 16;

/// Where a row of the group belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Position of the representative; the row's own where it is one.
    pub representative: u32,
    /// What the row is to its representative; `Copy` with score 1 to itself.
    pub verdict: Verdict,
    /// How sure that is, 0 to 1.
    pub score: f64,
}

/// Splits a group, given in the order of preference, into messages. Both slices have the same length.
///
/// # Errors
/// Those of [`same_message`].
pub fn split_by_message(signatures: &[u64], documents: &[&str], distance: u32) -> Result<Vec<Place>> {
    let mut split =
        Split { signatures, documents, distance, places: Vec::new(), representatives: Vec::new(), longer: Vec::new() };
    let mut seen: AHashMap<&str, u32> = AHashMap::new();
    for (position, &document) in (0..).zip(documents) {
        let own = Place { representative: position, verdict: Verdict::Copy, score: 1.0 };
        let place = match seen.get(document) {
            Some(&earlier) => split.places[earlier as usize],
            None => split.join(position)?.unwrap_or(own),
        };
        if place.representative == position {
            split.representatives.push(position);
        }
        split.places.push(place);
        seen.entry(document).or_insert(position);
    }
    split.prefer_longer()?;
    Ok(split.places)
}

struct Split<'a> {
    signatures: &'a [u64],
    documents: &'a [&'a str],
    distance: u32,
    places: Vec<Place>,
    representatives: Vec<u32>,
    /// Representatives, each with a later and longer one that holds it.
    longer: Vec<(u32, u32)>,
}

impl Split<'_> {
    fn apart(&self, a: u32, b: u32) -> u32 {
        (self.signatures[a as usize] ^ self.signatures[b as usize]).count_ones()
    }

    /// Whether `row` can go if `other` stays.
    fn repeats(&self, row: u32, other: u32) -> Result<Option<Place>> {
        interrupt::check();
        let (a, b) = (self.documents[row as usize], self.documents[other as usize]);
        let message = same_message(a, b)?;
        let goes = match message.verdict {
            Verdict::Copy => true,
            Verdict::Excerpt => a.chars().count() <= b.chars().count(),
            _ => false,
        };
        Ok(goes.then_some(Place { representative: other, verdict: message.verdict, score: message.score }))
    }

    /// The place of a row among the representatives so far, if one of the nearest has its message.
    fn join(&mut self, position: u32) -> Result<Option<Place>> {
        let mut near: Vec<(u32, u32)> = self.representatives.iter().map(|&r| (self.apart(r, position), r)).collect();
        near.retain(|&(apart, _)| apart <= self.distance);
        if near.len() > MOST_COMPARED {
            near.select_nth_unstable(MOST_COMPARED);
            near.truncate(MOST_COMPARED);
        }
        near.sort_unstable();
        for &(_, representative) in &near {
            if let Some(place) = self.repeats(position, representative)? {
                return Ok(Some(place));
            }
        }
        for &(_, representative) in &near {
            let (a, b) = (self.documents[representative as usize], self.documents[position as usize]);
            if a.len() < b.len() && self.repeats(representative, position)?.is_some() {
                self.longer.push((representative, position));
            }
        }
        Ok(None)
    }

    /// Lets shorter representatives give way to longer ones that hold them, if all that joined them can follow.
    fn prefer_longer(&mut self) -> Result<()> {
        let mut longer = std::mem::take(&mut self.longer);
        longer.sort_by_key(|&(short, long)| (self.documents[short as usize].len(), short, long));
        for (short, long) in longer {
            if self.places[short as usize].representative != short || self.places[long as usize].representative != long
            {
                continue;
            }
            let members: Vec<u32> =
                (0..).zip(&self.places).filter(|(_, p)| p.representative == short).map(|(m, _)| m).collect();
            let mut moved = Vec::with_capacity(members.len());
            for &member in &members {
                match if self.apart(member, long) <= self.distance { self.repeats(member, long)? } else { None } {
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

    const NEWS: &str = "江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。";
    const LONGER: &str = "江口镇今日举办第十届龙舟赛，二十四支队伍参加，最终上游村队夺得冠军，奖金捐给镇上小学。比赛从上午九时开始，沿江两岸站满了看热闹的乡亲，锣鼓队也来助阵，散场时天已经黑了，孩子们还在岸边学着划桨的样子，老人们说起从前的赛事。";

    fn split(documents: &[&str]) -> Vec<u32> {
        let places = split_by_message(&vec![0; documents.len()], documents, 7).unwrap();
        places.iter().map(|place| place.representative).collect()
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
        let places = split_by_message(&[0, 0xff], &[NEWS, NEWS], 7).unwrap();
        // The same text has the same signature; signatures that say otherwise are of other texts by whoever made them.
        assert_eq!(places[1].representative, 0);
        let places = split_by_message(&[0, 0xff], &[NEWS, LONGER], 7).unwrap();
        assert_eq!((places[0].representative, places[1].representative), (0, 1));
    }

    #[test]
    fn representatives_represent_themselves() {
        let documents: Vec<String> = (0..60).map(|i| NEWS.replace("二十四", &(i % 40 + 100).to_string())).collect();
        let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
        let places = split_by_message(&vec![0; documents.len()], &documents, 7).unwrap();
        for place in &places {
            assert_eq!(places[place.representative as usize].representative, place.representative);
        }
        assert_eq!(places.iter().zip(0..).filter(|(p, i)| p.representative == *i).count(), 40);
    }
}
