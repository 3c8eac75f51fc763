import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellQuote, shellWord } from "./shell-quote.ts";

it.each(["plain", "a b", "it's", "''", "$(id)", "`id`", "a\nb", "=ls", "~", "*", "\\", "-n", ""])(
  "%j is one word to a shell, and that one",
  (text) => {
    for (const word of [shellWord(text), shellQuote(text)]) {
      expect(execFileSync("sh", ["-c", `printf %s ${word}x`], { encoding: "utf8" })).toBe(
        `${text}x`,
      );
    }
  },
);

it("leaves what needs no quotes as people would type it", () => {
  const path = "/usr/lib/node_modules/@scope/c++-1.0_x";
  expect(shellWord(path)).toBe(path);
});
