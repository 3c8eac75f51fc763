import { expect, it } from "vitest";
import { waitText } from "./wait.ts";

const lane = { branch: "main", place: "here" } as const;

it("a person who waits reads where to look, or who holds it and how to go on", () => {
  const story = { kind: "story", name: "add-login", lane } as const;
  expect(waitText(story, undefined)).toBe("waiting in the queue of main: `saga queue` shows it");
  expect(waitText(story, "ada")).toBe(
    "held by ada: `saga queue release add-login` lets it be merged",
  );
});

it("a task of the pool cannot be released by its name", () => {
  expect(waitText({ kind: "task", name: "auto-1/7", lane }, "ada")).toBe("held by ada");
});
