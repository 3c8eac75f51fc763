import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { shellQuote, shellWord } from "./shell-quote.ts";

it.each(["plain", "a b", "it's", "''", "$(id)", "`id`", "a\nb", "=ls", "~", "*", "\\", "-n", ""])(
  "a shell reads %j as one unchanged word",
  (text) => {
    for (const word of [shellWord(text), shellQuote(text)]) {
      expect(execFileSync("sh", ["-c", `printf %s ${word}x`], { encoding: "utf8" })).toBe(
        `${text}x`,
      );
    }
  },
);

it("does not quote a plain path", () => {
  const path = "/usr/lib/node_modules/@scope/c++-1.0_x";
  expect(shellWord(path)).toBe(path);
});
