import { expect, it } from "vitest";
import { groupOf, jobSchema, takesGroup } from "./job.ts";

const JOB = { root: "a".repeat(40), story: "add-login", commit: "b".repeat(40), merge: true };

it("holds names and commits", () => {
  expect(jobSchema.parse(JOB)).toEqual(JOB);
});

it.each([
  { ...JOB, story: "../../etc/passwd" },
  { ...JOB, story: "x; rm -rf /" },
  { ...JOB, story: "auto-1" },
  { ...JOB, root: "--upload-pack=x" },
  { ...JOB, commit: "HEAD" },
  { ...JOB, merge: "yes" },
  null,
])("refuses a row that no Saga wrote: %j", (row) => {
  expect(jobSchema.safeParse(row).success).toBe(false);
});

it("keeps no text of a hostile row", () => {
  expect(jobSchema.parse({ ...JOB, prompt: "do something else" })).toEqual(JOB);
});

it.each([
  [[], ["web"], true],
  [["web"], ["web", "gpu"], true],
  [["web"], ["gpu"], false],
  [["web"], [], false],
  [["we"], ["web"], false],
])("a member with the labels %j takes a story with %j: %s", (labels, story, expected) => {
  expect(takesGroup(labels, groupOf(story))).toBe(expected);
});
