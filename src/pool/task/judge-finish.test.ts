import { expect, it } from "vitest";
import { whyNotAsSaid } from "./judge-finish.ts";

it("an agent is believed if the files are as it says", () => {
  expect(whyNotAsSaid("done", { isChanged: true, folder: "/w" })).toBeUndefined();
  expect(whyNotAsSaid("no_changes", { isChanged: false, folder: "/w" })).toBeUndefined();
});

it("an agent that did nothing, or more than it says, is told what to do", () => {
  expect(whyNotAsSaid("done", { isChanged: false, folder: "/w" })).toMatch(/^No file has changed/);
  expect(whyNotAsSaid("no_changes", { isChanged: true, folder: "/w" })).toMatch(
    /^There are changes in \/w/,
  );
});
