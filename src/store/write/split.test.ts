import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { part, PARTS } from "../../../test/support/planner.ts";
import { killPlaces } from "../../../test/support/kill-places.ts";
import { bundle, killAtHook, plainEnv, runNode } from "../../../test/support/programs.ts";
import {
  aStory,
  aTask,
  newFolder,
  newProject,
  snapshot,
  type Project,
} from "../../../test/support/project.ts";
import { DEFAULT_CEILING } from "../../story/definition/validate.ts";
import { parseProposal } from "../../story/plan/split-proposal.ts";
import { splitTask, type SplitResult } from "../../story/plan/split.ts";
import { openStore } from "../file-store.ts";

const STORY = "add-login";
const RULES = { finished: false, ceiling: DEFAULT_CEILING };

function aProject(folder = `.saga/stories/${STORY}`): Project {
  const project = newProject();
  project.write(`${folder}/story.json`, aStory(STORY));
  project.write(`${folder}/form.json`, aTask("form", { mine: 12 }));
  project.write(`${folder}/page.json`, aTask("page", { blockedBy: ["form"] }));
  return project;
}

const entry = (into: readonly string[]) => ({
  kind: "decision" as const,
  at: "2026-11-15T12:00:00.000Z",
  title: `form is split into ${into.join(", ")}`,
  body: "It was too large.",
  blocker: undefined,
});

const splitForm = (project: Project, proposal: unknown = PARTS): Promise<SplitResult> =>
  openStore(project.path).splitTask(
    STORY,
    (tasks) => splitTask(tasks, "form", parseProposal(proposal).proposal ?? [], RULES),
    entry,
  );

describe("the store writes a split", () => {
  it("as one change, with a journal entry", async () => {
    const project = aProject();
    expect(await splitForm(project)).toMatchObject({ kind: "split", into: ["form", "style"] });
    const store = openStore(project.path);
    const { tasks, taskFields } = await store.readStory(STORY);
    expect(tasks.map(({ id, blockedBy }) => [id, blockedBy])).toEqual([
      ["form", []],
      ["style", ["form"]],
      ["page", ["style"]],
    ]);
    expect(taskFields.get("form")).toMatchObject({ mine: 12, subject: "Do fields" });
    expect((await store.readJournal(STORY)).entries).toMatchObject([
      { kind: "decision", title: "form is split into form, style", body: "It was too large." },
    ]);
    expect((await store.validate()).problems).toEqual([]);
  });

  it("to the worktree's copy while there is one, and not to the project's", async () => {
    const worktree = `.saga/worktrees/${STORY}`;
    const project = aProject(`${worktree}/.saga/stories/${STORY}`);
    project.write(`${worktree}/.git`, "gitdir: elsewhere\n");
    project.write(`.saga/stories/${STORY}/story.json`, aStory(STORY));
    project.write(`.saga/stories/${STORY}/form.json`, aTask("form"));
    await splitForm(project);
    expect(project.json(`${worktree}/.saga/stories/${STORY}/style.json`)).toMatchObject({
      splitFrom: "form",
    });
    expect(readdirSync(join(project.path, ".saga/stories", STORY)).toSorted()).toEqual([
      "form.json",
      "story.json",
    ]);
  });

  it("once: the same split again writes nothing", async () => {
    const project = aProject();
    await splitForm(project);
    const after = snapshot(project.path);
    expect(await splitForm(project)).toMatchObject({ into: ["form", "style"], files: [] });
    expect(snapshot(project.path)).toBe(after);
  });

  it("not when the proposal is refused", async () => {
    const project = aProject();
    const before = snapshot(project.path);
    expect(await splitForm(project, [part("page"), part("x")])).toMatchObject({ kind: "refused" });
    expect(snapshot(project.path)).toBe(before);
  });

  it("not when a file would be invalid", async () => {
    const project = aProject();
    const before = snapshot(project.path);
    const wrong = (fields: Record<string, unknown>): Promise<SplitResult> =>
      openStore(project.path).splitTask(
        STORY,
        () => ({
          kind: "split",
          into: ["form", "x"],
          files: [{ id: "x", action: "create", fields: { ...aTask("x"), ...fields } }],
        }),
        entry,
      );
    await expect(wrong({ subject: "" })).rejects.toMatchObject({ code: "bad-file" });
    await expect(wrong({ blockedBy: ["nobody"] })).rejects.toMatchObject({
      problems: [{ message: expect.stringContaining("waits for nobody") as string }],
    });
    await expect(wrong({ blockedBy: ["x"] })).rejects.toMatchObject({ code: "bad-file" });
    expect(snapshot(project.path)).toBe(before);
  });

  it("not to the archive", async () => {
    const project = aProject(`.saga/archive/${STORY}`);
    await expect(splitForm(project)).rejects.toMatchObject({ code: "not-ready" });
  });
});

it("a killed split is written completely or not at all, and can be repeated", async () => {
  const program = await bundle("test/support/processes/splitter.ts");
  const before = aProject();
  const words = [STORY, "form", JSON.stringify(PARTS)];
  const run = (project: Project, killAt: number) =>
    runNode(["--require", killAtHook, program, project.path, ...words], {
      cwd: project.path,
      env: plainEnv(project.path, { KILL_AT: String(killAt), COUNT_EFFECTS: "../changes" }),
    });
  const copyOf = (project: Project): Project => {
    const copy = newFolder("project");
    cpSync(project.path, copy.path, { recursive: true });
    return copy;
  };
  const tasksOf = async (project: Project): Promise<unknown> => {
    const { tasks, journal } = await openStore(project.path).readStory(STORY);
    return { tasks, journal };
  };
  const whole = copyOf(before);
  expect((await run(whole, 0)).stderr).toBe("");
  const states = [await tasksOf(before), await tasksOf(whole)];
  const changes = Number(whole.read("../changes"));
  expect(changes).toBeGreaterThan(10);
  for (const killAt of killPlaces(changes, 5)) {
    const project = copyOf(before);
    expect((await run(project, killAt)).signal).toBe("SIGKILL");
    expect(states, `killed at change ${killAt}`).toContainEqual(await tasksOf(project));
    expect((await run(project, 0)).stderr).toBe("");
    expect(await tasksOf(project), `repeated after change ${killAt}`).toEqual(states[1]);
  }
});
