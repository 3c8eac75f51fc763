import { expect, it } from "vitest";
import { metadataOf } from "./add-task.ts";

it("a new task has what was given, and no empty field", () => {
  expect(metadataOf({ priority: 0, checks: [] })).toEqual({ priority: 0, checks: [] });
  expect(metadataOf({ label: "api", priority: undefined })).toEqual({ label: "api" });
  expect(metadataOf({})).toBeUndefined();
});
