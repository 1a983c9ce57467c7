"use strict";
// Builds the report from the runs embedded in the page: tables, and charts in plain SVG. A chart
// library would not shorten this script. uPlot draws on a canvas, where the keyboard cannot reach
// the values. Observable Plot and D3 take 400 KB, and this script would still need its own code for
// keys, tips, legends and printing.

const { runs, titles, means, side_by_side, explanation } =
  JSON.parse(document.getElementById("data").textContent);
const MAIN = ["rook_attacks", "bishop_attacks", "queen_attacks", "slider_attacks"];
const SWEPT = "slider_attacks";
const BASELINE = "scalar";
const DRAWN_RAYS = ["ray_attacks-north", "ray_attacks-east", "ray_attacks-southwest"];
// The maximum number of lines in a chart.
const LINES = 8;
const PHONE = innerWidth <= 760;

// Creates elements. Text becomes text nodes, so nothing needs escaping.
const creator = (namespace) => (name, attributes = {}, ...children) => {
  const node = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) {
    // The page's policy forbids `style` attributes.
    if (key === "colour") node.style.setProperty("--colour", value);
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
};
const html = creator("http://www.w3.org/1999/xhtml");
const svg = creator("http://www.w3.org/2000/svg");
const text = (x, y, anchor, content, kind = "") =>
  svg("text", { x, y, "text-anchor": anchor, class: kind }, content);
const line = (x1, y1, x2, y2, kind) => svg("line", { x1, y1, x2, y2, class: kind });
const table = (header, rows) => {
  const row = (cells, first, other) =>
    html("tr", {}, ...cells.map((cell, i) => html(i ? other : "th", { scope: first }, cell)));
  const head = html("thead", {}, row(header, "col", "th"));
  const body = html("tbody", {}, ...rows.map((cells) => row(cells, "row", "td")));
  const label = "Table. Arrow keys scroll it.";
  return html("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label },
    html("table", {}, head, body));
};
const card = (title, ...content) =>
  html("figure", { class: "card" }, html("figcaption", {}, html("h3", {}, title)), ...content);
// Shows a section of the template, if it has content.
const fill = (id, ...content) => {
  if (!content.length) return;
  const section = document.getElementById(id);
  section.hidden = false;
  (section.querySelector(":scope > div") ?? section).append(...content);
};

// Format numbers, to three significant digits or in a unit.
const digits = (n) => n.toFixed(n >= 100 ? 0 : n >= 10 ? 1 : n >= 1 ? 2 : 3);
const giga = (n) => (n / 1e9).toFixed(1);
const short = (n) => (n >= 1000 ? `${n / 1000}k` : String(Number(n.toPrecision(3))));
const binary = (n) => {
  if (n >= 2 ** 20) return `${Math.round(n / 2 ** 20)}Mi`;
  return n >= 1024 ? `${Math.round(n / 1024)}Ki` : `${n}`;
};
const capacity = (bytes) => {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  if (bytes >= 2 ** 20) return `${Math.floor(bytes / 2 ** 20)} MiB`;
  return bytes >= 1024 ? `${Math.floor(bytes / 1024)} KiB` : `${bytes} B`;
};

// Select, sort and describe figures.
const distinct = (values) => [...new Set(values)];
const select = (run, section, operation) =>
  run.figures.filter((f) => f.section === section && (!operation || f.operation === operation));
const bySpeed = (figures) => [...figures].sort((a, b) => a.ns.median - b.ns.median);
const workingSet = (f) => f.boards * f.bytes_a_board;
const inCache = (run, operation, contender) =>
  select(run, "operations", operation).find((f) => f.contender === contender);
// The contender, or all kernels that share its code.
const label = (f) => f.shared_by?.join(", ") ?? f.contender;
const is = (f, name) => f.contender === name || Boolean(f.shared_by?.includes(name));
const describe = (f) =>
  [
    `${label(f)}, ${f.operation}`,
    `${digits(f.ns.median)} ns per board (quartiles ${f.ns.quartiles.map(digits).join(" to ")}, ` +
      `fastest ${digits(f.ns.minimum)})`,
    `${digits(f.boards_per_second / 1e6)} million boards/s, ${giga(f.bytes_per_second)} GB/s`,
    f.tsc_cycles && `${digits(f.tsc_cycles)} TSC cycles per board`,
    f.to_scalar && `${digits(f.to_scalar.median)} times the time of scalar`,
    f.to_copy && `${digits(f.to_copy.median)} times the time of copy-xor`,
    f.counters &&
      `${digits(f.counters.instructions)} instructions, ${digits(f.counters.cycles)} cycles per ` +
        `board, IPC ${f.counters.ipc.toFixed(2)}, ${digits(f.counters.branch_misses)} branch ` +
        `misses, ${f.counters.clock_ghz.toFixed(2)} GHz`,
  ].filter(Boolean).join("\n");

// A contender has the same colour in all charts. Successive hues are a golden angle apart. The
// baseline and the copies have no hue.
const hues = new Map();
const oklch = (index) => `oklch(var(--lightness) 0.14 ${((255 + 137.5 * index) % 360).toFixed(1)})`;
const colour = ({ contender, kind }) => {
  if (contender === BASELINE) return "var(--ink)";
  if (kind === "roof") return "var(--soft)";
  if (!hues.has(contender)) hues.set(contender, hues.size);
  return oklch(hues.get(contender));
};
const legend = (entries) => {
  const entry = ({ name, colour, dashed }) => {
    const sample = line(0, 5, 16, 5, dashed ? "line dashed" : "line");
    return html("li", {}, svg("svg", { "aria-hidden": true, colour }, sample), name);
  };
  return html("ul", { class: "legend" }, ...entries.map(entry));
};

// Makes the scale of an axis: a function `at` that maps values to 0..1, and the values of the
// `ticks`. `base` is the base of a logarithmic axis's ticks, or 0 for a linear axis from 0.
const scale = (values, base) => {
  const most = Math.max(...values, Number.MIN_VALUE);
  if (!base) {
    const decade = 10 ** Math.floor(Math.log10(most / 5));
    const step = [1, 2, 5, 10].map((n) => n * decade).find((step) => most / step <= 5);
    const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
    return { at: (value) => value / most, ticks };
  }
  const logs = values.map(Math.log2);
  const [low, high] = [Math.min(...logs), Math.max(...logs, Math.min(...logs) + 0.5)];
  const margin = 0.03 * (high - low);
  const at = (value) => (Math.log2(value) - low + margin) / (high - low + 2 * margin);
  const inside = (tick) => at(tick) >= 0 && at(tick) <= 1;
  const first = Math.floor(low / Math.log2(base));
  const powers = Array.from({ length: 64 }, (_, i) => base ** (first + i));
  let ticks = powers.filter(inside);
  // If fewer than three powers fit, add 2 and 5 times each power. If many fit, keep at most nine.
  if (ticks.length < 3) ticks = powers.flatMap((p) => [p, 2 * p, 5 * p]).filter(inside);
  const every = Math.ceil(ticks.length / 9);
  return { at, ticks: ticks.filter((_, i) => i % every === 0) };
};

const chart = (height, width, about, ...content) =>
  svg("svg", {
    class: "chart", viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img",
    "aria-label": `${about}. Arrow keys read the values.`,
  }, ...content);
const mark = (tip, ...content) => svg("g", { class: "mark", "data-tip": tip }, ...content);
const series = (colour, kind, ...content) =>
  svg("g", { class: `series ${kind}`, colour }, ...content);

// Draws horizontal bars from 0. A group has a name and bars: { value, range, note, tip, colour,
// kind }. A long name that lists several kernels is wrapped to several lines.
const barChart = (title, axis, groups, WIDTH = PHONE ? 372 : 540, named = true) => {
  const [ROW, NOTES, FOOT, LETTERS] = [18, 92, 40, PHONE ? 26 : 36];
  const half = LETTERS / 2;
  const shortened = (name) =>
    name.length > LETTERS ? `${name.slice(0, half)}…${name.slice(1 - half)}` : name;
  const wrapped = (name) => name.split(/(?<=, )/).map(shortened).reduce((lines, part) => {
    const fits = lines.length && (lines.at(-1) + part).trimEnd().length <= LETTERS;
    return fits ? [...lines.slice(0, -1), lines.at(-1) + part] : [...lines, part];
  }, []);
  const names = groups.map(({ name }) => wrapped(name));
  const rows = groups.map(({ bars }, i) => Math.max(1, bars.length, names[i].length));
  const left = named ? 12 + 7 * Math.max(...names.flat().map((line) => line.length)) : 12;
  const all = groups.flatMap((group) => group.bars);
  const height = ROW * rows.reduce((sum, count) => sum + count, 0);
  const { at, ticks } = scale(all.flatMap((bar) => [bar.value, ...bar.range]), 0);
  const x = (value) => left + (WIDTH - left - NOTES) * at(value);
  const grid = ticks.flatMap((tick) => [
    line(x(tick), 0, x(tick), height + 4, "gridline"),
    text(x(tick), height + 18, "middle", short(tick)),
  ]);
  let top = 0;
  const drawn = groups.flatMap(({ bars }, group) => {
    const lines = !named ? [] : names[group].map((name, i) =>
      text(left - 6, top + ROW * i + 13, "end", name.trimEnd(), "name"));
    const marks = bars.map(({ value, range, note, tip, colour }, i) => {
      const y = top + ROW * i;
      const size = { width: Math.max(1, x(value) - left), height: ROW - 6, rx: 2 };
      return mark(tip,
        svg("rect", { x: 0, y, width: WIDTH, height: ROW, class: "hit" }),
        ...(i ? [] : lines),
        svg("rect", { x: left, y: y + 3, ...size, class: "bar", colour }),
        line(x(range[0]), y + ROW / 2, x(range[1]), y + ROW / 2, "range"),
        text(x(Math.max(value, range[1])) + 5, y + 13, "start", note));
    });
    top += ROW * rows[group];
    return bars.length ? [series(bars[0].colour, bars[0].kind, ...marks)] : lines;
  });
  const foot = text(WIDTH - 4, height + FOOT - 4, "end", axis);
  return chart(height + FOOT, WIDTH, `${title}: ${axis}`, ...grid, foot, ...drawn);
};
const bars = (title, axis, groups) => card(title, barChart(title, axis, groups));
const ungrouped = (title, axis, figures, bar) =>
  bars(title, axis, figures.map((f) => ({ name: label(f), bars: [bar(f)] })));
const throughputBars = (title, figures) =>
  ungrouped(title, "million boards/s (higher is better)", figures, (f) => {
    const speed = digits(f.boards_per_second / 1e6);
    const compared = f.to_scalar && f.contender !== BASELINE;
    return {
      value: f.boards_per_second / 1e6,
      range: f.ns.quartiles.map((ns) => 1e3 / ns).reverse(),
      note: compared ? `${speed} · ${digits(1 / f.to_scalar.median)}x` : speed,
      tip: describe(f), colour: colour(f), kind: f.kind,
    };
  });

// Draws lines or points. A series is { name, colour, dashed, scattered, points: [{ x, y, tip }] }.
const lines = (title, across, up, allSeries, caches = []) => {
  const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [PHONE ? 372 : 540, 280, 44, 12, 38, 38];
  const points = allSeries.flatMap((one) => one.points);
  const xs = scale(points.map((p) => p.x), across.base);
  const ys = scale(points.map((p) => p.y), up.base);
  const x = (value) => LEFT + (WIDTH - LEFT - RIGHT) * xs.at(value);
  const y = (value) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * ys.at(value);
  const tick = across.tick ?? short;
  const inside = ([value]) => xs.at(value) >= 0 && xs.at(value) <= 1;
  const frame = [
    ...ys.ticks.flatMap((value) => [
      line(LEFT, y(value), WIDTH - RIGHT, y(value), "gridline"),
      text(LEFT - 5, y(value) + 4, "end", short(value)),
    ]),
    ...xs.ticks.flatMap((value) => [
      line(x(value), HEIGHT - BOTTOM, x(value), HEIGHT - BOTTOM + 4, "gridline"),
      text(x(value), HEIGHT - BOTTOM + 16, "middle", tick(value)),
    ]),
    text(WIDTH - RIGHT, HEIGHT - 4, "end", across.title),
    text(2, 13, "start", up.title),
    ...caches.filter(inside).flatMap(([value, name]) => [
      line(x(value), TOP, x(value), HEIGHT - BOTTOM, "cache"),
      text(x(value), TOP - 5, "middle", name),
    ]),
  ];
  const drawn = allSeries.map(({ colour, dashed, scattered, points }) => {
    const places = points.map((p) => [x(p.x).toFixed(1), y(p.y).toFixed(1), p.tip]);
    const d = `M${places.map(([x, y]) => `${x} ${y}`).join("L")}`;
    const stroke = svg("path", { d, class: dashed ? "line dashed" : "line" });
    const dots = places.filter(([, , tip]) => tip).map(([cx, cy, tip]) =>
      mark(tip, svg("circle", { cx, cy, r: scattered ? 4.5 : 2, class: "point" })));
    return series(colour, "", ...(scattered ? [] : [stroke]), ...dots);
  });
  const about = `${title}: ${up.title} by ${across.title}`;
  return card(title, chart(HEIGHT, WIDTH, about, ...frame, ...drawn), legend(allSeries));
};
const byBoards = (figures, value) => {
  const chess = distinct(figures.filter((f) => f.kind !== "roof").map((f) => f.contender));
  const copies = distinct(figures.filter((f) => f.kind === "roof").map((f) => f.contender));
  return [...chess.slice(0, LINES), ...copies].map((name) => {
    const own = figures.filter((f) => f.contender === name);
    const tip = (f) =>
      `${name}, ${f.boards_a_call} boards per call (${capacity(workingSet(f))})\n` +
      `${digits(f.ns.median)} ns per board, ${giga(f.bytes_per_second)} GB/s`;
    const points = own.map((f) => ({ x: f.boards_a_call, y: value(f), tip: tip(f) }));
    return { name, colour: colour(own[0]), dashed: name === "copy-xor-nt", points };
  });
};

// The sections of a single run's page.

const machineFacts = (run) => {
  const { machine, clocks } = run;
  const unknown = "not readable here";
  const lowest = Math.min(...clocks.map((clock) => clock.ghz));
  const after = clocks.length ? `; at least ${lowest.toFixed(2)} after any kernel` : "";
  return [
    ["Vendor", machine.vendor],
    ["Family / model / stepping", machine.family !== undefined &&
      `${machine.family} / ${machine.model} / ${machine.stepping}`],
    ["Architecture", `${machine.arch}, ${machine.os}`],
    ["Hardware threads", machine.threads],
    ...machine.caches.map((cache) => [
      cache.level === 1 ? "L1 data" : `L${cache.level}`,
      capacity(cache.bytes) + (cache.shared_by > 1 ? `, shared by ${cache.shared_by}` : ""),
    ]),
    ["Core clock, measured", `${machine.clock_ghz.toFixed(2)} GHz${after}`],
    ["Time stamp counter", machine.tsc_ghz && `${machine.tsc_ghz.toFixed(3)} GHz`],
    ["Governor", machine.governor ?? unknown],
    ["Boost", machine.boost === undefined ? unknown : machine.boost ? "on" : "off"],
    ["Hypervisor", machine.hypervisor !== undefined &&
      (machine.hypervisor ? "yes, a virtual machine" : "none reported")],
    ["Huge pages", machine.huge_pages],
    ["Hardware counters", machine.no_counters ? `none: ${machine.no_counters}` : "read"],
    ["Compiler", run.rustc],
    ["setwise", `${run.version}, ${run.target}`],
    ["Measured", `${run.date}, for ${run.seconds.toFixed(0)} s`],
    ["Options", run.options.join(" ")],
  ].filter(([, value]) => value).map(([name, value]) =>
    html("div", {}, html("dt", {}, name), html("dd", {}, value)));
};

// Returns up to three sentences. A sentence is left out if its figures are missing.
const summary = (run) => {
  const swept = bySpeed(select(run, "operations", SWEPT));
  const best = swept.find((f) => f.kind === "kernel");
  if (!best?.to_scalar) return [];
  const bold = (content) => html("b", {}, content);
  const own = (section, operation) =>
    select(run, section, operation).filter((f) => is(f, best.contender));

  const speed = [bold(best.contender), " is the fastest kernel here: ",
    bold(`${digits(best.boards_per_second / 1e6)} million boards/s`),
    ` for all sliders of a side, ${digits(1 / best.to_scalar.median)} times the speed of scalar code`];
  const lookUp = swept.find((f) =>
    ["magic", "pext", "cozy-magic", "popped-pext"].includes(f.contender));
  if (lookUp) {
    const times = digits(lookUp.ns.median / best.ns.median);
    speed.push(` and ${times} times that of the fastest look-ups slider by slider (`,
      bold(lookUp.contender), ")");
  }
  const sentences = [html("p", {}, ...speed, ".")];

  const one = own("latency", `${SWEPT}_one`)[0];
  if (one) {
    const latency = ["The latency of one board is ", bold(`${digits(one.ns.median)} ns`), " with ",
      bold(best.contender)];
    const calls = own("calls", SWEPT);
    const enough = calls.find((f) => f.ns.median <= 1.25 * best.ns.median);
    if (enough) {
      latency.push("; from ", bold(`${enough.boards_a_call} boards per call`),
        " it is within 25 % of full speed");
    } else if (calls.length) {
      latency.push("; at 64 boards per call it is still more than 25 % below full speed");
    }
    sentences.push(html("p", {}, ...latency, "."));
  }

  const far = own("sweep", SWEPT).at(-1);
  const copy = far && select(run, "sweep", SWEPT)
    .filter((f) => f.kind === "roof" && f.boards_a_call === far.boards_a_call)
    .sort((a, b) => b.bytes_per_second - a.bytes_per_second)[0];
  // A short run has a single sample of the largest batches, so its minimum equals its median. Such
  // a run gets no sentence about them.
  if (copy && far.ns.minimum < far.ns.median) {
    const caches = Math.max(0, ...run.machine.caches.map((cache) => cache.bytes));
    const where = workingSet(far) > caches ? "Beyond the caches" : "In the largest batches";
    const part = (100 * far.bytes_per_second / copy.bytes_per_second).toFixed(0);
    sentences.push(html("p", {}, `${where} (${capacity(workingSet(far))}) it moves `,
      bold(`${giga(far.bytes_per_second)} GB/s`), `, ${part} % of a plain copy (`,
      bold(copy.contender), ` ${giga(copy.bytes_per_second)} GB/s); in the caches it moves `,
      `${giga(best.bytes_per_second)} GB/s.`));
  }
  return sentences;
};

const throughput = (run, section) => {
  const figures = select(run, section).filter((f) => f.kind !== "roof");
  let operations = distinct(figures.map((f) => f.operation));
  if (operations.length > MAIN.length) {
    operations = operations.filter((name) => MAIN.includes(name));
  }
  const input = run.inputs.find((input) => input.name === figures[0]?.input);
  document.querySelector(`#${section} .input`).textContent = input?.about ?? "";
  fill(section, ...operations.map((name) =>
    throughputBars(name, bySpeed(figures.filter((f) => f.operation === name)))));
};

const sweep = (run) => {
  const figures = select(run, "sweep");
  if (!figures.length) return;
  const { operation, bytes_a_board } = figures[0];
  const caches = run.machine.caches.map((cache) =>
    [cache.bytes / bytes_a_board, `L${cache.level} ${capacity(cache.bytes)}`]);
  const across = { title: "boards per call", base: 4, tick: binary };
  const chess = figures.filter((f) => f.kind !== "roof");
  fill("sweep",
    lines(`${operation}: throughput`, across,
      { title: "million boards/s (higher is better)", base: 0 },
      byBoards(chess, (f) => f.boards_per_second / 1e6), caches),
    lines(`${operation}: bandwidth, ${bytes_a_board} bytes per board`, across,
      { title: "GB/s read and written (higher is better)", base: 10 },
      byBoards(figures, (f) => f.bytes_per_second / 1e9), caches));
};

const shortCalls = (run) => {
  const calls = select(run, "calls");
  const across = { title: "boards per call", base: 2, tick: binary };
  const up = { title: "ns per board (lower is better)", base: 10 };
  fill("calls", ...distinct(calls.map((f) => f.operation)).map((name) =>
    lines(`${name}: 1 to 64 boards per call`, across, up,
      byBoards(calls.filter((f) => f.operation === name), (f) => f.ns.median))));
};

// Three charts side by side with the same rows, fastest code first. Runs of earlier versions have
// only the latency.
const oneBoard = (run) => {
  const bar = (f) => ({
    value: f.ns.median, range: f.ns.quartiles, note: `${digits(f.ns.median)} ns`,
    tip: describe(f), colour: colour(f), kind: f.kind,
  });
  for (const operation of MAIN.map((name) => `${name}_one`)) {
    const columns = ["throughput", "latency", "cold"].map((section) => [section,
      select(run, section, operation).filter((f) => f.kind !== "roof")]);
    const measured = columns.filter(([, figures]) => figures.length);
    const rows = distinct(measured.flatMap(([, figures]) => bySpeed(figures)).map(label));
    const charts = measured.map(([section, figures], i) => {
      const groups = rows.map((name) =>
        ({ name, bars: figures.filter((f) => label(f) === name).map(bar) }));
      const width = PHONE ? 372 : i ? 300 : 540;
      const axis = `${section}, ns (lower is better)`;
      return barChart(operation, axis, groups, width, PHONE || !i);
    });
    if (charts.length) {
      fill("one-board", card(operation, html("div", { class: "three" }, ...charts)));
    }
  }
};

// The greatest bandwidth of the copies whose boards fit in the cache at index `level`, but not in
// the previous cache. An index past the last cache means memory.
const bandwidth = (run, level) => {
  const size = (i) => run.machine.caches[i]?.bytes ?? (i < 0 ? 0 : Infinity);
  const [least, most] = [1.5 * size(level - 1), 0.75 * size(level)];
  const copies = select(run, "sweep", SWEPT).filter((f) =>
    f.kind === "roof" && workingSet(f) > least && workingSet(f) <= most);
  return Math.max(0, ...copies.map((f) => f.bytes_per_second / 1e9));
};

// Makes a table for each operation, and one for the longest calls of the swept operation. Tables of
// main operations are open. One more table has the bounds of all models for the main operations.
const bounds = () => {
  if (!explanation) return;
  const { about, models, rows } = explanation;
  document.querySelector("#bounds .model").textContent = about;
  const number = (n) => (n === null ? "" : n === 0 ? "0" : digits(n));
  const header = ["", "instructions", "vector ops", "spills", "uops", "bound", "simulated",
    "measured", "% of bound", "limit", "cycles in which each port is busy"];
  for (const title of distinct(rows.map((row) => row.title))) {
    const own = rows.filter((row) => row.title === title);
    const cells = own.map((row) => [
      row.contender, ...[row.instructions, row.vector, row.spills, row.uops, row.bound,
        row.simulated, row.measured].map(number),
      row.percent === null ? "" : `${row.percent}`, row.limit, row.busy ?? "",
    ]);
    const open = MAIN.includes(own[0].operation) ? { open: "" } : {};
    fill("bounds", html("details", open, html("summary", {}, `${title}, per board`),
      table(header, cells)));
  }
  const all = rows.filter((row) => MAIN.includes(row.operation) && row.title === row.operation &&
    row.bounds.some((bound) => bound !== null));
  if (!all.length) return;
  fill("bounds", html("details", {}, html("summary", {}, "Bounds of every model, cycles per board"),
    table(["", "operation", ...models],
      all.map((row) => [row.contender, row.operation, ...row.bounds.map(number)]))));
};

const roofline = (run) => {
  const counted = (explanation?.rows ?? []).filter((row) =>
    row.lanes && MAIN.includes(row.operation) && row.title === row.operation);
  const points = (name) =>
    counted.filter((row) => row.contender === name).map(({ operation, vector, lanes }) => {
      const f = inCache(run, operation, name);
      const [x, y] = [lanes / f.bytes_a_board, lanes * f.boards_per_second / 1e9];
      const tip = `${describe(f)}\n${vector.toFixed(1)} vector operations per board, ` +
        `${lanes.toFixed(1)} in 64-bit lanes: ${x.toFixed(2)} per byte, ` +
        `${y.toFixed(1)} billion per second`;
      return { x, y, tip };
    });
  const kernels = run.kernels
    .map(({ name }) => ({
      name, scattered: true, points: points(name), colour: colour({ contender: name }),
    }))
    .filter((kernel) => kernel.points.length)
    .slice(0, LINES);
  if (!kernels.length) return;
  const all = kernels.flatMap((kernel) => kernel.points);
  const [least, most] = [Math.min(...all.map((p) => p.x)) / 2, Math.max(...all.map((p) => p.x)) * 1.2];
  const widths = (run.ceilings ?? []).map(({ bits, operations_per_ns }) =>
    ({ bits, rate: operations_per_ns, top: operations_per_ns * bits / 64 }));
  const top = Math.max(...widths.map((width) => width.top), ...all.map((p) => p.y));
  const grey = { colour: "var(--soft)" };
  const flat = widths.map(({ bits, rate, top }) => ({
    ...grey, dashed: true, name: `${bits} bits: ${rate.toFixed(1)} operations/ns, ${top.toFixed(0)} lanes`,
    points: [{ x: least, y: top }, { x: most, y: top }],
  }));
  const memory = [...run.machine.caches.keys(), run.machine.caches.length].flatMap((level) => {
    const rate = bandwidth(run, level);
    const cache = run.machine.caches[level];
    const [from, to] = [least, Math.min(most, top / rate)];
    if (!rate || to <= from) return [];
    const name = `copy in ${cache ? `L${cache.level}` : "memory"}: ${rate.toFixed(0)} GB/s`;
    return [{ ...grey, name, points: [from, to].map((x) => ({ x, y: x * rate })) }];
  });
  fill("roofline", lines("Roofline", { title: "64-bit lanes computed per byte", base: 2 },
    { title: "billion 64-bit lanes/s (higher is better)", base: 2 },
    [...kernels, ...memory, ...flat]));
};

const clocks = (run) => {
  const bar = ({ contender, ghz }) => ({
    value: ghz, range: [ghz, ghz], note: `${ghz.toFixed(2)} GHz`,
    tip: `${contender}: ${ghz.toFixed(3)} GHz after 3 ms of ${SWEPT}`,
    colour: colour({ contender }),
  });
  // Leave out the chart if all clocks are nearly equal.
  const ghz = run.clocks.map((clock) => clock.ghz);
  if (Math.max(...ghz) > 1.03 * Math.min(...ghz)) {
    fill("roofline",
      ungrouped("Core clock after each kernel", "GHz (higher is better)", run.clocks, bar));
  }
};

const threads = (run) => {
  for (const [section, title] of [
    ["threads", "In the caches"],
    ["threads-memory", "Beyond the caches: 64 MiB per thread"],
  ]) {
    const figures = select(run, section);
    const rows = figures.map((f) => {
      const alone = figures.find((one) => !one.threads && one.contender === f.contender);
      const speedUp = alone ? (f.boards_per_second / alone.boards_per_second).toFixed(2) : "";
      return [f.contender, `${f.threads ?? 1}`, digits(f.boards_per_second / 1e6),
        giga(f.bytes_per_second), speedUp];
    });
    const header = ["", "threads", "Mboards/s", "GB/s", "speed-up"];
    if (rows.length) fill("threads", card(title, table(header, rows)));
  }
};

const techniques = (run) => {
  const all = select(run, "techniques");
  const drawn = distinct(all.map((f) => f.operation))
    .filter((name) => !name.startsWith("ray_attacks") || DRAWN_RAYS.includes(name));
  fill("techniques", ...drawn.map((name) => {
    const figures = bySpeed(all.filter((f) => f.operation === name));
    const best = figures.find((f) => f.kind === "kernel");
    return throughputBars(name, figures.filter((f) =>
      f.kind === "form" || f.contender === BASELINE || f === best));
  }));
};

const tables = (run) => {
  const titled = (title, content) => html("details", {}, html("summary", {}, title), content);
  for (const [section, title] of [
    ["operations", "Every operation, random boards"], ["positions", "Positions"],
    ["maps", "Attack maps of whole positions"],
    ["throughput", "One board, independent calls"],
    ["cold", "One board, dependent calls, tables out of the caches"],
    ["sweep", "Boards per call"], ["calls", "Short calls"], ["latency", "Latency"],
    ["techniques", "Forms"],
  ]) {
    const figures = select(run, section);
    if (!figures.length) continue;
    const sizes = distinct(figures.map((f) => f.boards_a_call)).length > 1;
    const setting = (f) => (sizes ? `${f.operation} ${f.boards_a_call}` : f.operation);
    const names = distinct(figures.map((f) => f.contender));
    const rows = distinct(figures.map(setting)).map((heading) => {
      const own = figures.filter((f) => setting(f) === heading);
      const best = bySpeed(own).find((f) => f.kind !== "roof");
      return [heading, ...names.map((name) => {
        const f = own.find((f) => f.contender === name);
        const same = own.find((f) => is(f, name));
        const cell = f ? digits(f.ns.median) : same ? `= ${same.contender}` : "";
        return f && f === best ? html("b", {}, cell) : cell;
      })];
    });
    fill("tables", titled(`${title} (ns per board)`, table(["", ...names], rows)));
  }
  const status = (kernel) =>
    kernel.missing.length ? `lacks ${kernel.missing.join(", ")}` : kernel.status;
  fill("tables", titled("Kernel", table(["", "here", "technique"],
    run.kernels.map((kernel) => [kernel.name, status(kernel), kernel.technique]))));
};

const single = (run) => {
  // Assign colours in the order of the figures, best kernel first.
  run.figures.forEach(colour);
  document.querySelector("h1").textContent = titles[0];
  document.getElementById("machine").append(...machineFacts(run));
  fill("wrong", ...run.wrong.map((wrong) => html("p", {}, `Wrong, and not timed: ${wrong}`)));
  fill("summary", ...summary(run));
  throughput(run, "operations");
  throughput(run, "positions");
  throughput(run, "maps");
  oneBoard(run);
  sweep(run);
  shortCalls(run);
  bounds();
  roofline(run);
  clocks(run);
  threads(run);
  techniques(run);
  tables(run);
};

// Makes a table with one row per run: the machine and its fastest kernel.
const machines = () => {
  const rows = runs.map((run, i) => {
    const { clock_ghz, caches } = run.machine;
    const all = caches.map((cache) => `L${cache.level} ${capacity(cache.bytes)}`);
    const best = bySpeed(select(run, "operations", SWEPT)).find((f) => f.kind === "kernel");
    return [`${i + 1}`, titles[i], run.version, `${clock_ghz.toFixed(2)} GHz`, all.join(", "),
      ...(best ? [best.contender, digits(best.ns.median), digits(best.boards_per_second / 1e6),
        giga(best.bytes_per_second)] : ["", "", "", ""])];
  });
  const header = ["", "machine", "setwise", "clock", "caches", "fastest kernel", "ns", "Mboards/s", "GB/s"];
  fill("runs", card(`Machines, and the fastest kernel for ${SWEPT}`, table(header, rows)));
};

// Draws a line for each run that has a sweep: the run's fastest kernel.
const swept = (title) => {
  const lineOf = (run, i) => {
    const figures = select(run, "sweep", SWEPT).filter((f) => f.kind === "kernel");
    const best = bySpeed(figures)[0]?.contender;
    const tip = (f) => `${title(run, i)}\n${describe(f)}`;
    const points = figures.filter((f) => f.contender === best)
      .map((f) => ({ x: f.boards_a_call, y: f.boards_per_second / 1e6, tip: tip(f) }));
    return { name: `${i + 1}: ${best}`, colour: oklch(i), points };
  };
  const all = runs.map(lineOf).filter((one) => one.points.length);
  if (!all.length) return;
  fill("runs", lines(`${SWEPT}: the fastest kernel of each run`,
    { title: "boards per call", base: 4, tick: binary },
    { title: "million boards/s (higher is better)", base: 0 }, all));
};

// Shows several runs, each divided by its own baseline, and the changes from the first run to the
// later ones.
const sideBySide = () => {
  document.querySelector("h1").textContent = distinct(titles).join(" · ");
  const title = (run, i) => `${i + 1}: ${titles[i]}, setwise ${run.version}, ${run.date}`;
  const all = runs.map((run, i) => ({ name: title(run, i), colour: oklch(i) }));
  document.querySelector("#runs > p").after(legend(all));
  machines();
  for (const operation of MAIN) {
    const kernels = runs.flatMap((run) => select(run, "operations", operation))
      .filter((f) => f.kind === "kernel" && f.contender !== BASELINE);
    const bar = (name) => (run, i) => {
      const f = inCache(run, operation, name);
      if (!f?.to_scalar) return [];
      const [value, ...range] = [f.to_scalar.median, ...f.to_scalar.quartiles].map((n) => 1 / n);
      const tip = `${title(run, i)}\n${describe(f)}`;
      const note = `${digits(value)}x`;
      return [{ value, range: range.reverse(), note, tip, colour: oklch(i), kind: f.kind }];
    };
    const groups = distinct(kernels.map((f) => f.contender))
      .map((name) => ({ name, bars: runs.flatMap(bar(name)) }))
      .filter((group) => group.bars.length);
    if (groups.length) {
      fill("runs", bars(operation, "times the speed of scalar (higher is better)", groups));
    }
  }
  swept(title);
  for (const [operation, rows] of side_by_side.filter(([, rows]) => rows.length)) {
    const numbers = runs.map((_, i) => i + 1);
    const header = ["", ...numbers.flatMap((n) => [`ns ${n}`, `cycles ${n}`, `x scalar ${n}`]),
      ...numbers.slice(1).map((n) => `${n} / 1`)];
    const times = (time) => (time
      ? [digits(time.ns), digits(time.cycles), time.to_scalar ? digits(1 / time.to_scalar) : ""]
      : ["", "", ""]);
    const change = (one) => {
      const cell = one ? one.factor.toFixed(2) : "";
      return one?.beyond_noise ? html("b", {}, `${cell}*`) : cell;
    };
    fill("runs", card(`${operation}, per board`,
      html("p", {}, "Sorted by the second run. The last columns compare two runs' times, each ",
        "divided by scalar's (lower is better). An asterisk marks changes beyond the noise of both ",
        "runs."),
      table(header, rows.map((row) =>
        [row.contender, ...row.runs.flatMap(times), ...row.changes.map(change)]))));
  }
  means.forEach((means, i) => {
    const rows = means.map((mean) => [mean.contender, `${mean.figures}`, mean.factor.toFixed(3)]);
    fill("runs", card(`Run ${i + 2} against run 1`,
      html("p", {}, "The factor between the times of the two runs, each divided by scalar's (lower ",
        "is better). It is the mean of the middle half of the figures. scalar's own times are ",
        "divided by copy-xor's."),
      table(["", "figures", "factor"], rows)));
  });
};

// Shows the value under the pointer, or the value in a chart to which the arrow keys moved.
const tip = document.getElementById("tip");
let current = null;
const show = (target) => {
  current?.classList.remove("current");
  current = target;
  tip.hidden = !target;
  if (!target) return;
  target.classList.add("current");
  tip.textContent = target.dataset.tip;
  const shape = target.querySelector(".bar, .point").getBoundingClientRect();
  const { width, height } = tip.getBoundingClientRect();
  const middle = shape.left + shape.width / 2;
  const left = Math.min(Math.max(8, middle - width / 2), innerWidth - width - 8);
  const above = shape.top - height - 8;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 4 ? above : shape.bottom + 8}px`;
};
const point = (event) => show(event.target.closest(".mark"));
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const move = (event) => {
  if (event.key === "Escape") show(null);
  const chart = event.target.closest(".chart");
  if (!chart || !KEYS[event.key]) return;
  event.preventDefault();
  const [down, right] = KEYS[event.key];
  const clamp = (i, list) => list[Math.min(Math.max(i, 0), list.length - 1)];
  const all = [...chart.querySelectorAll(".series")].filter((one) => one.querySelector(".mark"));
  const inside = chart.contains(current);
  const from = inside ? current.parentNode : all[0];
  const position = inside ? [...from.querySelectorAll(".mark")].indexOf(current) + right : 0;
  const to = inside ? clamp(all.indexOf(from) + down, all) : from;
  const target = clamp(position, [...to.querySelectorAll(".mark")]);
  target.scrollIntoView({ block: "nearest" });
  show(target);
};

if (runs.length === 1) single(runs[0]);
else sideBySide();
document.title = `setwise bench: ${document.querySelector("h1").textContent}`;
document.getElementById("version").textContent = `${runs[0].version} (${runs[0].rustc})`;
document.addEventListener("pointerover", point);
document.addEventListener("pointerdown", point);
document.addEventListener("keydown", move);
document.addEventListener("focusout", () => show(null));
addEventListener("scroll", () => show(current), { passive: true });
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
document.getElementById("save").addEventListener("click", () => {
  const json = JSON.stringify(runs.length === 1 ? runs[0] : runs);
  const url = URL.createObjectURL(new Blob([json], { type: "application/json" }));
  html("a", { href: url, download: "setwise-bench.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
});
