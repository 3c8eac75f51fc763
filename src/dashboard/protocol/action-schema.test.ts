import { expect, it } from "vitest";
import { actionSchema } from "./action-schema.ts";

it("refuses what could be read as another option or another file", () => {
  const isValid = (action: object): boolean => actionSchema.safeParse(action).success;
  const set = [{ field: "title", value: "A" }];
  expect(isValid({ act: "edit", kind: "story", id: "a", set })).toBe(true);
  expect(isValid({ act: "edit", kind: "task", id: "a/form", set })).toBe(true);
  for (const id of ["--json", "a/../b", "a/b/c", "A"]) {
    expect(isValid({ act: "edit", kind: "task", id, set }), id).toBe(false);
  }
  expect(isValid({ act: "edit", kind: "story", id: "a", set: [{ field: "a=b" }] })).toBe(false);
  expect(isValid({ act: "new-story", id: "-d", description: "x" })).toBe(false);
  expect(isValid({ act: "new-story", id: "a", description: " " })).toBe(false);
});
