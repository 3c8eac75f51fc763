import { expect, it } from "vitest";
import { entrySchema, laneName, laneOfName } from "./entry.ts";

it("the name of a lane is a folder's, and can be read back", () => {
  for (const branch of ["main", "epic/shop", "a.b", "ünï/..", "100%"]) {
    for (const place of ["here", "remote"] as const) {
      const name = laneName({ branch, place });
      expect(name).not.toContain("/");
      expect(laneOfName(name)).toEqual({ branch, place });
    }
  }
});

it.each(["main", "there.main", "here.", "here.%E0%A4%A"])(
  "%j is not the name of a lane",
  (name) => {
    expect(laneOfName(name)).toBeUndefined();
  },
);

it("the id of an entry cannot be a path", () => {
  const entry = {
    id: "../../etc/passwd",
    kind: "story",
    name: "a",
    lane: { branch: "main", place: "here" },
    priority: 3,
    enqueuedAt: "2026-01-01T00:00:00.000Z",
    by: "saga merge",
  };
  expect(entrySchema.safeParse(entry).success).toBe(false);
  const id = "1767225600000-0123abcd";
  expect(entrySchema.safeParse({ ...entry, id }).success).toBe(true);
});
