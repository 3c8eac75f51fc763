// A recorded terminal as an animated picture: lines appear at their recorded times, and the window scrolls.
// It is plain SVG with CSS, which browsers also play in an <img>.

import { partsOf } from "./ansi.mjs";

/** @typedef {import("./record.mjs").SeenLine} SeenLine */

const CHARACTER = 8.4;
const LINE = 19;
const FONT = 14;
const PADDING = 18;
const BAR = 38;
/** Longer pauses are cut. */
const LONGEST_PAUSE_MS = 900;
/** Time to read the end. */
const HOLD_MS = 7_000;

const COLOURS = {
  black: "#6e7681",
  red: "#ff7b72",
  green: "#56d364",
  yellow: "#e3b341",
  blue: "#79c0ff",
  magenta: "#d2a8ff",
  cyan: "#56d4dd",
  white: "#f0f6fc",
};

/** @param {readonly SeenLine[]} lines @param {{ columns: number, rows: number, title: string }} window */
export function draw(lines, { columns, rows, title }) {
  const width = Math.ceil(columns * CHARACTER + 2 * PADDING);
  const height = BAR + rows * LINE + 2 * PADDING;
  const moments = momentsOf(lines);
  const totalMs = (moments.at(-1) ?? 0) + HOLD_MS;
  const percent = (/** @type {number} */ ms) => `${((100 * ms) / totalMs).toFixed(2)}%`;
  const groups = grouped(lines, moments);
  const scrollAt = (/** @type {number} */ shown) => -Math.max(0, shown - rows) * LINE;

  const appear = groups.map(
    ({ atMs }, index) =>
      `@keyframes a${index}{0%,${percent(atMs)}{visibility:hidden}${percent(atMs + 1)},to{visibility:visible}}`,
  );
  const scroll = groups.map(
    ({ atMs, end }) => `${percent(atMs)}{transform:translateY(${scrollAt(end)}px)}`,
  );
  const seconds = (totalMs / 1000).toFixed(1);
  const styles = [
    `text{font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9;white-space:pre}`,
    ...Object.entries(COLOURS).map(([name, colour]) => `.${name}{fill:${colour}}`),
    ".bold{font-weight:600;fill:#f0f6fc}.dim{opacity:.62}",
    `.scroll{transform:translateY(${scrollAt(lines.length)}px);animation:scroll ${seconds}s step-end infinite}`,
    `@keyframes scroll{0%{transform:none}${scroll.join("")}}`,
    `.line{animation:${seconds}s step-end infinite}`,
    ...appear,
    // With reduced motion, the end is shown without animation.
    "@media (prefers-reduced-motion:reduce){.line,.scroll{animation:none}}",
  ];
  const texts = groups.map(
    ({ begin, lines: some }, index) =>
      `<g class="line" style="animation-name:a${index}">${some.map((line, at) => textOf(line, begin + at)).join("")}</g>`,
  );
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (colour, at) => `<circle cx="${20 + 20 * at}" cy="${BAR / 2}" r="6" fill="${colour}"/>`,
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${styles.join("")}</style>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    `<path d="M0 ${BAR}V10A10 10 0 0 1 10 0H${width - 10}A10 10 0 0 1 ${width} 10V${BAR}Z" fill="#161b22"/>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9.5" fill="none" stroke="#30363d"/>`,
    ...dots,
    `<text x="${width / 2}" y="${BAR / 2 + 5}" text-anchor="middle" class="dim">${escaped(title)}</text>`,
    `<clipPath id="window"><rect y="${BAR + PADDING}" width="${width}" height="${rows * LINE}"/></clipPath>`,
    `<g clip-path="url(#window)"><g class="scroll">`,
    ...texts,
    "</g></g>",
    "</svg>",
  ].join("\n")}\n`;
}

/** When each line is shown, without the long pauses. @param {readonly SeenLine[]} lines */
function momentsOf(lines) {
  let atMs = 600;
  return lines.map((line, index) => {
    const pause = line.atMs - (lines[index - 1]?.atMs ?? line.atMs);
    atMs += Math.min(pause, LONGEST_PAUSE_MS);
    return atMs;
  });
}

/** Lines that appear together. @param {readonly SeenLine[]} lines @param {readonly number[]} moments */
function grouped(lines, moments) {
  /** @type {{ atMs: number, begin: number, end: number, lines: string[] }[]} */
  const groups = [];
  lines.forEach(({ text }, index) => {
    const atMs = moments[index] ?? 0;
    const last = groups.at(-1);
    if (last?.atMs === atMs) {
      last.lines.push(text);
      last.end = index + 1;
    } else groups.push({ atMs, begin: index, end: index + 1, lines: [text] });
  });
  return groups;
}

/** Every part has its own place: letters of another width move nothing. @param {string} line @param {number} row */
function textOf(line, row) {
  const y = BAR + PADDING + (row + 0.75) * LINE;
  const spans = partsOf(line).map(({ column, text, colour, isBold, isDim }) => {
    const names = [isBold && "bold", isDim && "dim", colour].filter(Boolean).join(" ");
    const look = names === "" ? "" : ` class="${names}"`;
    return `<tspan x="${(PADDING + column * CHARACTER).toFixed(1)}"${look}>${escaped(text)}</tspan>`;
  });
  return spans.length === 0 ? "" : `<text y="${y.toFixed(1)}">${spans.join("")}</text>`;
}

/** @param {string} text */
const escaped = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
