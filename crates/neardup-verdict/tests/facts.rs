//! Facts of any kind and language: which differences are contradictions, and which are two writings of one thing.
#![allow(clippy::unwrap_used, reason = "tests")]

use neardup_verdict::{ConflictKind, conflicts};

/// The kinds of the facts that two texts state differently.
fn kinds(a: &str, b: &str) -> Vec<ConflictKind> {
    conflicts(a, b).unwrap().into_iter().map(|conflict| conflict.kind).collect()
}

#[test]
fn one_token_is_the_message() {
    use ConflictKind::{Code, Date, Number, Ordinal, Percent, Phone, Score, Status, Time};
    for (a, b, kind) in [
        // Levels and places in a series.
        (
            "We are hiring a Software Engineer II for our team",
            "We are hiring a Software Engineer III for our team",
            Ordinal,
        ),
        ("Support Engineer I, evening shift", "Support Engineer II, evening shift", Ordinal),
        ("the adventures of the lighthouse, Part 2", "the adventures of the lighthouse, Part 3", Ordinal),
        ("Das Leuchtfeuer, Teil 2 der Reihe", "Das Leuchtfeuer, Teil 3 der Reihe", Ordinal),
        ("Сказка о маяке, часть 2", "Сказка о маяке, часть 3", Ordinal),
        ("Steel bolts of grade A in boxes", "Steel bolts of grade B in boxes", Ordinal),
        ("灯塔故事第2集", "灯塔故事第3集", Ordinal),
        ("Der dritte Tunnel der Stadt ist fertig", "Der vierte Tunnel der Stadt ist fertig", Ordinal),
        ("Senior accountant wanted for the harbour office", "Junior accountant wanted for the harbour office", Status),
        (
            "Das Boot ist für die Gäste der Insel nicht gesperrt",
            "Das Boot ist für die Gäste der Insel gesperrt",
            Status,
        ),
        // Codes, versions, hashes, files, references.
        ("garden pump POL023 with a long hose", "garden pump POL023R1 with a long hose", Code),
        ("test engineer, SDET2, in the tools team", "test engineer, SDET3, in the tools team", Code),
        ("upgrades the parser to 1.2.3 today", "upgrades the parser to 1.2.4 today", Code),
        ("reviewed and tested 3f2a91c, looks good", "reviewed and tested 77b0d2e, looks good", Code),
        ("Update src/read/units.rs as discussed", "Update src/table/forms.rs as discussed", Code),
        ("Backported in #3627 by the bot", "Backported in #3641 by the bot", Code),
        ("the function max_rows returns early", "the function min_rows returns early", Code),
        // Amounts and what they are counted in.
        ("a set of six plates for 80 € only", "a set of six plates for 99 € only", Number),
        ("the fee is 80 euros per month", "the fee is 80 dollars per month", Number),
        ("add 500 g of flour and stir", "add 500 ml of flour and stir", Number),
        ("add 2 tbsp of rum and stir", "add 2 cups of rum and stir", Number),
        ("add ½ cup of milk and stir", "add ¼ cup of milk and stir", Number),
        ("add 1/2 cup of milk and stir", "add 1/3 cup of milk and stir", Number),
        ("Áo khoác nam giá 99k một chiếc", "Áo khoác nam giá 199k một chiếc", Number),
        ("Кофе молотый 500 руб. за пачку", "Кофе молотый 700 руб. за пачку", Number),
        ("Kawa mielona 99,90 zł za paczkę", "Kawa mielona 89,90 zł za paczkę", Number),
        ("Der Verein hat drei Boote gekauft", "Der Verein hat vier Boote gekauft", Number),
        ("У причала стояли пять лодок", "У причала стояли семь лодок", Number),
        ("needs 3-5 years of practice at sea", "needs 5-7 years of practice at sea", Score),
        ("Rabatt von 15 Prozent auf alles", "Rabatt von 20 Prozent auf alles", Percent),
        // Dates, times, telephones.
        ("Sitzung am 12.05.2031 im Rathaus", "Sitzung am 13.05.2031 im Rathaus", Date),
        ("posted on 05-12-2031 by the office", "posted on 06-12-2031 by the office", Date),
        ("Hapet më 3 mars 2031 në port", "Hapet më 4 mars 2031 në port", Date),
        ("the gates open at 9:30 on the pier", "the gates open at 10:30 on the pier", Time),
        ("call the harbour on 0400 510 802 now", "call the harbour on 0400 833 769 now", Phone),
    ] {
        assert!(kinds(a, b).contains(&kind), "{a} / {b}: {:?}", conflicts(a, b));
    }
}

#[test]
fn two_writings_are_one_fact() {
    for (a, b) in [
        ("sacks of 1 kg are sold here", "sacks of 1000 g are sold here"),
        ("construíram 12 milhões de casas", "construíram 12,4 milhões de casas"),
        ("Ele disse que o barco está no porto e que não volta", "Ele disse que o barco está em porto e que não volta"),
        (
            "He said “the pier will be repaired before the first summer guests arrive” again",
            "He said “the pier will be repaired before the earliest summer guests arrive” again",
        ),
        ("add 1/2 cup of milk and stir", "add ½ cup of milk and stir"),
        ("a pipeline of 267-klm (160-mile) to the coast", "a pipeline of 267-km to the coast"),
        ("the walk takes 20 min from here", "the walk takes 20 minutes from here"),
        ("the fee is €80 per month", "the fee is 80 euros per month"),
        ("the fee is 99 per month", "the fee is 99 dollars per month"),
        ("Der Verein hat drei Boote gekauft", "Der Verein hat 3 Boote gekauft"),
        ("needs 3-5 years of practice", "needs 3 to 5 years of practice"),
        ("dauert 3-5 Tage im Sommer", "dauert 3 bis 5 Tage im Sommer"),
        ("the harbour cost 13.8 million to build", "the harbour cost 13,809,879 to build"),
        ("it lost 1.500 boats in the storm", "it lost 1,500 boats in the storm"),
        ("it lost 13,750 boats in the storm", "it lost 13, 750 boats in the storm"),
        ("prices rose 1,5 percent in May", "prices rose 1.5 percent in May"),
        ("held on 03-05-2031 in town", "held on 3 May 2031 in town"),
        ("held on 05/03/2031 in town", "held on 3 May 2031 in town"),
        ("held on 05/03/31 in town", "held on 3 May 2031 in town"),
        ("the adventures of the keeper, Part II", "the adventures of the keeper, Part 2"),
        ("Mayor Thompson opened the new bridge", "Mayor Thomson opened the new bridge"),
    ] {
        assert_eq!(kinds(a, b), [], "{a} / {b}: {:?}", conflicts(a, b));
    }
}

#[test]
fn an_opening_contradicts_by_its_figures_alone() {
    let body = "The ferry between the two islands will run every hour from this summer on. The company has bought two boats for it and \
                repaired the old pier, which had been closed since the winter storms; tickets are sold on board.";
    let of = |opening: &str| format!("{opening}\n{body}");
    let (a, b) = (
        of("Ferry Company Plans Hourly Trips To Northern Islands"),
        of("Islanders Welcome New Boats And Restored Pier"),
    );
    assert_eq!(kinds(&a, &b), []);
    assert_eq!(kinds(&of("Riverside, Harbour Post."), &of("Clearwater, Evening Mail.")), []);
    let dated = [of("Issued on 3 March 2031."), of("Issued on 4 March 2031.")];
    assert_eq!(kinds(&dated[0], &dated[1]), [ConflictKind::Date]);
}

#[test]
fn capitals_tell_no_names_where_all_words_have_them() {
    let body =
        "The mayor said on the pier that the boats would leave at noon, and that nobody had to pay for them this time";
    for (a, b) in [
        ("FORWARD THIS TO ALL YOUR FRIENDS TODAY", "FORWARD THIS TO ALL YOUR NEIGHBOURS TODAY"),
        (
            &*format!("Ferry Company Plans Boats For Islands. {body}"),
            &*format!("Ferry Company Buys Boats For Islands. {body}"),
        ),
    ] {
        assert_eq!(kinds(a, b), [], "{a} / {b}");
    }
}
