import { expect, it } from "vitest";
import { requireId } from "../story/definition/names.ts";
import { laneId } from "./lane-id.ts";

it("is valid as a story's id, for any branch", () => {
  for (const branch of ["main", "Épic/Ünï--x", `epic/${"a".repeat(120)}`, "-", "release/1.0"]) {
    const id = laneId({ branch, place: "here" });
    expect(requireId("story", id)).toBe(id);
  }
});

it("differs by place and branch, also where the letters are the same", () => {
  const ids = [
    laneId({ branch: "main", place: "here" }),
    laneId({ branch: "main", place: "remote" }),
    laneId({ branch: "epic/a", place: "here" }),
    laneId({ branch: "epic-a", place: "here" }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
