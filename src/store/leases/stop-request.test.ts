import { describe, expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { layoutOf } from "../project/layout.ts";
import { listRuns } from "../runs/runs.ts";
import { isStopRequested, requestStop } from "./stop-request.ts";

describe("a request to stop", () => {
  it("is for the worker that runs at that time, not for the next", () => {
    const at = layoutOf(newProject().path);
    expect(isStopRequested(at, "add-login", 0)).toBe(false);
    requestStop(at, "add-login", 5_000);
    expect(isStopRequested(at, "add-login", 4_000)).toBe(true);
    expect(isStopRequested(at, "add-login", 5_001)).toBe(false);
    expect(isStopRequested(at, "other", 0)).toBe(false);
  });

  it("can be repeated, and is not listed as a run", () => {
    const at = layoutOf(newProject().path);
    requestStop(at, "add-login", 5_000);
    requestStop(at, "add-login", 9_000);
    expect(isStopRequested(at, "add-login", 6_000)).toBe(true);
    expect(listRuns(at, "add-login")).toEqual([]);
  });

  it("without a time is ignored", () => {
    const project = newProject();
    project.write(".saga/runs/add-login/stop", "soon");
    expect(isStopRequested(layoutOf(project.path), "add-login", 0)).toBe(false);
  });
});
