import { expect, it } from "vitest";
import { findingText } from "./finding-text.ts";

it.each([
  [{}, "Too large."],
  [{ file: "src/a b.ts" }, '"src/a b.ts": Too large.'],
  [{ file: "a.ts", line: 3 }, '"a.ts":3: Too large.'],
  [{ file: "caf\udce9" }, String.raw`"caf\xe9": Too large.`],
])("a finding at %j", (place, text) => {
  expect(findingText({ rule: "size", message: "Too large.", ...place })).toBe(text);
});
