import { expect, it } from "vitest";
import type { Problem } from "../../errors.ts";
import { painter } from "./terminal.ts";
import { unreadableLines } from "./unreadable-files.ts";

const problem = (file: string): Problem => ({ file, severity: "error", message: "", fix: "" });

it("names each file once, relative to .saga", () => {
  const problems = ["/p/.saga/stories/a/story.json", "/p/.saga/stories/a/story.json", "/q"];
  const [head, ...names] = unreadableLines({ problems: problems.map(problem) }, painter(false));
  expect(head).toContain("2 invalid files");
  expect(names).toEqual(["  stories/a/story.json", "  /q"]);
  expect(unreadableLines({ problems: [] }, painter(false))).toEqual([]);
});
