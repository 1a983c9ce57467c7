//! Charts as SVG, 372 units wide: as wide as a telephone, or a column of the page. Colours are the page's, by classes.

use svg::Node;
use svg::node::Text;
use svg::node::element::Element;

/// All charts are so wide.
pub(crate) const WIDTH: f64 = 372.0;

/// An element with attributes.
pub(crate) fn tag(name: &str, attributes: &[(&str, String)]) -> Element {
    let mut element = Element::new(name);
    for (attribute, value) in attributes {
        element.assign(*attribute, value.clone());
    }
    element
}

/// A coordinate: tenths are fine enough.
pub(crate) fn at(coordinate: f64) -> String {
    let text = format!("{coordinate:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

pub(crate) fn label(x: f64, y: f64, class: &str, content: &str) -> Element {
    let mut text = tag(
        "text",
        &[("x", at(x)), ("y", at(y)), ("class", class.into())],
    );
    text.append(Text::new(content));
    text
}

fn line(from: (f64, f64), to: (f64, f64), class: &str) -> Element {
    tag(
        "line",
        &[
            ("x1", at(from.0)),
            ("y1", at(from.1)),
            ("x2", at(to.0)),
            ("y2", at(to.1)),
            ("class", class.into()),
        ],
    )
}

fn canvas(height: f64, about: &str) -> Element {
    tag(
        "svg",
        &[
            ("viewBox", format!("0 0 {WIDTH} {}", at(height))),
            ("xmlns", "http://www.w3.org/2000/svg".into()),
            ("role", "img".into()),
            ("aria-label", about.into()),
        ],
    )
}

/// A bar with its name before and a note behind.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// The middle half of the rounds.
    pub(crate) spread: [f64; 2],
    pub(crate) note: String,
    pub(crate) tip: String,
    /// Its colour.
    pub(crate) class: &'static str,
}

pub(crate) const ROW: f64 = 18.0;
/// Room for names, where they are short.
pub(crate) const NAMES: f64 = 96.0;
const NOTES: f64 = 90.0;

/// Horizontal bars, from zero, with so much room for the names.
pub(crate) fn bars(about: &str, bars: &[Bar], names: f64) -> Element {
    let mut chart = canvas(ROW * bars.len() as f64 + 4.0, about);
    bars_into(&mut chart, bars, (0.0, 0.0), WIDTH, names);
    chart
}

/// The same in a drawing of others, from a corner on, in a width.
pub(crate) fn bars_into(
    chart: &mut Element,
    bars: &[Bar],
    (left, top): (f64, f64),
    width: f64,
    names: f64,
) {
    let most = bars
        .iter()
        .map(|bar| bar.value.max(bar.spread[1]))
        .fold(0.0, f64::max);
    let room = width - names - NOTES;
    let x = |value: f64| left + names + room * value / most.max(f64::MIN_POSITIVE);
    for (i, bar) in bars.iter().enumerate() {
        let y = top + ROW * i as f64;
        let mut row = tag("g", &[("data-tip", bar.tip.clone())]);
        row.append(tag(
            "rect",
            &[
                ("x", at(left)),
                ("y", at(y)),
                ("width", at(width)),
                ("height", at(ROW)),
                ("class", "hit".into()),
            ],
        ));
        row.append(label(left + names - 6.0, y + 13.0, "name", &bar.name));
        row.append(tag(
            "rect",
            &[
                ("x", at(left + names)),
                ("y", at(y + 3.0)),
                ("width", at((x(bar.value) - left - names).max(1.0))),
                ("height", at(ROW - 6.0)),
                ("rx", "2".into()),
                ("class", format!("bar {}", bar.class)),
            ],
        ));
        let middle = y + ROW / 2.0;
        row.append(line(
            (x(bar.spread[0]), middle),
            (x(bar.spread[1]), middle),
            "spread",
        ));
        row.append(label(
            x(bar.value.max(bar.spread[1])) + 5.0,
            y + 13.0,
            "note",
            &bar.note,
        ));
        chart.append(row);
    }
}

/// A line, or points, of a chart.
pub(crate) struct Series {
    /// x, y, and what hovering tells.
    pub(crate) points: Vec<(f64, f64, String)>,
    /// Its colour, and whether it is dashed.
    pub(crate) class: String,
    /// Without a line.
    pub(crate) scattered: bool,
}

/// The frame of a chart of lines.
pub(crate) struct Frame<'a> {
    pub(crate) about: &'a str,
    pub(crate) x: Axis<'a>,
    pub(crate) y: Axis<'a>,
    /// Vertical marks, and what they are.
    pub(crate) marks: Vec<(f64, String)>,
}

pub(crate) struct Axis<'a> {
    pub(crate) title: &'a str,
    /// How a number is written at the axis.
    pub(crate) tick: fn(f64) -> String,
    /// Ticks at powers of this; 0 for a linear axis from zero.
    pub(crate) base: f64,
}

const HEIGHT: f64 = 250.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 36.0;
const RIGHT: f64 = 10.0;

/// A scale and its ticks.
struct Scale {
    low: f64,
    high: f64,
    log: bool,
    ticks: Vec<f64>,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64> + Clone) -> Scale {
        let most = values.clone().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        if axis.base == 0.0 {
            let decade = 10f64.powf((most / 5.0).log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0]
                .map(|n| n * decade)
                .into_iter()
                .find(|step| most / step <= 5.0);
            let step = step.unwrap_or(decade);
            let count = (most / step).ceil();
            let ticks = (0..=10)
                .map(f64::from)
                .filter(|&n| n <= count)
                .map(|n| n * step)
                .collect();
            return Scale {
                low: 0.0,
                high: count * step,
                log: false,
                ticks,
            };
        }
        let least = values.fold(f64::INFINITY, f64::min).max(f64::MIN_POSITIVE);
        let (low, high) = (least.log2(), most.log2().max(least.log2() + 0.5));
        let margin = (high - low) * 0.03;
        let (low, high) = (low - margin, high + margin);
        let step = axis.base.log2();
        let first = (low / step).ceil();
        let count = ((high - low) / step).ceil() as i32 + 1;
        let all = (0..count)
            .map(|n| (first + f64::from(n)) * step)
            .filter(|&tick| tick <= high);
        let mut ticks: Vec<f64> = all.map(f64::exp2).collect();
        // Ten ticks at most; if there are less than three, also the halves and fifths between them.
        if ticks.len() < 3 {
            let mut more = ticks.clone();
            more.push(first.exp2());
            let between = more
                .iter()
                .flat_map(|tick| [tick / 5.0, tick / 2.0, tick * 2.0, tick * 5.0]);
            ticks.extend(between.filter(|tick| (low..=high).contains(&tick.log2())));
            ticks.sort_by(f64::total_cmp);
            ticks.dedup();
        }
        let every = ticks.len().div_ceil(9);
        Scale {
            low,
            high,
            log: true,
            ticks: ticks.into_iter().step_by(every).collect(),
        }
    }

    /// From 0 to 1.
    fn part(&self, value: f64) -> f64 {
        let value = if self.log { value.log2() } else { value };
        (value - self.low) / (self.high - self.low)
    }
}

/// A chart of lines or points.
pub(crate) fn lines(frame: &Frame, series: &[Series]) -> Element {
    let mut chart = canvas(HEIGHT, frame.about);
    let all = || series.iter().flat_map(|series| &series.points);
    let across = Scale::new(&frame.x, all().map(|point| point.0));
    let up = Scale::new(&frame.y, all().map(|point| point.1));
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * across.part(value);
    let y = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * up.part(value);
    for &tick in &up.ticks {
        chart.append(line((LEFT, y(tick)), (WIDTH - RIGHT, y(tick)), "grid"));
        chart.append(label(
            LEFT - 5.0,
            y(tick) + 4.0,
            "tick end",
            &(frame.y.tick)(tick),
        ));
    }
    for &tick in &across.ticks {
        chart.append(line(
            (x(tick), HEIGHT - BOTTOM),
            (x(tick), HEIGHT - BOTTOM + 4.0),
            "grid",
        ));
        chart.append(label(
            x(tick),
            HEIGHT - BOTTOM + 16.0,
            "tick",
            &(frame.x.tick)(tick),
        ));
    }
    chart.append(label(
        WIDTH - RIGHT,
        HEIGHT - 4.0,
        "axis end",
        frame.x.title,
    ));
    chart.append(label(2.0, 12.0, "axis start", frame.y.title));
    for (mark, name) in &frame.marks {
        if (0.0..=1.0).contains(&across.part(*mark)) {
            chart.append(line((x(*mark), TOP), (x(*mark), HEIGHT - BOTTOM), "mark"));
            chart.append(label(x(*mark) - 3.0, TOP + 9.0, "marked", name));
        }
    }
    for series in series {
        if !series.scattered && series.points.len() > 1 {
            let mut path = String::new();
            for (i, point) in series.points.iter().enumerate() {
                path += if i == 0 { "M" } else { "L" };
                path += &at(x(point.0));
                path += " ";
                path += &at(y(point.1));
            }
            chart.append(tag(
                "path",
                &[("d", path), ("class", format!("line {}", series.class))],
            ));
        }
    }
    for series in series {
        for (across, up, tip) in &series.points {
            if tip.is_empty() {
                continue;
            }
            let radius = if series.scattered { "4.5" } else { "2" };
            chart.append(tag(
                "circle",
                &[
                    ("cx", at(x(*across))),
                    ("cy", at(y(*up))),
                    ("r", radius.into()),
                    ("class", format!("point {}", series.class)),
                    ("data-tip", tip.clone()),
                ],
            ));
        }
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::{Axis, Scale, at};

    #[test]
    fn scales_have_ticks_inside() {
        let axis = |base| Axis {
            title: "",
            tick: |n| n.to_string(),
            base,
        };
        let linear = Scale::new(&axis(0.0), [1.0, 937.0].into_iter());
        assert_eq!((linear.low, linear.high), (0.0, 1000.0));
        assert_eq!(linear.ticks, [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
        for values in [[1.0, 16_777_216.0], [0.4, 0.5], [3.0, 3.0], [0.1, 400.0]] {
            for base in [2.0, 10.0] {
                let scale = Scale::new(&axis(base), values.into_iter());
                assert!(
                    (1..=10).contains(&scale.ticks.len()),
                    "{values:?} {:?}",
                    scale.ticks
                );
                assert!(
                    scale
                        .ticks
                        .iter()
                        .all(|&tick| (0.0..=1.0).contains(&scale.part(tick))),
                    "{values:?}"
                );
                assert!(
                    values
                        .iter()
                        .all(|&value| (0.0..=1.0).contains(&scale.part(value))),
                    "{values:?}"
                );
            }
        }
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([at(1.0), at(1.26), at(-0.04)], ["1", "1.3", "-0"]);
    }
}
