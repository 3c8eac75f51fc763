import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { partsOf } from "../../scripts/cast/ansi.mjs";
import { draw } from "../../scripts/cast/draw.mjs";
import { record } from "../../scripts/cast/record.mjs";
import { root } from "../support/programs.ts";

const PLAIN = { colour: undefined, isBold: false, isDim: false };

describe("a line of a terminal", () => {
  it("is read as parts, each with its place and its look", () => {
    expect(partsOf("\u001b[1m● cart\u001b[0m  \u001b[2;36mtask\u001b[22;39m is done")).toEqual([
      { ...PLAIN, column: 0, text: "● cart", isBold: true },
      { ...PLAIN, column: 8, text: "task", colour: "cyan", isDim: true },
      { ...PLAIN, column: 13, text: "is done" },
    ]);
  });
});

describe("the picture of a terminal", () => {
  const window = { columns: 40, rows: 2, title: "a <test>" };

  it("shows each line when it was there, and scrolls when the window is full", () => {
    const lines = ["one", "two", "three"].map((text, at) => ({ atMs: at * 500, text }));
    const picture = draw(lines, window);
    expect(picture.match(/@keyframes a\d/g)).toHaveLength(3);
    expect(picture).toContain("translateY(-19px)");
    expect(picture).toContain("a &lt;test&gt;");
  });

  it("makes a long pause short", () => {
    const picture = draw(
      [
        { atMs: 0, text: "one" },
        { atMs: 60_000, text: "two" },
      ],
      window,
    );
    const seconds = Number(
      /animation:scroll (?<seconds>[\d.]+)s/.exec(picture)?.groups?.["seconds"],
    );
    expect(seconds).toBeLessThan(15);
  });
});

it("a recording is what a shell has shown, from the typed command to the end", async () => {
  const lines = await record({
    command: "echo one; sleep 0.3; printf '\\033[32mtwo\\033[0m\\n'",
    path: process.env["PATH"] ?? "",
    columns: 80,
    last: "\u001b[32mtwo",
    limitMs: 20_000,
  });
  expect(
    lines.map(({ text }) =>
      partsOf(text)
        .map((part) => part.text)
        .join(" "),
    ),
  ).toEqual([expect.stringContaining("$ echo one"), "one", "two"]);
  expect((lines[2]?.atMs ?? 0) - (lines[1]?.atMs ?? 0)).toBeGreaterThan(150);
});

it("docs/demo.svg is small, and a demo that went to its end", () => {
  const file = join(root, "docs/demo.svg");
  expect(statSync(file).size).toBeLessThan(300_000);
  const picture = readFileSync(file, "utf8");
  expect(picture).toContain("saga demo");
  expect(picture).toMatch(/Four stories, from plan to merged, in \d+ s\./);
  // It names nothing that exists on one machine only.
  expect(picture).not.toMatch(/\/(?:tmp|home|root|Users)\//);
});
