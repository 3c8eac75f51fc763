import { expect, it } from "vitest";
import { requireLeaseName } from "./require-name.ts";

it.each(["story.add-login", "lane.main-1a2b", "dashboard"])("accepts %j", (name) => {
  expect(() => requireLeaseName(name)).not.toThrow();
});

it.each(["", ".", "story.", "Story.x", "a/b", "../x", "story.x.y", "a b"])("refuses %j", (name) => {
  expect(() => requireLeaseName(name)).toThrow("is not the name of a lease");
});
