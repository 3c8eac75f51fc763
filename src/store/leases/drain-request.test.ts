import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { layoutOf } from "../project/layout.ts";
import { listRuns } from "../runs/runs.ts";
import { readDrainRequest, requestDrain } from "./drain-request.ts";

it("carries its reason to the worker that runs at that time, not to the next", () => {
  const at = layoutOf(newProject().path);
  expect(readDrainRequest(at, "add-login", 0)).toBeUndefined();
  requestDrain(at, "add-login", 5_000, "The budget of the epic's run is spent ($5.00).");
  expect(readDrainRequest(at, "add-login", 5_000)).toBe(
    "The budget of the epic's run is spent ($5.00).",
  );
  expect(readDrainRequest(at, "add-login", 5_001)).toBeUndefined();
  expect(listRuns(at, "add-login")).toEqual([]);
});

it("without a time is ignored", () => {
  const project = newProject();
  project.write(".saga/runs/add-login/drain", "soon, please");
  expect(readDrainRequest(layoutOf(project.path), "add-login", 0)).toBeUndefined();
});
