import { expect, it } from "vitest";
import { parseCommits } from "./replay.ts";

it("reads commits with any message: several lines, and what looks like a field", () => {
  const first = ["c1", "p1", "t1", "Ada", "ada@example.org", "1700000000 +0100", "1700000001"];
  const second = ["c2", "", "t2", "", "", "1700000002 +0000", "1700000003"];
  const merge = ["c3", "c1 c2", "t3", "Ada", "", "1700000004 -0800", "1700000005"];
  const records = [
    [...first, "One\n\n%H c9\nSaga-Task: form\n"],
    [...second, ""],
    [...merge, "Merge\n"],
  ];
  // Git ends each field with NUL and each record with a line break.
  const text = records.map((fields) => `${fields.map((field) => `${field}\0`).join("")}\n`);
  expect(parseCommits(text.join(""))).toEqual([
    {
      commit: "c1",
      parents: ["p1"],
      tree: "t1",
      author: { name: "Ada", email: "ada@example.org", date: "1700000000 +0100" },
      committedAt: 1_700_000_001,
      message: "One\n\n%H c9\nSaga-Task: form\n",
    },
    {
      commit: "c2",
      parents: [],
      tree: "t2",
      author: { name: "", email: "", date: "1700000002 +0000" },
      committedAt: 1_700_000_003,
      message: "",
    },
    {
      commit: "c3",
      parents: ["c1", "c2"],
      tree: "t3",
      author: { name: "Ada", email: "", date: "1700000004 -0800" },
      committedAt: 1_700_000_005,
      message: "Merge\n",
    },
  ]);
  expect(parseCommits("")).toEqual([]);
});
