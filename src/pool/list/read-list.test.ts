import { expect, it } from "vitest";
import { unseenAmong } from "./read-list.ts";

it("names the files that look like tasks and never start", () => {
  const names = ["1.json", "fix-login.json", ".lock", ".hidden.json", "notes.md", "1.json.lock"];
  expect(unseenAmong(names)).toEqual([]);
  expect(unseenAmong([...names, "my task.json", "ä.json"])).toEqual(["my task.json", "ä.json"]);
});
