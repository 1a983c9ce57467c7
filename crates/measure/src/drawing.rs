//! The drawing of a run's main figures in SVG, as in `docs/kernels.md`.

use std::fmt::Write as _;

use setwise_positions::printable;

use crate::contender::Kind;
use crate::figures::{Figure, Run, Section};
use crate::number::significant;
use crate::settings::IN_CACHE;

/// The style for light and dark pages. It is part of the SVG, because an image in a Markdown page
/// does not inherit the page's style.
const STYLE: &str = "
text{font:11.5px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#4b5a6b}
.name{text-anchor:end}.title{font-size:14px;font-weight:600}.name,.title{fill:#17202b}
.range{stroke:#17202b;opacity:.5}.kernel{fill:#2563eb}.baseline{fill:#b45309}.peer{fill:#7c3aed}
@media (prefers-color-scheme:dark){text{fill:#a5b2c1}.name,.title{fill:#e8edf3}
.range{stroke:#e8edf3}.kernel{fill:#6ea8fe}.baseline{fill:#f0a04b}.peer{fill:#c09bff}}
";
const OPERATIONS: [&str; 2] = ["queen_attacks", "slider_attacks"];
const WIDTH: f64 = 860.0;
/// The distance between the left edges of adjacent columns, in pixels.
const COLUMN: f64 = 436.0;
const NAMES: f64 = 96.0;
/// The length of the longest bar in pixels, including the line that marks its quartiles.
const BAR: f64 = 234.0;
const ROW: f64 = 18.0;
const TOP: f64 = 64.0;

/// Draws the throughput of queen and slider attacks with every kernel and peer, as SVG.
#[must_use]
pub fn drawing(run: &Run) -> String {
    let columns = OPERATIONS.map(|operation| {
        let figures = run.select(Section::Operations, operation);
        let mut figures: Vec<_> = figures.filter(|figure| figure.kind != Kind::Roof).collect();
        figures.sort_by(|a, b| a.ns.median.total_cmp(&b.ns.median));
        figures
    });
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let height = TOP + ROW * rows as f64 + 30.0;
    let machine = run.machine.title();
    let compiler = run.rustc.split(" (").next().unwrap_or_default();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" role=\"img\" aria-label=\"Million boards per second on {}\">\n\
         <style>{STYLE}</style>\n",
        escaped(&machine)
    );
    text(&mut svg, 4.0, 18.0, "title", &machine);
    let about = format!(
        "million boards/s, {IN_CACHE} random boards in the caches, and the speed-up over scalar \
         (higher is better); setwise {}, {compiler}",
        run.version
    );
    text(&mut svg, 4.0, 36.0, "about", &about);
    for (i, (operation, figures)) in OPERATIONS.iter().zip(&columns).enumerate() {
        let left = i as f64 * COLUMN + NAMES;
        text(&mut svg, left, TOP - 6.0, "about", operation);
        bars(&mut svg, left, figures);
    }
    let legend = "blue: kernels · orange: scalar · violet: peers, measured in the same rounds";
    text(&mut svg, 4.0, height - 8.0, "about", legend);
    svg + "</svg>\n"
}

fn bars(svg: &mut String, left: f64, figures: &[&Figure]) {
    let speed = |ns: f64| 1e3 / ns;
    let fastest = figures.iter().map(|figure| speed(figure.ns.quartiles[0]));
    let most = fastest.fold(f64::MIN_POSITIVE, f64::max);
    let length = |speed: f64| BAR * speed / most;
    for (figure, i) in figures.iter().zip(0_u16..) {
        let y = TOP + ROW * f64::from(i);
        let value = figure.boards_per_second / 1e6;
        let [high, low] = figure.ns.quartiles.map(|ns| left + length(speed(ns)));
        let times = figure.times_scalar().map(|times| format!(" · {}x", significant(times)));
        let note = significant(value) + &times.unwrap_or_default();
        text(svg, left - 6.0, y + 13.0, "name", &figure.contender);
        let _ = writeln!(
            svg,
            "<rect class=\"{}\" x=\"{left}\" y=\"{}\" width=\"{:.1}\" height=\"{}\"/>\n\
             <path class=\"range\" d=\"M{low:.1} {}H{high:.1}\"/>",
            figure.class(),
            y + 3.0,
            length(value),
            ROW - 6.0,
            y + ROW / 2.0
        );
        text(svg, high + 5.0, y + 13.0, "about", &note);
    }
}

/// Appends a line of text. Only this function and the SVG's label insert text into the drawing.
fn text(svg: &mut String, x: f64, y: f64, class: &str, line: &str) {
    let line = escaped(line);
    let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y}\">{line}</text>");
}

/// Escapes text for XML and HTML.
pub(crate) fn escaped(text: &str) -> String {
    let text = printable(text).replace('&', "&amp;").replace('"', "&quot;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}
