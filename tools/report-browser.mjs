// Checks a report in a headless browser, light and dark, at the widths of a phone and a desktop:
// - it has tables, and nothing overflows except in scrolling containers
// - no table scrolls while the page has room beside it, and columns say which way is better
// - text has enough contrast
// - the keyboard opens and closes tables, and scrolls them
// - the console stays empty, and the network is not used
//
//   node report-browser.mjs REPORT.html
//
// Needs playwright-core in BROWSER_MODULES and Chromium (CHROMIUM=path, default /usr/bin/chromium).
// Exit code: 0 fine, 1 problems, 3 no browser.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const report = process.argv[2];

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

// Runs in the page: lists text with too little contrast to its background. The background of a bar
// is the bar's colour.
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
      const style = getComputedStyle(e);
      if (e.matches(".bar")) return channels(style.getPropertyValue("--colour"));
      const colour = channels(style.backgroundColor);
      if (colour[3] > 0) return colour;
    }
    return [1, 1, 1, 1];
  };
  const found = new Map();
  for (const element of document.querySelectorAll("main *")) {
    const style = getComputedStyle(element);
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const isLine = element.matches("path.line");
    if ((!own && !isLine) || element.localName === "title") continue;
    const colour = isLine ? style.stroke : element.localName === "text" ? style.fill : style.color;
    const [light, dark] = [luminance(channels(colour)), luminance(background(element))]
      .sort((x, y) => y - x);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < (isLine ? 3 : 4.5)) found.set(`${element.localName} ${colour}`, ratio.toFixed(2));
  }
  return [...found];
};

// Runs in the page: lists elements that extend beyond the page or their chart.
const overflow = () => {
  const out = [];
  const width = document.documentElement.clientWidth;
  for (const element of document.querySelectorAll("main *")) {
    if (element.closest(".scroll") && !element.matches(".scroll")) continue;
    const { left, right } = element.getBoundingClientRect();
    if (right > width + 1 || left < -1) {
      out.push(`${element.localName} ${element.textContent.slice(0, 40)}`);
    }
  }
  for (const chart of document.querySelectorAll(".chart svg")) {
    const box = chart.getBoundingClientRect();
    for (const inner of chart.querySelectorAll("text")) {
      const own = inner.getBoundingClientRect();
      if (own.left < box.left - 2 || own.right > box.right + 2) {
        out.push(`"${inner.textContent}" leaves its chart`);
      }
      if (parseFloat(getComputedStyle(inner).fontSize) * (box.width / 372) < 10.5) {
        out.push(`"${inner.textContent}" is too small`);
      }
    }
  }
  return out.slice(0, 12);
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
      if (!/^(file|data):/.test(request.url())) problem(`requests ${request.url()}`);
    });
    await page.goto(pathToFileURL(resolve(report)).href);
    const tables = page.locator("details[open] table tr");
    if ((await tables.count()) < 20) problem("few tables");
    for (const what of await page.evaluate(overflow)) problem(`overflow: ${what}`);
    for (const [what, value] of await page.evaluate(lowContrast)) {
      problem(`contrast ${value}: ${what}`);
    }

    const cut = await page.evaluate(() => {
      const free = (e) => innerWidth - e.clientWidth;
      const isCut = (e) => e.scrollWidth > e.clientWidth && free(e) > 100;
      return [...document.querySelectorAll("details[open] .scroll")].filter(isCut).length;
    });
    if (cut) problem(`${cut} tables scroll beside free space`);
    const silent = await page.evaluate(() => {
      const columns = document.querySelectorAll("details[open] tr:first-child th + th");
      const keys = ["boards", "memory", "settings"];
      return [...columns].map((e) => e.textContent)
        .filter((text) => !text.endsWith("is better") && !keys.includes(text));
    });
    if (silent.length) problem(`columns without a direction: ${silent.slice(0, 4)}`);

    // Tab from the first table's summary to the table, scroll it, and close it.
    const first = page.locator("details").first();
    await first.locator("summary").focus();
    await page.keyboard.press("Tab");
    const scrolled = await page.evaluate(() => document.activeElement.className);
    if (scrolled !== "scroll") problem("Tab does not reach the table");
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(300);
    const moved = await page.evaluate(() => {
      const { scrollLeft, scrollWidth, clientWidth } = document.activeElement;
      return scrollLeft > 0 || scrollWidth <= clientWidth;
    });
    if (!moved) problem("arrow keys do not scroll the table");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    if (await first.evaluate((e) => e.open)) problem("Enter does not close a table");
    await context.close();
  }
}
await browser.close();
for (const problem of problems) console.error(problem);
const fine = "the report is fine in light and dark, at 390 and 1280 px";
console.log(problems.length ? `${problems.length} problems` : fine);
process.exit(problems.length ? 1 : 0);
