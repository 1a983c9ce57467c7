//! A drawing of the summary, for a README: kernels and others, two operations beside each other.

use svg::Node;
use svg::node::element::Element;

use super::chart::{Bar, NAMES, ROW, bars_into, label, tag};
use super::{class, digits, tip};
use crate::figures::{Figure, Kind, Run, Section};
use crate::settings::{BASELINE, IN_CACHE};

/// In a README others than the page's style decide; the drawing brings its own, for light and dark.
const STYLE: &str = "text{font:11.5px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#4b5a6b;text-anchor:middle}\
text.name{text-anchor:end;fill:#17202b}text.note,text.start{text-anchor:start}text.title{font-size:14px;font-weight:600;fill:#17202b;text-anchor:start}\
.hit{fill:none}.spread{stroke:#17202b;opacity:.5}.kernel{fill:#2563eb}.baseline{fill:#b45309}.peer{fill:#7c3aed}.form{fill:#0f766e}\
@media (prefers-color-scheme:dark){text{fill:#a5b2c1}text.name,text.title{fill:#e8edf3}.spread{stroke:#e8edf3}.kernel{fill:#6ea8fe}.baseline{fill:#f0a04b}.peer{fill:#c09bff}.form{fill:#4fd1c5}}";

const WIDTH: f64 = 860.0;
const HALF: f64 = 420.0;
const TOP: f64 = 64.0;

/// The speed of queens and of all sliders, with the CPU's name.
#[must_use]
pub fn drawing(run: &Run) -> String {
    let halves = ["queen_attacks", "slider_attacks"].map(|operation| figures(run, operation));
    let rows = halves.iter().map(Vec::len).max().unwrap_or(0);
    let height = TOP + ROW * rows as f64 + 30.0;
    let mut drawing = tag(
        "svg",
        &[
            ("xmlns", "http://www.w3.org/2000/svg".into()),
            ("viewBox", format!("0 0 {WIDTH} {height}")),
            ("width", format!("{WIDTH}")),
            ("role", "img".into()),
            (
                "aria-label",
                format!("Million boards a second on {}", run.machine.name()),
            ),
        ],
    );
    let mut style = Element::new("style");
    style.append(svg::node::Text::new(STYLE));
    drawing.append(style);
    drawing.append(label(4.0, 18.0, "title", run.machine.name()));
    let about = format!(
        "million boards a second, {IN_CACHE} random boards in the caches, and as a multiple of scalar; setwise {}, {}",
        run.version,
        run.rustc.split(" (").next().unwrap_or_default()
    );
    drawing.append(label(4.0, 36.0, "start", &about));
    for ((figures, operation), left) in halves
        .iter()
        .zip(["queen_attacks", "slider_attacks"])
        .zip([0.0, HALF + 16.0])
    {
        drawing.append(label(left + NAMES, TOP - 6.0, "start", operation));
        let bars: Vec<Bar> = figures
            .iter()
            .map(|figure| {
                let times = figure.to_scalar.filter(|_| figure.contender != BASELINE);
                let times = times
                    .map(|ratio| format!(" · {}x", digits(1.0 / ratio.median)))
                    .unwrap_or_default();
                Bar {
                    name: figure.contender.clone(),
                    value: figure.boards_per_second / 1e6,
                    spread: [1e3 / figure.ns.quartiles[1], 1e3 / figure.ns.quartiles[0]],
                    note: format!("{}{times}", digits(figure.boards_per_second / 1e6)),
                    tip: tip(figure),
                    class: class(figure),
                }
            })
            .collect();
        bars_into(&mut drawing, &bars, (left, TOP), HALF, NAMES);
    }
    let legend = "blue: kernels · orange: scalar · violet: others, in the same rounds";
    drawing.append(label(4.0, height - 8.0, "start", legend));
    drawing.to_string() + "\n"
}

fn figures<'a>(run: &'a Run, operation: &str) -> Vec<&'a Figure> {
    let figures = run.select(Section::Operations, operation, Some(IN_CACHE));
    let mut figures: Vec<&Figure> = figures.filter(|figure| figure.kind != Kind::Roof).collect();
    figures.sort_by(|a, b| a.ns.median.total_cmp(&b.ns.median));
    figures
}
