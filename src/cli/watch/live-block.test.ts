import { expect, it } from "vitest";
import { liveBlock } from "./live-block.ts";

const ESCAPE = "\u001b";

/** A terminal that understands the codes in use. */
function newScreen(rows = 10) {
  let lines: string[] = [""];
  const written: string[] = [];
  const write = (text: string): void => {
    written.push(text);
    const parts = text.replaceAll(ESCAPE, "␛").split(/(␛\[\??\d*[A-Za-z]|\n|\r)/);
    for (const part of parts) {
      const up = /^␛\[(?<by>\d+)A$/.exec(part)?.groups?.["by"];
      if (up !== undefined) lines = [...lines.slice(0, lines.length - 1 - Number(up)), ""];
      else if (part === "\n") lines.push("");
      else if (part === "\r" || part.startsWith("␛")) continue;
      else lines[lines.length - 1] += part;
    }
  };
  return { block: liveBlock({ write, rows: () => rows }), lines: () => lines, written };
}

it("replaces its lines, and messages scroll by above them", () => {
  const { block, lines } = newScreen();
  block.draw(["one", "two"]);
  block.draw(["three"]);
  expect(lines()).toEqual(["three", ""]);
  block.print("a message\n");
  expect(lines()).toEqual(["a message", "three", ""]);
  block.draw(["four", "five"]);
  expect(lines()).toEqual(["a message", "four", "five", ""]);
  block.end();
  block.print("the end\n");
  expect(lines()).toEqual(["a message", "four", "five", "the end", ""]);
});

it("never draws more than fits on the screen, and restores the terminal once", () => {
  const { block, lines, written } = newScreen(5);
  block.draw(["1", "2", "3", "4", "5", "6"]);
  expect(lines()).toEqual(["1", "2", "3", ""]);
  block.end();
  block.end();
  expect(written.filter((text) => text.includes("\u001b[?25h"))).toHaveLength(1);
});
