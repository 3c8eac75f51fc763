import { describe, expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { layoutOf } from "../project/layout.ts";
import { listRuns } from "../runs/runs.ts";
import { isStopMarked, markStop } from "./stop-request.ts";

describe("a person's wish that a worker stops", () => {
  it("is for the worker that was there by then, and not for the next", () => {
    const at = layoutOf(newProject().path);
    expect(isStopMarked(at, "add-login", 0)).toBe(false);
    markStop(at, "add-login", 5_000);
    expect(isStopMarked(at, "add-login", 4_000)).toBe(true);
    expect(isStopMarked(at, "add-login", 5_001)).toBe(false);
    expect(isStopMarked(at, "other", 0)).toBe(false);
  });

  it("may be said again, and is no run", () => {
    const at = layoutOf(newProject().path);
    markStop(at, "add-login", 5_000);
    markStop(at, "add-login", 9_000);
    expect(isStopMarked(at, "add-login", 6_000)).toBe(true);
    expect(listRuns(at, "add-login")).toEqual([]);
  });

  it("that cannot be read is none", () => {
    const project = newProject();
    project.write(".saga/runs/add-login/stop", "soon");
    expect(isStopMarked(layoutOf(project.path), "add-login", 0)).toBe(false);
  });
});
