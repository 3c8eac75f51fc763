import { expect, it } from "vitest";
import { demoResult, renderDemo, type DemoFacts } from "./summary.ts";

const facts: DemoFacts = {
  stories: ["numbers--add", "numbers--root"],
  commits: [
    { task: "add-code", machine: "ann" },
    { task: "add-test", machine: "bob" },
    { task: "root-code", machine: "cal" },
    { task: "root-test", machine: "cal" },
  ],
  owners: new Map([
    [
      "numbers--add",
      [
        { fence: 1, machine: "ann" },
        { fence: 1, machine: "ann" },
        { fence: 2, machine: "bob" },
        { fence: 4, machine: "bob" },
      ],
    ],
    ["numbers--root", [{ fence: 1, machine: "cal" }]],
  ]),
  killed: {
    machine: "ann",
    story: "numbers--add",
    processes: 4,
    continuedBy: "bob",
    freedSeconds: 33.3,
    takenSeconds: 36.6,
  },
  seconds: 71.4,
};

it("says who did what, and who took over", () => {
  const result = demoResult(facts);
  expect(result.problems).toEqual([]);
  const text = renderDemo(result, (_, words) => words);
  expect(text).toMatch(/numbers--add +ann +bob +ann \(1\) → bob \(2\)$/m);
  expect(text).toContain("back in the queue 33.3 s after the last sign of life of ann");
  expect(text).toContain("bob took it 36.6 s after that sign");
  expect(text).toContain("2 stories merged in 71 s; each task has one commit");
});

it("reports an owner whose number another machine has had", () => {
  const owners = ["ann", "bob"].map((machine) => ({ fence: 3, machine }));
  const result = demoResult({ ...facts, owners: new Map([["numbers--add", owners]]) });
  expect(result.problems).toContain("the owners of numbers--add do not follow each other");
});

it("reports a task that was done twice or never, and an owner out of order", () => {
  const result = demoResult({
    ...facts,
    commits: [...facts.commits.slice(0, 3), { task: "add-code", machine: "bob" }],
    owners: new Map([
      [
        "numbers--add",
        [
          { fence: 2, machine: "bob" },
          { fence: 1, machine: "ann" },
        ],
      ],
    ]),
  });
  expect(result.problems).toEqual([
    "add-code has 2 commits",
    "the owners of numbers--add do not follow each other",
    "root-test has 0 commits",
    "the owners of numbers--root do not follow each other",
  ]);
  expect(renderDemo(result, (_, words) => words)).toContain("✗ add-code has 2 commits");
});
