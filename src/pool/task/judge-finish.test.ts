import { expect, it } from "vitest";
import { whyNotAsReported } from "./judge-finish.ts";

it("an agent is believed if the files are as it says", () => {
  expect(whyNotAsReported("done", { isChanged: true, folder: "/w" })).toBeUndefined();
  expect(whyNotAsReported("no_changes", { isChanged: false, folder: "/w" })).toBeUndefined();
});

it("an agent that did nothing, or more than it says, is told what to do", () => {
  expect(whyNotAsReported("done", { isChanged: false, folder: "/w" })).toMatch(
    /^No file has changed/,
  );
  expect(whyNotAsReported("no_changes", { isChanged: true, folder: "/w" })).toMatch(
    /^There are changes in \/w/,
  );
});
