//! Charts as SVG text: lines, histograms, bars and word clouds. The SQL functions, the report of a table and the benchmarks draw
//! with it.
//!
//! * [`curve`]: one line; [`precision_and_recall`]: a line for each method, in two panels.
//! * [`histogram`]: how often values occur.
//! * [`bars`]: named values below each other.
//! * [`word_cloud`]: words by their weights.
//!
//! A chart uses the viewer's fonts, and the same input gives the same chart. Every text is escaped.
//!
//! ```
//! let svg = neardup_chart::curve("16 bands", "similarity", "chance", &[(0.0, 0.0), (0.5, 0.4), (1.0, 1.0)]);
//! assert!(svg.starts_with("<svg"));
//! ```

mod bars;
mod cloud;
mod panel;

pub use bars::{Bar, Scale, bars};
pub use cloud::word_cloud;
pub use panel::{Series, curve, histogram, precision_and_recall};

/// Colours that most people can tell apart (Okabe and Ito 2008).
const COLOURS: [&str; 8] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#787878", "#000000"];

fn picture(width: i32, height: i32, content: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{content}</svg>\n"
    )
}

/// Returns a text element around a point; `style` has further attributes.
fn text(x: f64, y: f64, style: &str, content: &str) -> String {
    let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" {style}>{content}</text>\n")
}
