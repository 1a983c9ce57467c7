// Changes a run in many ways, and checks that `setwise bench --compare` refuses each changed run or
// draws a report that works: no script error, nothing in the console, no markup from the run.
//
//   node report-hostile.mjs SETWISE RUN.json FOLDER
//
// Needs playwright-core in BROWSER_MODULES and Chromium (CHROMIUM=path, default /usr/bin/chromium).
// Exit code: 0 fine, 1 problems.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [setwise, saved, folder] = process.argv.slice(2);
const require = createRequire(resolve(process.env.BROWSER_MODULES ?? ".", "x.js"));
const { chromium } = require("playwright-core");
const run = JSON.parse(readFileSync(saved));

// A few figures of every section, so that pages are drawn quickly.
const kept = {};
run.figures = run.figures.filter(({ section, operation, contender }) => {
  const key = `${section} ${operation} ${contender}`;
  kept[key] = (kept[key] ?? 0) + 1;
  return kept[key] <= 3;
});

// The texts of HOSTILE in crates/cli/src/commands/bench/hostile.rs, and the name of a kernel.
const TEXTS = [
  "<img src=x onerror=alert(1)>", "<script>alert(1)</script>",
  "</script><script>alert(1)</script>", "<!--<script>", "\"><svg onload=alert(1)>",
  "' onmouseover='alert(1)", "</text></svg><b>", "]]></style><b>", "&lt;b&gt;&amp;&#60;b&#62;",
  "javascript:alert(1)", "{{script}}{{data}}{{policy}}", "${alert(1)}`\\u003cb\\u003e",
  "__proto__", "a,b;\"c\"", "", "\u001b[2J\u001b]0;title\u0007", "line\r\nbreak\ttab\u0000",
  "\u009b31m\u0090", "\u202edesrever\u2066", "\ufeff\uffff\u2028", "scalar",
];
const NUMBERS = [0, -1, 1, 30000, 1e-300, 1e300, 2 ** 53];

// The type of every value, by its path. In a path, `*` stands for a list's indices.
const paths = new Map();
const visit = (value, path) => {
  if (Array.isArray(value)) value.forEach((one) => visit(one, [...path, "*"]));
  if (value === null || typeof value !== "object") paths.set(path.join("/"), typeof value);
  else if (!Array.isArray(value)) {
    for (const [name, one] of Object.entries(value)) visit(one, [...path, name]);
  }
};
visit(run, []);

// Calls `change(parent, key)` for every value at the path.
const at = (value, [key, ...rest], change) => {
  const keys = key === "*" ? Object.keys(value) : [key];
  for (const one of keys.filter((one) => one in value)) {
    if (rest.length) at(value[one], rest, change);
    else change(value, one);
  }
};

const changed = [];
const add = (what, change) => {
  const copy = structuredClone(run);
  change(copy);
  changed.push([what, copy]);
};
for (const [path, type] of paths) {
  for (const value of type === "string" ? TEXTS : NUMBERS) {
    add(`${path} = ${JSON.stringify(value)}`, (copy) => at(copy, path.split("/"), (parent, key) => {
      parent[key] = value;
    }));
  }
  add(`no ${path}`, (copy) => at(copy, path.split("/"), (parent, key) => delete parent[key]));
}
for (const field of ["section", "operation", "contender", "kind", "boards_a_call", "threads"]) {
  for (const value of new Set(run.figures.map((figure) => figure[field]))) {
    for (const only of [true, false]) {
      add(`figures ${only ? "only" : "not"} of ${field} ${value}`, (copy) => {
        copy.figures = copy.figures.filter((figure) => (figure[field] === value) === only);
      });
    }
  }
}
for (const list of ["figures", "kernels", "clocks", "inputs", "options", "wrong"]) {
  add(`no ${list}`, (copy) => { copy[list] = []; });
  add(`one of ${list}`, (copy) => { copy[list].length = Math.min(copy[list].length, 1); });
  add(`many ${list}`, (copy) => {
    if (copy[list].length) copy[list] = Array.from({ length: 30000 }, () => copy[list][0]);
  });
}
add("30,000 different calls", (copy) => {
  const figure = copy.figures.find(({ section }) => section === "calls");
  copy.figures = Array.from({ length: 20000 }, (_, i) => ({ ...figure, boards_a_call: i + 1 }));
});

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await (await browser.newContext({ offline: true })).newPage();
page.setDefaultTimeout(120_000);
const problems = [];
let [drawn, refused, what] = [0, 0, ""];
const problem = (text) => problems.push(`${what}: ${text}`);
page.on("console", (message) => problem(`console ${message.type()}: ${message.text()}`));
page.on("pageerror", (error) => problem(error));
page.on("dialog", (dialog) => { problem("a dialog"); dialog.dismiss(); });
const [json, report] = ["changed.json", "changed.html"].map((name) => join(folder, name));
for (const [name, copy] of changed) {
  what = name;
  writeFileSync(json, JSON.stringify(copy));
  const { status, stderr } = spawnSync(setwise, ["bench", "--compare", json, "--html", report]);
  if (status === 2 && stderr.length) {
    refused += 1;
    continue;
  }
  if (status !== 0) {
    problem(`exit code ${status}: ${stderr}`);
    continue;
  }
  drawn += 1;
  await page.goto(pathToFileURL(resolve(report)).href);
  const found = await page.evaluate(() => ({
    markup: document.querySelectorAll("img, [onload], [onerror], [onmouseover], a").length,
    scripts: document.scripts.length,
    numbers: [...document.querySelectorAll(".chart")]
      .filter((chart) => /NaN|Infinity/.test(chart.outerHTML)).length,
  }));
  if (found.markup || found.scripts !== 2) problem("markup from the run");
  if (found.numbers) problem(`bad numbers in ${found.numbers} charts`);
}
await browser.close();
for (const line of problems) console.error(line);
console.log(`changed runs: ${refused} refused, ${drawn} drawn, ${problems.length} problems`);
process.exit(problems.length || !drawn || !refused ? 1 : 0);
