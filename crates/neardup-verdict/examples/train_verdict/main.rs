//! Trains the model of the verdict and measures it: `cargo run --release -p neardup-verdict --example train_verdict`.
//!
//! The labelled texts are in the folder that `NEARDUP_DATA` names. It prints precision, recall and F1 on
//! tables that the model has not seen, of the texts alone and with what is known beyond them, and how often scores are right.
//! `--errors` lists the pairs that went wrong, `--write` writes `src/score/weights.rs`. `--without TABLE --write` leaves a table out, so that it
//! can be listed as one that the model has not seen.
//!
//! The same pairs give the same weights, byte for byte: `cargo test -p neardup-verdict --test verdict` compares them.

mod cases;
mod fit;
#[path = "../labelled/mod.rs"]
mod labelled;
mod measure;
mod model;

use labelled::Result;
use measure::Held;
use model::Model;

fn main() -> Result<()> {
    let flag = |name: &str| std::env::args().any(|argument| argument == name);
    let Some(folder) = labelled::folder() else { return Ok(()) };
    let cases = cases::read(&folder)?;
    let held = Held::out(&cases);
    held.print();
    if flag("--errors") {
        held.print_errors();
    }
    let arguments: Vec<String> = std::env::args().collect();
    let without = arguments.iter().skip_while(|argument| *argument != "--without").nth(1);
    let model = Model::train(cases.iter().filter(|case| Some(&case.table) != without));
    print!("{}", model.source());
    if flag("--write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/score/weights.rs");
        std::fs::write(path, model.source())?;
        println!("wrote {path}");
    }
    Ok(())
}
