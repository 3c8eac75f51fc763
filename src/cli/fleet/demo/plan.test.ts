import { expect, it } from "vitest";
import { demoStoryIds, demoTaskIds, fleetDemoPlan, fleetDemoSteps } from "./plan.ts";

it("plans twelve stories of two tasks, four of them after others", () => {
  expect(demoStoryIds).toHaveLength(12);
  expect(new Set(demoTaskIds).size).toBe(24);
  const after = fleetDemoPlan.stories.filter(({ blockedBy = [] }) => blockedBy.length > 0);
  expect(after.map(({ id }) => id)).toEqual([
    "numbers--average",
    "numbers--square",
    "numbers--distance",
    "numbers--clamp",
  ]);
  for (const { blockedBy = [] } of after) {
    for (const id of blockedBy) expect(demoStoryIds).toContain(id);
  }
});

it("writes one file for each task, and nothing for a task that it does not know", () => {
  expect(fleetDemoSteps("average-code")).toEqual([
    {
      write: "src/average.js",
      content:
        'import { add } from "./add.js";\nimport { divide } from "./divide.js";\nexport const average = (a, b) => divide(add(a, b), 2);\n',
    },
  ]);
  const files = demoTaskIds.flatMap((id) =>
    fleetDemoSteps(id).map((step) => ("write" in step ? step.write : "")),
  );
  expect(new Set(files).size).toBe(24);
  expect(fleetDemoSteps("unknown")).toEqual([]);
});
