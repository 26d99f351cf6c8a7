//! Makes the table of months and weekdays in words from CLDR, as `icu_datetime` formats them.
//!
//! The library needs names to read, and `icu_datetime` only writes dates: asked here for each month and weekday of each language, it
//! gives about 900 words (16 KB), and nothing of ICU is linked into the server.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use icu_calendar::Date;
use icu_calendar::cal::{Gregorian, Persian};
use icu_datetime::fieldsets::{E, M, MD};
use icu_datetime::{FixedCalendarDateTimeFormatter, parts};
use icu_locale_core::Locale;
use writeable::{Part, PartsWrite, Writeable};

use super::Result;

/// The languages whose months and weekdays are words. Chinese, Japanese, Korean and Vietnamese number their months.
const LANGUAGES: [&str; 30] = [
    "en", "de", "nl", "fr", "es", "pt", "it", "ro", "ru", "uk", "bg", "pl", "cs", "sv", "tr", "el", "ar", "ar-LB",
    "fa", "hi", "bn", "id", "ms", "sw", "he", "sq", "hu", "fi", "da", "sk",
];

/// The script that is written without spaces; its names are looked for in the text and not among its words.
const THAI: &str = "th";

/// Added to the number of a month of the Persian calendar.
const PERSIAN: u8 = 20;

pub(super) fn tables() -> Result<String> {
    let mut names = Names::default();
    for language in LANGUAGES {
        names.add(language)?;
    }
    names.add_persian()?;
    let mut thai = Names::default();
    thai.add(THAI)?;
    Ok(format!("{}{}", names.table("NAMES"), thai.table("THAI_NAMES")))
}

/// Names in small letters; `None` for one that means two things.
#[derive(Default)]
struct Names(BTreeMap<String, Option<Meaning>>);

/// What a name means, and whether a language writes it with a small letter, or one with a capital.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Meaning {
    kind: Kind,
    value: u8,
    small: bool,
    capital: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Month,
    ShortMonth,
    Weekday,
}

impl Names {
    fn insert(&mut self, name: &str, kind: Kind, value: u8) {
        let name = name.trim_end_matches(['.', '॰']);
        let (small, capital) = (name.starts_with(char::is_lowercase), name.starts_with(char::is_uppercase));
        if name.starts_with(char::is_numeric) {
            return;
        }
        let known = self.0.entry(name.to_lowercase()).or_insert(Some(Meaning { kind, value, small, capital }));
        *known = known
            .filter(|known| known.value == value && (known.kind == Kind::Weekday) == (kind == Kind::Weekday))
            .map(|known| {
                // A name that is not shortened in one language is listed as such: May, Mai.
                let kind = if known.kind == kind { kind } else { Kind::Month };
                Meaning { kind, value, small: known.small || small, capital: known.capital || capital }
            });
    }

    /// Adds the names of a language: in full, shortened, alone and beside a day.
    fn add(&mut self, language: &str) -> Result<()> {
        let locale: Locale = language.parse()?;
        let of_month = |fields| FixedCalendarDateTimeFormatter::<Gregorian, M>::try_new((&locale).into(), fields);
        let of_day = |fields| FixedCalendarDateTimeFormatter::<Gregorian, MD>::try_new((&locale).into(), fields);
        let weekday = FixedCalendarDateTimeFormatter::<Gregorian, E>::try_new((&locale).into(), E::long())?;
        let (alone, beside) =
            ([of_month(M::long())?, of_month(M::medium())?], [of_day(MD::long())?, of_day(MD::medium())?]);
        for month in 1..=12 {
            let date = Date::try_new_gregorian(2024, month, 1)?;
            for (place, kind) in [Kind::Month, Kind::ShortMonth].into_iter().enumerate() {
                for name in
                    [part(alone[place].format(&date), parts::MONTH)?, part(beside[place].format(&date), parts::MONTH)?]
                {
                    self.insert(&name, kind, month);
                    for case in cases(&name, language) {
                        self.insert(&case, kind, month);
                    }
                }
            }
        }
        // 1 January 2024 was a Monday.
        for day in 1..=7 {
            let name = part(weekday.format(&Date::try_new_gregorian(2024, 1, day)?), parts::WEEKDAY)?;
            self.insert(&name, Kind::Weekday, day);
            for case in cases(&name, language) {
                self.insert(&case, Kind::Weekday, day);
            }
        }
        Ok(())
    }

    /// Adds the months of the Persian calendar.
    fn add_persian(&mut self) -> Result<()> {
        let locale: Locale = "fa".parse()?;
        let months = FixedCalendarDateTimeFormatter::<Persian, M>::try_new((&locale).into(), M::long())?;
        for month in 1..=12 {
            let date = Date::try_new_persian(1403, month, 1)?;
            self.insert(&part(months.format(&date), parts::MONTH)?, Kind::Month, month + PERSIAN);
        }
        Ok(())
    }

    fn table(&self, name: &str) -> String {
        let row = |(name, meaning): (&String, &Option<Meaning>)| {
            let Meaning { kind, value, small, capital } = (*meaning)?;
            Some(format!(
                "({name:?}, Name {{ kind: NameKind::{kind:?}, value: {value}, small: {small}, capital: {capital} }}), "
            ))
        };
        let rows: String = self.0.iter().filter_map(row).collect();
        format!("pub(super) static {name}: &[(&str, Name)] = &[{rows}];\n")
    }
}

/// Returns the cases that CLDR does not list of a Russian or Ukrainian name: в марте, в среду, по субботам.
fn cases(name: &str, language: &str) -> Vec<String> {
    if !matches!(language, "ru" | "uk") {
        return Vec::new();
    }
    let Some((last, ending)) = name.char_indices().next_back() else { return Vec::new() };
    let endings: &[&str] = match ending {
        'а' => &["у", "ы", "е"],
        'я' => &["ю", "и", "е"],
        'ь' => &["я", "е", "ю"],
        'е' => &["я", "ю"],
        _ => return ["е", "а", "у"].iter().map(|ending| format!("{name}{ending}")).collect(),
    };
    endings.iter().map(|ending| format!("{}{ending}", &name[..last])).collect()
}

/// Returns one part of what a formatter writes.
fn part(written: impl Writeable, part: Part) -> Result<String> {
    let mut only = Only { part, inside: false, text: String::new() };
    written.write_to_parts(&mut only)?;
    Ok(only.text)
}

struct Only {
    part: Part,
    inside: bool,
    text: String,
}

impl Write for Only {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.inside {
            self.text.push_str(text);
        }
        Ok(())
    }
}

impl PartsWrite for Only {
    type SubPartsWrite = Self;

    fn with_part(&mut self, part: Part, mut write: impl FnMut(&mut Self) -> fmt::Result) -> fmt::Result {
        let outside = self.inside;
        self.inside |= part == self.part;
        let result = write(self);
        self.inside = outside;
        result
    }
}
