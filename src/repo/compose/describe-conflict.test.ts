import { expect, it } from "vitest";
import { conflictText } from "./describe-conflict.ts";

it("a conflict is described by file and side, with the commits that touched it", () => {
  const commit = "a1b2c3d4e5f6a7b8c9d0";
  const files = [
    {
      path: "two\nlines.ts",
      target: { did: "renamed", commits: [] },
      story: { did: "changed", commits: [{ commit, subject: "Do form" }] },
    },
  ] as const;
  expect(conflictText({ files }, { branch: "story/a", target: "main" })).toBe(
    "two\\nlines.ts\n  main renamed it\n  story/a changed it: Do form (a1b2c3d4e5)",
  );
});
