import { expect, it } from "vitest";
import { pullRequestName } from "./pull-request-name.ts";

it.each([
  ["local/12", "#12 (local, not on GitHub)"],
  ["https://github.com/a/b/pull/7", "https://github.com/a/b/pull/7"],
  ["https://example.com/local/7", "https://example.com/local/7"],
])("names %s for people", (ref, name) => {
  expect(pullRequestName(ref)).toBe(name);
});
