import { describe, expect, it } from "vitest";
import { part, PARTS } from "../../../../test/support/planner.ts";
import { aStory, aTask, newProject, type Project } from "../../../../test/support/project.ts";
import { refused, refusedWithInput } from "../../../../test/support/refused.ts";
import { workedOn } from "../../../../test/support/worked-on.ts";
import { openStore } from "../../../store/file-store.ts";

function aProject(): Project {
  const project = newProject();
  project.write(".saga/stories/add-login/story.json", aStory("add-login"));
  project.write(".saga/stories/add-login/form.json", aTask("form"));
  project.write(".saga/stories/add-login/page.json", aTask("page", { blockedBy: ["form"] }));
  return project;
}

const blockers = async (project: Project): Promise<unknown> =>
  Object.fromEntries(
    (await openStore(project.path).readStory("add-login")).tasks.map(({ id, blockedBy }) => [
      id,
      blockedBy,
    ]),
  );

describe("saga split --plan", () => {
  it("splits a task of a story that was never started, as the file says", async () => {
    const project = aProject();
    project.write("parts.json", { tasks: PARTS });
    const result = await project.saga("split add-login form --plan parts.json --json");
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.json()).toEqual({
      story: "add-login",
      task: "form",
      into: ["form", "style"],
      finished: false,
    });
    expect(await blockers(project)).toEqual({ form: [], style: ["form"], page: ["style"] });
    expect(await openStore(project.path).leases.list()).toEqual([]);
    expect((await project.saga("validate")).exitCode).toBe(0);
    expect((await openStore(project.path).viewStory("add-login")).state).toBe("ready");
  });

  it("demands no more of a task than `saga new task` does", async () => {
    const project = aProject();
    const parts = PARTS.map((one) => ({
      ...one,
      writeFiles: undefined,
      estimatedLines: undefined,
    }));
    const words = ["split", "add-login", "form", "--plan", "-", "--json"];
    const result = await project.sagaWithInput(JSON.stringify(parts), ...words);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(project.json(".saga/stories/add-login/style.json")).not.toHaveProperty("writeFiles");
    expect((await project.saga("validate")).exitCode).toBe(0);
  });

  it("takes a bare list from standard input, and writes the reason into the journal", async () => {
    const project = aProject();
    const words = ["split", "add-login", "form", "--plan", "-", "--why", "It does two things."];
    const result = await project.sagaWithInput(JSON.stringify(PARTS), ...words);
    expect(result.stdout).toBe("form is now form, style. Continue: `saga run add-login`\n");
    expect((await openStore(project.path).readJournal("add-login")).entries).toMatchObject([
      { kind: "decision", title: "form was split into form, style", body: "It does two things." },
    ]);
  });

  it("succeeds when it is repeated, and does nothing twice", async () => {
    const project = aProject();
    const words = ["split", "add-login", "form", "--plan", "-", "--json"];
    const once = await project.sagaWithInput(JSON.stringify(PARTS), ...words);
    const again = await project.sagaWithInput(JSON.stringify(PARTS), ...words);
    expect(again.json()).toEqual(once.json());
    expect((await openStore(project.path).readJournal("add-login")).entries).toHaveLength(1);
  });

  it("answers the question that a worker had about it, and the task is watched again", async () => {
    const project = aProject();
    const question = "## 2026-01-01T00:00:00.000Z Blocker b1: How?\n\n<!-- saga: split form -->\n";
    project.write(".saga/stories/add-login/journal.md", question);
    await project.sagaWithInput(JSON.stringify(PARTS), "split", "add-login", "form", "--plan", "-");
    const { open, entries } = await openStore(project.path).readJournal("add-login");
    expect(open).toEqual([]);
    expect(entries.at(-1)).toMatchObject({
      kind: "resolution",
      blocker: "b1",
      title: "Split by hand into form, style",
    });
  });

  it("names a task that is not there before it looks at the plan", async () => {
    const project = aProject();
    project.write("broken.json", "{");
    const result = await refused(project, "split", "add-login", "nope", "--plan", "broken.json");
    expect(result).toMatchObject({
      code: "not-found",
      message: "The story add-login has no task nope.",
    });
  });

  it("refuses a plan with the line of what is wrong, and changes nothing", async () => {
    const project = aProject();
    const text = JSON.stringify([part("page"), part("x", { estimatedLines: 900 })], undefined, 2);
    const result = await refusedWithInput(project, text, "split add-login form --plan -");
    expect(result.code).toBe("bad-plan");
    expect(result.problems).toMatchObject([
      { file: "<stdin>", line: 3, message: "The task page already exists." },
      { file: "<stdin>", message: "x changes 900 lines; at most 200 are allowed." },
    ]);
    project.write("broken.json", "{");
    const broken = await refused(project, "split", "add-login", "form", "--plan", "broken.json");
    expect(broken.problems[0]?.message).toContain("not valid JSON");
    const gone = await refused(project, "split", "add-login", "form", "--plan", "gone.json");
    expect(gone.code).toBe("not-found");
    const few = await refusedWithInput(project, "[]", "split", "add-login", "form", "--plan", "-");
    expect(few.problems[0]?.message).toBe("0 tasks proposed; 2 to 8 are allowed.");
  });

  it("refuses a story that is running", async () => {
    const project = aProject();
    project.write("parts.json", PARTS);
    await workedOn(project, "add-login");
    const result = await refused(project, "split", "add-login", "form", "--plan", "parts.json");
    expect(result).toMatchObject({
      code: "in-use",
      message: "add-login is already running (a worker).",
    });
  });
});

describe("saga split", () => {
  it("refuses what is not there, and what is completed", async () => {
    const project = aProject();
    expect(await refused(project, "split", "nowhere", "form")).toMatchObject({ code: "not-found" });
    expect(await refused(project, "split", "add-login", "nothing")).toMatchObject({
      message: "The story add-login has no task nothing.",
    });
    expect(await refused(project, "split", "add-login", "Form")).toMatchObject({ code: "bad-id" });
    project.write(".saga/stories/add-login/form.json", aTask("form", { status: "completed" }));
    expect(await refused(project, "split", "add-login", "form")).toMatchObject({
      message: "The task form of add-login is completed.",
    });
  });
});
