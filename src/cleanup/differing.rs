//! The columns in which the rows of a clean-up differ from those that are kept. The verdict reads texts; that two adverts are for two
//! cities, or two entries of a catalogue have two names, often stands in another column, which only the owner can name. So a dry run says
//! where the rows differ, and which values only the removed rows have, of some one to two thousand pairs at most.

use pgrx::JsonB;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;

use super::plan::{Cleanup, LIST, with};
use crate::error::Result;
use crate::guarded::{beside, statement};
use crate::pg::catalog;
use crate::pg::table::query::{Session, Type, Value};

/// How many columns are read, in the order of the table.
const MOST_COLUMNS: usize = 100;
/// From twice as many rows on, one in two, three, ... is looked at, by a hash of its place: rows may alternate.
const SAMPLE: usize = 1000;
/// The longest value that is read, in bytes: a city, a level, a headline, but no text of megabytes.
const MOST_BYTES: usize = 2000;
/// The types of a date, a timestamp, and one with time zone.
const DAYS: [pg_sys::Oid; 3] = [pg_sys::DATEOID, pg_sys::TIMESTAMPOID, pg_sys::TIMESTAMPTZOID];
/// Of so few pairs nobody can say whether values repeat.
const FEW: i64 = 20;
/// A day, in seconds.
const DAY: u32 = 24 * 60 * 60;
/// How many characters of a value are shown.
const SHOWN: usize = 40;
/// How many of these may be the same in both values; of longer common beginnings, the last ones are shown.
const SAME_SHOWN: usize = 30;
const LAST_SHOWN: usize = 10;
/// White space by Unicode, which `differ` does not count at the ends of a value.
const SPACE: &str = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";

/// What the values of a column can tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tells {
    /// Nothing: they are long, or another one in each row.
    Nothing,
    /// What a guard can compare.
    Values,
    /// When something was. Copies often come minutes or days after each other, so only more than a day is told.
    Days,
}

/// A column beside what the guard reads.
pub struct OtherColumn {
    pub name: String,
    tells: Tells,
    kind: pg_sys::Oid,
    /// Whether it is the guard's title or has the name of one.
    is_title: bool,
}

/// Says whether copies agree in a column far more often than any two of their rows: then the column belongs to the message, as a city does, where a
/// column that says where a row comes from does not. `by_chance` is how many would agree if each removed row had the kept row of another pair.
const fn is_telling(agreeing: i64, by_chance: i64) -> bool {
    agreeing > 2 * by_chance + 5
}

/// Says whether values hardly repeat, as a number or an address of each row does: a guard for which they must not differ would let everything through.
/// `agreeing` of `pairs` with two values have the same one twice, and the removed rows have `distinct` values.
const fn hardly_repeats(pairs: i64, agreeing: i64, distinct: i64) -> bool {
    pairs > FEW && agreeing * 20 <= pairs && distinct * 20 >= pairs * 19
}

/// Counts, for each column in which a row of the list and the row that is kept have two values, or only the former has one, in how many of the pairs
/// that are looked at. No guard should compare a column that hardly repeats, but it may be why rows with the same words are two.
#[allow(clippy::type_complexity, reason = "the rows of an SQL function")]
#[pg_extern(sql = false)]
fn differing_columns(
    arguments: JsonB,
) -> Result<
    TableIterator<
        'static,
        (
            name!(name, String),
            name!(rows, i64),
            name!(lacking, i64),
            name!(looked_at, i64),
            name!(is_time, bool),
            name!(is_telling, bool),
            name!(is_title, bool),
            name!(hardly_repeats, bool),
        ),
    >,
> {
    let counts = with(arguments, |cleanup| {
        let session = Session::open();
        let columns = cleanup.other_columns(&session)?;
        if columns.is_empty() {
            return Ok(Vec::new());
        }
        let statement = session.prepare(&cleanup.count_differing(&columns), &[]);
        let mut counts = Vec::new();
        session.each(&statement, &[], |row| {
            let number = |column| row.number(column).unwrap_or_default();
            let found = columns.iter().zip((2..).step_by(5)).filter_map(|(column, at)| {
                let [lacking, mut differing, agreeing, by_chance, distinct] =
                    [0, 1, 2, 3, 4].map(|place| number(at + place));
                let hardly_repeats = !column.is_title && hardly_repeats(differing + agreeing, agreeing, distinct);
                // A text may name what the row is about, an article or a flaw; a number counts rows.
                if hardly_repeats && !column.is_text() {
                    differing = 0;
                }
                let is_time = column.tells == Tells::Days;
                let is_telling = !is_time && is_telling(agreeing, by_chance);
                let name = column.name.clone();
                let (looked_at, is_title) = (number(1), column.is_title);
                (differing > 0 || lacking > 0).then_some((
                    name,
                    differing,
                    lacking,
                    looked_at,
                    is_time,
                    is_telling,
                    is_title,
                    hardly_repeats,
                ))
            });
            counts.extend(found);
            Ok(())
        })?;
        Ok(counts)
    })?;
    Ok(TableIterator::new(counts))
}

impl Cleanup {
    /// Returns the columns that the guard does not read, or as a title, where another value is evidence and no more, and the caller may. A guard can
    /// compare those of types with short values, but none that is generated, and none that alone is unique, in which all rows differ.
    pub fn other_columns(&self, session: &Session) -> Result<Vec<OtherColumn>> {
        let statement = session.prepare(
            &format!(
                "SELECT CAST(a.attname AS pg_catalog.text), \
                        CAST(CASE WHEN EXISTS ( \
                            SELECT FROM pg_catalog.pg_index i \
                            WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum \
                                  AND i.indpred IS NULL) THEN 0 \
                            WHEN y.oid IN ({days}) THEN 2 WHEN y.typcategory IN ('S', 'N', 'B', 'E') THEN 1 ELSE 0 END AS pg_catalog.int8), \
                        CAST(y.oid AS pg_catalog.int8) \
                 FROM pg_catalog.pg_attribute a \
                      JOIN pg_catalog.pg_attribute b ON b.attrelid = $2 AND b.attname = a.attname AND b.atttypid = a.atttypid AND NOT b.attisdropped \
                      JOIN pg_catalog.pg_type y ON y.oid = b.atttypid \
                 WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' \
                       AND pg_catalog.has_column_privilege(b.attrelid, b.attnum, 'SELECT') \
                       AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') \
                 ORDER BY a.attnum LIMIT {MOST_COLUMNS}",
                days = DAYS.map(|kind| u32::from(kind).to_string()).join(", "),
            ),
            &[Type::Oid, Type::Oid],
        );
        let guard = &self.choice.guard;
        let own = |name: &str| {
            let mut read = guard.columns.iter().filter(|column| Some(*column) != guard.title_column());
            *name == self.mark
                || self.keys.iter().any(|key| key.name == name)
                || read.any(|column| column == name)
                || self.choice.scope.iter().any(|column| column == name)
        };
        let mut columns = Vec::new();
        session.each(&statement, &[Value::Oid(self.choice.guard.table), Value::Oid(self.kept)], |row| {
            let tells = match row.number(2) {
                Some(1) => Tells::Values,
                Some(2) => Tells::Days,
                _ => Tells::Nothing,
            };
            let kind = row.number(3).and_then(|kind| u32::try_from(kind).ok()).map_or(pg_sys::InvalidOid, Into::into);
            let name = row.text(1).filter(|name| !own(name)).map(str::to_owned);
            columns.extend(name.map(|name| {
                let is_title = Some(&name) == guard.title_column() || beside::is_title(&name, kind);
                OtherColumn { name, tells, kind, is_title }
            }));
            Ok(())
        })?;
        Ok(columns)
    }

    /// The statement that counts the pairs, and of each column those of which only the removed row has a value, those that have two values in it, those that
    /// have one, and those whose removed row has the value of another pair's kept row; and the values of removed rows. Capitals and spaces do not count.
    /// What is not short as it is stored is not read.
    fn count_differing(&self, columns: &[OtherColumn]) -> String {
        let read = columns.iter().enumerate().flat_map(|(at, column)| {
            let [own, kept] = ["t", "r"].map(|alias| statement::column(alias, &column.name));
            let lacks = format!(
                "pg_catalog.num_nulls({own}) OPERATOR(pg_catalog.=) 0 AND pg_catalog.num_nulls({kept}) OPERATOR(pg_catalog.>) 0 AS lacks{at}"
            );
            let read = match column.tells {
                Tells::Nothing => Vec::new(),
                Tells::Values => vec![
                    format!("v.own{at}"),
                    format!("v.kept{at}"),
                    format!("pg_catalog.lag(v.kept{at}) OVER w AS other{at}"),
                ],
                Tells::Days => vec![format!("{} AS days{at}", column.is_days_apart())],
            };
            [lacks].into_iter().chain(read)
        });
        let read = read.collect::<Vec<_>>().join(", ");
        let comparable = columns.iter().enumerate().filter(|(_, column)| column.tells == Tells::Values);
        let values = comparable.flat_map(|(at, column)| {
            let [own, kept] = column.short_values().map(|value| folded(&value));
            [format!("{own} AS own{at}"), format!("{kept} AS kept{at}")]
        });
        let values = values.chain(["NULL".to_owned()]).collect::<Vec<_>>().join(", ");
        let counts = columns.iter().enumerate().flat_map(|(at, column)| {
            let [own, kept, other] = ["own", "kept", "other"].map(|name| format!("p.{name}{at}"));
            let count = |condition: &str| format!("pg_catalog.count(*) FILTER (WHERE {condition})");
            let none = || "0::bigint".to_owned();
            let of_values = match column.tells {
                Tells::Nothing => [none(), none(), none(), none()],
                Tells::Values => [
                    count(&differ(&own, &kept)),
                    count(&agree(&own, &kept)),
                    count(&agree(&own, &other)),
                    format!(
                        "pg_catalog.count(DISTINCT {own}) FILTER (WHERE {own} OPERATOR(pg_catalog.<>) '' AND {kept} OPERATOR(pg_catalog.<>) '')"
                    ),
                ],
                Tells::Days => [count(&format!("p.days{at}")), none(), none(), none()],
            };
            [count(&format!("p.lacks{at}"))].into_iter().chain(of_values)
        });
        format!(
            "SELECT pg_catalog.count(*), {counts} \
             FROM (SELECT {read} \
                   FROM (SELECT x.*, pg_catalog.count(*) OVER () AS listed FROM {LIST} x WHERE x.reason IS NULL) c \
                        JOIN {target} t ON {is_duplicate} JOIN {kept} r ON {is_kept} \
                        CROSS JOIN LATERAL (SELECT {values} OFFSET 0) v \
                   WHERE pg_catalog.hashint8(c.place) OPERATOR(pg_catalog.%) greatest(c.listed OPERATOR(pg_catalog./) {SAMPLE}, 1) OPERATOR(pg_catalog.=) 0 \
                   WINDOW w AS (ORDER BY pg_catalog.hashint8(c.place), c.place)) p",
            counts = counts.collect::<Vec<_>>().join(", "),
            target = self.target,
            is_duplicate = self.is_duplicate(),
            kept = statement::only(self.kept),
            is_kept = self.is_kept(),
        )
    }
}

/// A value without what capitals and spaces make of it, in which values are often written in more than one way.
fn folded(value: &str) -> String {
    format!(
        "pg_catalog.lower(pg_catalog.regexp_replace({value}, '[[:space:]]+', ' ', 'g') COLLATE pg_catalog.\"default\") COLLATE pg_catalog.\"C\""
    )
}

/// The condition that two values are given and are not the same.
fn differ(own: &str, kept: &str) -> String {
    format!(
        "{own} OPERATOR(pg_catalog.<>) {kept} AND {own} OPERATOR(pg_catalog.<>) '' AND {kept} OPERATOR(pg_catalog.<>) ''"
    )
}

/// The condition that two values are given and are the same.
fn agree(own: &str, kept: &str) -> String {
    format!("{own} OPERATOR(pg_catalog.=) {kept} AND {own} OPERATOR(pg_catalog.<>) ''")
}

impl OtherColumn {
    /// Says whether the two values of a pair can be shown where they differ.
    pub fn is_comparable(&self) -> bool {
        self.tells == Tells::Values
    }

    fn is_text(&self) -> bool {
        [pg_sys::TEXTOID, pg_sys::VARCHAROID].contains(&catalog::base_type(self.kind))
    }

    /// The values of a column of a removed row, `t`, and of the kept one, `r`, as text; NULL if either is not short. One that is short as it is stored may be
    /// long: it is compressed. The length of a text is known without reading it.
    fn short_values(&self) -> [String; 2] {
        let [own, kept] = ["t", "r"].map(|alias| statement::column(alias, &self.name));
        let is_short = |value: &str| {
            let text = if self.is_text() { statement::as_text(value) } else { statement::key_part(value) };
            format!(
                "CASE WHEN pg_catalog.pg_column_size({value}) OPERATOR(pg_catalog.<=) {MOST_BYTES} \
                 THEN pg_catalog.octet_length({text}) OPERATOR(pg_catalog.<=) {MOST_BYTES} END"
            )
        };
        let are_short = format!("{} AND {}", is_short(&own), is_short(&kept));
        [own, kept].map(|value| {
            let text = statement::key_part(&value);
            format!(
                "CASE WHEN {are_short} THEN pg_catalog.btrim({text}, {space}) COLLATE pg_catalog.\"C\" END",
                space = quote_literal(SPACE)
            )
        })
    }

    /// The condition that the times of the removed row and of the kept one are more than a day apart. Of dates near the end of time no timestamp can be
    /// made, and infinite ones have no distance.
    fn is_days_apart(&self) -> String {
        let [own, kept] = ["t", "r"].map(|alias| statement::column(alias, &self.name));
        let distance = if self.kind == pg_sys::DATEOID {
            format!("pg_catalog.abs({own} OPERATOR(pg_catalog.-) {kept}) OPERATOR(pg_catalog.>) 1")
        } else {
            let seconds = |value: &str| format!("pg_catalog.date_part('epoch', {value})");
            format!(
                "pg_catalog.abs({} OPERATOR(pg_catalog.-) {}) OPERATOR(pg_catalog.>) {DAY}::pg_catalog.float8",
                seconds(&own),
                seconds(&kept)
            )
        };
        format!("CASE WHEN pg_catalog.isfinite({own}) AND pg_catalog.isfinite({kept}) THEN {distance} ELSE false END")
    }

    /// An expression for how many whole days the times of the removed row and of the kept one are apart; NULL if that is unknown. `name` is a column of
    /// both, of type `kind`.
    pub fn days_apart(name: &str, kind: pg_sys::Oid) -> Option<String> {
        DAYS.contains(&kind).then(|| {
            let [own, kept] = ["t", "r"].map(|alias| statement::column(alias, name));
            let days = if kind == pg_sys::DATEOID {
                format!("pg_catalog.abs({own} OPERATOR(pg_catalog.-) {kept})")
            } else {
                let seconds = |value: &str| format!("pg_catalog.date_part('epoch', {value})");
                format!(
                    "pg_catalog.floor(pg_catalog.abs({} OPERATOR(pg_catalog.-) {}) OPERATOR(pg_catalog./) {DAY}::pg_catalog.float8)",
                    seconds(&own),
                    seconds(&kept)
                )
            };
            format!("CASE WHEN pg_catalog.isfinite({own}) AND pg_catalog.isfinite({kept}) THEN CAST({days} AS pg_catalog.int8) END")
        })
    }

    /// An expression that shows the values of the removed row and of the kept one if they differ, from where they do; otherwise NULL.
    pub fn shown(&self) -> String {
        let [own, kept] = self.short_values();
        let shown = |value: &str| {
            format!(
                "CASE WHEN f.place OPERATOR(pg_catalog.>) {SAME_SHOWN} \
                 THEN pg_catalog.concat('...', pg_catalog.substr({value}, f.place OPERATOR(pg_catalog.-) {LAST_SHOWN}, {SHOWN})) \
                 ELSE pg_catalog.left({value}, {SHOWN}) END"
            )
        };
        format!(
            "(SELECT pg_catalog.concat({name}, {shown_own}, ' / ', {shown_kept}) \
              FROM (SELECT {own} AS own, {kept} AS kept OFFSET 0) v CROSS JOIN LATERAL ( \
                   SELECT pg_catalog.min(n.place) AS place \
                   FROM pg_catalog.generate_series(1, greatest(pg_catalog.length(v.own), pg_catalog.length(v.kept))) n(place) \
                   WHERE pg_catalog.substr(v.own, n.place, 1) OPERATOR(pg_catalog.<>) pg_catalog.substr(v.kept, n.place, 1)) f \
              WHERE {differ})",
            name = quote_literal(format!("{} ", self.name)),
            shown_own = shown("v.own"),
            shown_kept = shown("v.kept"),
            differ = differ(&folded("v.own"), &folded("v.kept")),
        )
    }
}
