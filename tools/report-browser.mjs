// Opens a report in a headless browser: it renders, nothing overflows on a telephone or a desk, texts have enough contrast in light and dark,
// hovering tells figures, and the console is silent.
//
//   node browser.mjs REPORT.html [FOLDER for screenshots]
//
// Needs playwright-core beside it or in NODE_PATH, and Chromium (CHROMIUM=path, default /usr/bin/chromium). Exit code: 0 fine, 1 not, 3 no browser.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [report, folder] = process.argv.slice(2);
if (!report) {
  console.error("usage: browser.mjs REPORT.html [FOLDER]");
  process.exit(2);
}

let browser;
try {
  const require = createRequire(resolve(process.env.BROWSER_MODULES ?? ".", "x.js"));
  const { chromium } = require("playwright-core");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  if (!existsSync(executablePath)) throw new Error(`${executablePath} is not there`);
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
} catch (error) {
  console.error(`no browser: ${error.message}`);
  process.exit(3);
}

const problems = [];

// In the page: texts whose colour is too near to what is behind them.
const lowContrast = () => {
  const channels = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour.a > 0) return colour;
    }
    return { r: 255, g: 255, b: 255, a: 1 };
  };
  const ratio = (a, b) => {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const found = new Map();
  let seen = 0;
  const judge = (element, colour, least, what) => {
    seen += 1;
    const value = ratio(channels(colour), behind(element));
    if (value < least) found.set(`${what} ${element.getAttribute("class") ?? ""}`, value.toFixed(2));
  };
  for (const element of document.querySelectorAll("main *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const style = getComputedStyle(element);
    if (own && !element.closest("svg")) judge(element, style.color, 4.5, element.localName);
    if (own && element.localName === "text") judge(element, style.fill, 4.5, "svg text");
    if (element.matches("rect.bar")) judge(element, style.fill, 3, "bar");
    if (element.matches("path.line")) judge(element, style.stroke, 3, "line");
    if (element.matches("ul.legend i") && style.backgroundImage === "none") judge(element.parentElement, style.backgroundColor, 3, "swatch");
  }
  return { seen, found: [...found] };
};

// In the page: what sticks out of it to the right, but for what scrolls by itself, and text outside of its drawing.
const overflow = () => {
  const out = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) out.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const element of document.querySelectorAll("main *")) {
    if (element.closest(".scroll") && !element.matches(".scroll")) continue;
    const { left, right } = element.getBoundingClientRect();
    if (right > width + 1 || left < -1) out.push(`${element.localName}.${element.getAttribute("class") ?? ""} ${element.textContent.slice(0, 40)}`);
  }
  for (const text of document.querySelectorAll("svg text")) {
    const [inner, outer] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
    if (inner.left < outer.left - 2 || inner.right > outer.right + 2) out.push(`svg text "${text.textContent}" sticks out`);
  }
  return out.slice(0, 12);
};

for (const colorScheme of ["light", "dark"]) {
  for (const width of [390, 1280]) {
    const where = `${colorScheme}, ${width} px`;
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, hasTouch: width < 800, offline: true });
    const page = await context.newPage();
    page.on("console", (message) => problems.push(`${where}: console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => problems.push(`${where}: ${error}`));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) problems.push(`${where}: asks the network for ${request.url()}`);
    });
    await page.goto(pathToFileURL(resolve(report)).href);
    const charts = await page.locator("main svg").count();
    if (charts < 4) problems.push(`${where}: only ${charts} charts`);
    for (const what of await page.evaluate(overflow)) problems.push(`${where}: overflow: ${what}`);
    const contrast = await page.evaluate(lowContrast);
    if (contrast.seen < 50) problems.push(`${where}: only ${contrast.seen} colours seen`);
    for (const [what, value] of contrast.found) problems.push(`${where}: contrast ${value}: ${what}`);
    const data = await page.evaluate(() => JSON.parse(document.getElementById("figures").textContent));
    if (![data].flat()[0].figures.length) problems.push(`${where}: no figures in the page`);
    for (const target of ["main svg g[data-tip]", "main svg circle[data-tip]"]) {
      const first = page.locator(target).first();
      if (!(await first.count())) continue;
      await first.scrollIntoViewIfNeeded();
      // Scrolling hides what was told before.
      await page.waitForTimeout(150);
      await first.hover({ force: true });
      const shown = await page.locator("#tip").evaluate((tip) => ({ text: tip.textContent, seen: getComputedStyle(tip).visibility }));
      if (shown.seen !== "visible" || !/ns|GHz/.test(shown.text)) problems.push(`${where}: hovering ${target} tells "${shown.text}"`);
    }
    await page.mouse.move(0, 0);
    if (folder) {
      await page.screenshot({ path: `${folder}/${colorScheme}-${width}.png`, fullPage: true });
      await page.evaluate(() => scrollTo(0, 0));
    }
    if (folder && colorScheme === "light" && width === 1280) {
      await page.pdf({ path: `${folder}/print.pdf`, format: "A4" });
    }
    await context.close();
  }
}
await browser.close();
for (const problem of problems) console.error(problem);
console.log(problems.length ? `${problems.length} problems` : "the report is fine in light and dark, at 390 and 1280 px");
process.exit(problems.length ? 1 : 0);
