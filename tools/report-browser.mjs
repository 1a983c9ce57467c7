// Checks a report in a headless browser, light and dark, at the widths of a phone and a desktop:
// - every section has content, and nothing overflows
// - colours have enough contrast
// - the fastest kernel is not the lowest in the roofline
// - pointer and keyboard show the values
// - the console stays empty, and the network is not used
//
//   node report-browser.mjs REPORT.html [FOLDER for screenshots]
//
// Needs playwright-core in BROWSER_MODULES and Chromium (CHROMIUM=path, default /usr/bin/chromium).
// Exit code: 0 fine, 1 problems, 3 no browser.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [report, folder] = process.argv.slice(2);
if (!report) {
  console.error("usage: report-browser.mjs REPORT.html [FOLDER]");
  process.exit(2);
}

let browser;
try {
  const require = createRequire(resolve(process.env.BROWSER_MODULES ?? ".", "x.js"));
  const { chromium } = require("playwright-core");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`${executablePath} does not exist`);
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
} catch (error) {
  console.error(`no browser: ${error.message}`);
  process.exit(3);
}

const problems = [];

// Runs in the page: lists empty sections for which the run has figures.
const missing = () => {
  const { runs } = JSON.parse(document.getElementById("data").textContent);
  const sections = runs[0].figures.map((figure) => figure.section.replace("-memory", ""));
  const modelled = runs[0].machine.arch === "x86_64" ? ["bounds"] : [];
  const expected = runs.length > 1 ? ["runs"]
    : ["summary", "tables", ...modelled, ...new Set(sections)];
  const one = ["throughput", "latency", "cold"];
  const ids = expected.map((id) => (one.includes(id) ? "one-board" : id));
  const empty = (id) => document.getElementById(id).hidden || !document.querySelector(`#${id} *`);
  return [...ids.filter(empty), ...(document.querySelector("h1").textContent ? [] : ["h1"])];
};

// Runs in the page: lists colours with too little contrast to their background.
const lowContrast = () => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((channel) => channel / 255);
  };
  const luminance = (rgb) => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
  };
  const background = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) return colour;
    }
    return [1, 1, 1, 1];
  };
  const ratio = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const found = new Map();
  let seen = 0;
  const judge = (element, colour, least, what) => {
    seen += 1;
    const value = ratio(channels(colour), background(element));
    if (value < least) found.set(`${what} ${colour}`, value.toFixed(2));
  };
  for (const element of document.querySelectorAll("main *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const style = getComputedStyle(element);
    if (own && !element.closest("svg")) judge(element, style.color, 4.5, element.localName);
    if (own && element.localName === "text") judge(element, style.fill, 4.5, "svg text");
    if (element.matches(".bar, .point")) judge(element, style.fill, 3, "mark");
    if (element.matches(".line")) judge(element, style.stroke, 3, "line");
  }
  return { seen, found: [...found] };
};

// Runs in the page: lists elements that extend beyond the page or their chart, except in scrolling
// containers.
const overflow = () => {
  const out = [];
  const width = document.documentElement.clientWidth;
  const scrolled = document.documentElement.scrollWidth;
  if (scrolled > width) out.push(`the page is ${scrolled} px wide`);
  for (const element of document.querySelectorAll("main *")) {
    if (element.closest(".scroll") && !element.matches(".scroll")) continue;
    const { left, right } = element.getBoundingClientRect();
    if (right > width + 1 || left < -1) {
      out.push(`${element.localName} ${element.textContent.slice(0, 40)}`);
    }
  }
  for (const chart of document.querySelectorAll(".chart")) {
    const box = chart.getBoundingClientRect();
    const label = chart.getAttribute("aria-label");
    for (const inner of chart.querySelectorAll("text, .bar, .point")) {
      const own = inner.getBoundingClientRect();
      const beyond = [box.left - own.left, own.right - box.right, box.top - own.top,
        own.bottom - box.bottom];
      if (Math.max(...beyond) > 2) {
        out.push(`${inner.localName} "${inner.textContent}" leaves ${label}`);
      }
    }
    if (chart.querySelectorAll("text").length < 4) out.push(`${label} has no axes`);
    if (/NaN|Infinity/.test(chart.outerHTML)) out.push(`${label} has bad numbers`);
  }
  return out.slice(0, 12);
};

// Runs in the page: returns the fastest kernel of the roofline if all others lie above it.
const fastestIfLowest = () => {
  const logs = new Map();
  for (const { dataset } of document.querySelectorAll(".chart[aria-label^=Roofline] .mark")) {
    const [, name, ns, rate] = dataset.tip.match(
      /^([^,]+), [^]*?([\d.]+) ns per board [^]* per byte, ([\d.]+) billion per second/);
    const sums = logs.get(name) ?? { ns: 0, rate: 0 };
    logs.set(name, { ns: sums.ns + Math.log(ns), rate: sums.rate + Math.log(rate) });
  }
  const least = (key) => [...logs].sort(([, a], [, b]) => a[key] - b[key])[0]?.[0];
  return logs.size > 1 && least("ns") === least("rate") ? least("ns") : undefined;
};

for (const colorScheme of ["light", "dark"]) {
  for (const width of [390, 1280]) {
    const where = `${colorScheme}, ${width} px`;
    const context = await browser.newContext({
      viewport: { width, height: 900 }, colorScheme, hasTouch: width < 800, offline: true,
    });
    const page = await context.newPage();
    const problem = (what) => problems.push(`${where}: ${what}`);
    page.on("console", (message) => problem(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => problem(error));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) problem(`requests ${request.url()}`);
    });
    await page.goto(pathToFileURL(resolve(report)).href);
    for (const id of await page.evaluate(missing)) problem(`the section ${id} is missing`);
    for (const what of await page.evaluate(overflow)) problem(`overflow: ${what}`);
    const fastest = await page.evaluate(fastestIfLowest);
    if (fastest) problem(`${fastest} is the fastest, but the lowest in the roofline`);
    const contrast = await page.evaluate(lowContrast);
    if (contrast.seen < 50) problem(`only ${contrast.seen} colours`);
    for (const [what, value] of contrast.found) problem(`contrast ${value}: ${what}`);

    const tip = async () => ((await page.locator("#tip").isVisible())
      ? page.locator("#tip").textContent() : "");
    for (const kind of [".bar", ".point"]) {
      const mark = page.locator(`.mark:has(${kind})`).first();
      if (!(await mark.count())) continue;
      await mark.scrollIntoViewIfNeeded();
      await mark.hover({ force: true });
      if (!/ns per board/.test(await tip())) problem(`hovering ${kind} shows "${await tip()}"`);
    }
    await page.mouse.move(0, 0);
    const charts = page.locator(".chart");
    const count = await charts.count();
    if (!count) problem("no charts");
    for (const i of [0, count - 1]) {
      await charts.nth(i).focus();
      await page.keyboard.press("ArrowDown");
      const first = await tip();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowRight");
      const next = await tip();
      if (!first || !next) problem(`arrow keys show no value in chart ${i}`);
      if (first === next && (await charts.nth(i).locator(".mark").count()) > 1) {
        problem(`arrow keys stay at one value in chart ${i}`);
      }
      await page.keyboard.press("Escape");
      if (await tip()) problem("Escape leaves the value open");
    }
    if (folder) {
      const name = `${basename(report, ".html")}-${colorScheme}-${width}`;
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
      if (colorScheme === "light" && width === 1280) {
        await page.pdf({ path: `${folder}/${name}.pdf`, format: "A4" });
      }
    }
    await context.close();
  }
}
await browser.close();
for (const problem of problems) console.error(problem);
const fine = "the report is fine in light and dark, at 390 and 1280 px";
console.log(problems.length ? `${problems.length} problems` : fine);
process.exit(problems.length ? 1 : 0);
