import { expect, it } from "vitest";
import { epicInUse, storyInUse } from "./in-use.ts";

it("names who works on it, and how to stop that", () => {
  expect(storyInUse("a", "saga-story-a-1 on ann")).toMatchObject({
    code: "in-use",
    message: "a is already running (saga-story-a-1 on ann).",
    hint: "Wait for it to end, or stop it: `saga stop a`. `saga logs a -f` follows it.",
  });
  expect(epicInUse("shop", "saga epic run")).toMatchObject({
    message: "The epic shop is already running (saga epic run).",
    hint: "Wait for it to end, or stop it: `saga epic stop shop`.",
  });
});
