import { expect, it } from "vitest";
import { isFileOf } from "./own-records.ts";

it.each([
  ["/p/.saga/stories/login/story.json", true],
  ["/p/.saga/runs/login", true],
  ["/p/.saga/leases/story.login/1.json", true],
  ["/p/.saga/stories/login-form/story.json", false],
  ["/p/.saga/runs/other/login.json", false],
])("%s belongs to the story login: %j", (file, isOwn) => {
  expect(isFileOf("login", file)).toBe(isOwn);
});
