//! Drawings in SVG: the summary for `docs/kernels.md`, and the line charts of the report.

use std::fmt::Write as _;

use setwise_positions::printable;

use crate::figures::{Figure, Kind, Run, Section};
use crate::names::IN_CACHE;
use crate::number::significant;

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

/// A line of a chart.
pub(crate) struct Line {
    pub(crate) name: String,
    /// Whether the line is a copy's, which is drawn without a colour.
    pub(crate) is_roof: bool,
    pub(crate) points: Vec<(f64, f64)>,
}

impl Line {
    /// The style of the line, which is number `i` of its chart.
    pub(crate) fn class(&self, i: usize) -> String {
        if self.is_roof { "roof".into() } else { format!("l{i}") }
    }
}

/// Draws lines over logarithmic axes. `marks` are vertical lines. Each line has the class `l0`,
/// `l1`... or `roof`, to which the report's style gives a colour. The chart is narrow enough to be
/// read on a phone.
pub(crate) fn lines(
    [title, across, up]: [&str; 3],
    lines: &[Line],
    marks: &[(f64, String)],
) -> String {
    const LEFT: f64 = 40.0;
    const RIGHT: f64 = 360.0;
    const TOP: f64 = 34.0;
    const BOTTOM: f64 = 236.0;
    let points = || lines.iter().flat_map(|line| line.points.iter().copied());
    let range = |coordinate: fn((f64, f64)) -> f64| {
        let values = || points().map(coordinate).filter(|value| *value > 0.0);
        (values().fold(f64::MAX, f64::min), values().fold(f64::MIN_POSITIVE, f64::max))
    };
    let (xs, ys) = (range(|point| point.0), range(|point| point.1));
    let log = |value: f64, (least, most): (f64, f64)| {
        (value / least).ln() / (most / least).ln().max(1e-9)
    };
    let x = |value: f64| LEFT + (RIGHT - LEFT) * log(value, xs);
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * log(value, ys);
    let powers = |base: f64, (least, most): (f64, f64)| {
        let first = (least.ln() / base.ln() - 1e-9).ceil() as i32;
        (first..first + 30).map(move |i| base.powi(i)).take_while(move |&tick| tick <= most)
    };
    let mut svg = format!(
        "<svg viewBox=\"0 0 372 270\" role=\"img\" aria-label=\"{}: {} by {}\">\n",
        escaped(title),
        escaped(up),
        escaped(across)
    );
    for tick in powers(10.0, ys) {
        let y = y(tick);
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/>");
        text(&mut svg, LEFT - 5.0, y + 4.0, "end", &format!("{}", (tick * 1e3).round() / 1e3));
    }
    for tick in powers(8.0, xs) {
        #[allow(clippy::cast_sign_loss, reason = "sizes are positive")]
        let name = match tick as usize {
            n if n >= 1 << 20 => format!("{}Mi", n >> 20),
            n if n >= 1 << 10 => format!("{}Ki", n >> 10),
            n => n.to_string(),
        };
        text(&mut svg, x(tick), BOTTOM + 15.0, "middle", &name);
    }
    for (value, name) in marks.iter().filter(|(value, _)| *value > xs.0 && *value < xs.1) {
        let _ = writeln!(svg, "<path class=\"mark\" d=\"M{:.1} {TOP}V{BOTTOM}\"/>", x(*value));
        text(&mut svg, x(*value), TOP - 4.0, "middle", name);
    }
    for (i, line) in lines.iter().enumerate() {
        let class = line.class(i);
        let places: Vec<String> = line
            .points
            .iter()
            .map(|point| format!("{:.1} {:.1}", x(point.0), y(point.1)))
            .collect();
        let _ = writeln!(svg, "<path class=\"line {class}\" d=\"M{}\">", places.join("L"));
        let _ = writeln!(svg, "<title>{}</title></path>", escaped(&line.name));
    }
    text(&mut svg, 2.0, 13.0, "start", up);
    text(&mut svg, RIGHT, 266.0, "end", across);
    svg + "</svg>\n"
}

/// Escapes text for XML and HTML.
pub(crate) fn escaped(text: &str) -> String {
    let text = printable(text).replace('&', "&amp;").replace('"', "&quot;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    #[test]
    fn texts_of_a_run_are_not_markup() {
        assert_eq!(super::escaped("<b a=\"&\">"), "&lt;b a=&quot;&amp;&quot;&gt;");
    }
}
