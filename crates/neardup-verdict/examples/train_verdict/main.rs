//! Trains the model of the verdict and measures it: `cargo run --release -p neardup-verdict --example train_verdict`.
//!
//! The labelled texts are in the folder that `NEARDUP_DATA` names. It prints precision, recall and F1 on tables that the model has not seen, and
//! of what a clean-up would remove how much is wrong, and how much the scores promised. `--errors` lists the pairs that went wrong, `--write`
//! writes `src/score/weights.rs`. `--answers` simulates owners who answer questions about these tables. `--save FILE` keeps what is given to the model of each pair, `--from FILE` trains from there.
//! `--tables N` trains on N of the tables only: whether reading more of them would help.

mod answers;
mod boost;
mod calibration;
mod cases;
mod columns;
#[path = "../labelled/mod.rs"]
mod labelled;
mod line;
mod measure;
mod model;

use labelled::Result;
use measure::Held;
use model::Model;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let after = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1);
    let cases = match after("--from") {
        Some(file) => cases::load(file)?,
        None => match labelled::folder() {
            Some(folder) => cases::read(&folder)?,
            None => return Ok(()),
        },
    };
    if let Some(file) = after("--save") {
        cases::save(&cases, file)?;
    }
    let most_tables = after("--tables").map(|count| count.parse()).transpose()?;
    let held = Held::out(&cases, most_tables.unwrap_or(usize::MAX));
    held.print();
    calibration::print(&held.0);
    columns::print(&held.0);
    if flag("--answers") {
        answers::print(&held.0);
    }
    println!("pairs held out, not their tables");
    Held::pairs_out(&cases).print_sets();
    if flag("--errors") {
        held.print_errors();
    }
    if flag("--write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/score/weights.rs");
        std::fs::write(path, Model::train(cases.iter()).source())?;
        println!("wrote {path}");
    }
    Ok(())
}
