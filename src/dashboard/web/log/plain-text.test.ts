import { expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

it("removes colours, titles, cursor moves and marks that turn the text around", () => {
  const output = "\u001B]0;title\u0007\u001B[31mred\u001B[0m \u001B[2Kline\u202E\r\n\tend\u009B1m";
  expect(plainText(output)).toBe("red line\n\tend");
});

it("removes a string sequence that never ends", () => {
  expect(plainText("a\u001B]8;;https://x")).toBe("a");
});
