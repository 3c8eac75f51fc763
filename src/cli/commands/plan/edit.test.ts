import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  anEpic,
  aStory,
  aTask,
  newProject,
  type Project,
} from "../../../../test/support/project.ts";
import { refused } from "../../../../test/support/refused.ts";
import { EXIT } from "../../../story/state/exit-codes.ts";
import { openStore } from "../../../store/file-store.ts";

const FILE = ".saga/stories/s/story.json";

function aProject(): Project {
  const project = newProject();
  project.write(FILE, aStory("s", { guidance: "Slowly.", mine: 7 }));
  project.write(".saga/stories/s/form.json", aTask("form"));
  project.write(".saga/stories/s/tests.json", aTask("tests", { blockedBy: ["form"] }));
  project.write(".saga/epics/e/epic.json", anEpic("e", []));
  return project;
}

/** An editor that is a shell script: `$1` is the file. */
function editor(project: Project, ...lines: string[]): Record<string, string | undefined> {
  const file = project.write("editor.sh", ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(file, 0o755);
  return { PATH: process.env["PATH"], HOME: project.path, EDITOR: file };
}

describe("saga edit --set", () => {
  it("changes fields of a story by their kind, and leaves the others", async () => {
    const project = aProject();
    const assignments = [
      "title=Sign in",
      "priority=1",
      "labels=web,auth",
      "checks=npm test, twice",
      "guidance=",
      "writeFiles=src/{a,b}.ts,test/**",
      "needsReview=true",
    ];
    const words = assignments.flatMap((assignment) => ["--set", assignment]);
    const { exitCode, stdout, stderr } = await project.saga("edit", "s", ...words);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("Changed story s (");
    expect(project.json(FILE)).toEqual({
      ...aStory("s"),
      mine: 7,
      title: "Sign in",
      priority: 1,
      labels: ["web", "auth"],
      checks: ["npm test, twice"],
      writeFiles: ["src/{a,b}.ts", "test/**"],
      needsReview: true,
    });
  });

  it("changes a task and an epic", async () => {
    const project = aProject();
    await project.saga("edit", "s/form", "--set", "subject=Write the form");
    await project.saga("edit", "s", "tests", "--set", "blockedBy=");
    await project.saga("edit", "e", "--set", "title=Everything");
    expect(project.json(".saga/stories/s/form.json")).toMatchObject({ subject: "Write the form" });
    expect(project.json(".saga/stories/s/tests.json")).not.toHaveProperty("blockedBy");
    expect(project.json(".saga/epics/e/epic.json")).toMatchObject({ title: "Everything" });
  });

  it.each([
    [["s", "--set", "priority=high"], "priority"],
    [["s/form", "--set", "blockedBy=tests"], "wait for each other"],
    [["s/form", "--set", "blockedBy=gone"], "waits for gone, which is not a task of this story"],
    [["s/gone", "--set", "subject=x"], "The story s has no task gone."],
    [["nothing", "--set", "title=x"], "There is no story and no epic called nothing."],
    [["s", "--set", "epic=none"], "belongs to the epic none, which does not exist"],
  ])("refuses %j and changes nothing", async (words, sentence) => {
    const { text } = await refused(aProject(), "edit", ...words);
    expect(text).toContain(sentence);
  });

  it.each([
    ["titel=x", "Did you mean title?"],
    ["id=other", "The id cannot be changed: it is also the name of the file or folder."],
    ["title", "has no field or no value"],
    ["blockedBy=a", "A story's `blockedBy` is set in its epic, not in the story."],
    ["checks=[1", "--set checks: the value is not valid JSON."],
  ])("does not understand --set %s", async (assignment, sentence) => {
    const project = aProject();
    const before = project.read(FILE);
    const { exitCode, stderr } = await project.saga("edit", "s", "--set", assignment);
    expect(exitCode).toBe(EXIT.usage);
    expect(stderr).toContain(sentence);
    expect(project.read(FILE)).toBe(before);
  });

  it("refuses while a worker has the story", async () => {
    const project = aProject();
    const { lease } = await openStore(project.path).leases.acquire("story.s", {
      owner: "saga-story-s-1",
      ttlMs: 60_000,
    });
    const { text } = await refused(project, "edit", "s", "--set", "title=x");
    await lease?.release();
    expect(text).toContain("s is running (saga-story-s-1).");
  });

  it("writes the worktree's copy while there is one, and says when it asks for less", async () => {
    const project = aProject();
    const copy = ".saga/worktrees/s/.saga/stories/s/story.json";
    project.write(".saga/worktrees/s/.git", "gitdir: elsewhere\n");
    project.write(copy, aStory("s", { checks: ["true"], writeFiles: ["src/**"] }));
    const before = project.read(FILE);
    const more = await project.saga("edit", "s", "--set", "title=x");
    expect(more.stdout).not.toContain("asks for less");
    const { stdout } = await project.saga("edit", "s", "--set", "writeFiles=src/**,test/**");
    expect(stdout).toContain("saga accept s --override definition");
    expect(project.json(copy)).toMatchObject({ title: "x", writeFiles: ["src/**", "test/**"] });
    expect(project.read(FILE)).toBe(before);
  });
});

describe("saga edit in an editor", () => {
  it("saves the new text unchanged", async () => {
    const project = aProject();
    const env = editor(project, `sed -i.bak 's/Title of s/Sign in/' "$1"`);
    const { exitCode, stdout } = await project.sagaWithEnv(env, "edit", "s");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Changed story s");
    expect(project.json(FILE)).toMatchObject({ title: "Sign in", mine: 7 });
  });

  it("writes nothing if the text is unchanged", async () => {
    const project = aProject();
    const { stdout } = await project.sagaWithEnv(editor(project, "true"), "edit", "s");
    expect(stdout).toBe("Nothing was changed.\n");
  });

  it("offers to edit it again while it is invalid", async () => {
    const project = aProject();
    // The first time the text is broken, the second time it is right.
    const env = editor(
      project,
      `if grep -q '"oops"' "$1"; then sed -i.bak 's/"oops",,/"Sign in",/' "$1"`,
      `else sed -i.bak 's/"Title of s"/"oops",/' "$1"; fi`,
    );
    const { exitCode, stderr } = await project.sagaAnswered({ answer: "y", env }, "edit", "s");
    expect(stderr).toContain("This is not valid JSON");
    expect(exitCode).toBe(0);
    expect(project.json(FILE)).toMatchObject({ title: "Sign in" });
  });

  it("keeps the text when the person gives up, and changes nothing", async () => {
    const project = aProject();
    const before = project.read(FILE);
    const env = editor(project, `echo '{ "id": "s" }' > "$1"`);
    const { exitCode, stderr } = await project.sagaAnswered({ answer: "n", env }, "edit", "s");
    expect(exitCode).toBe(1);
    const kept = /Your text is in (?<file>\S+)\.$/m.exec(stderr)?.groups?.["file"] ?? "";
    expect(kept).toMatch(/s\.json$/);
    expect(project.read(FILE)).toBe(before);
  });

  it("writes nothing over what someone else changed meanwhile", async () => {
    const project = aProject();
    const own = join(project.path, FILE);
    const env = editor(
      project,
      `sed -i.bak 's/Title of s/theirs/' '${own}'`,
      `sed -i.bak 's/Title of s/mine/' "$1"`,
    );
    const { exitCode, stderr } = await project.sagaWithEnv(env, "edit", "s");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("s was changed in the meantime.");
    expect(project.json(FILE)).toMatchObject({ title: "theirs" });
  });

  it("says what to do without an editor, or if it fails", async () => {
    const project = aProject();
    expect((await project.saga("edit", "s")).stderr).toContain("No editor is set.");
    const failed = await project.sagaWithEnv(editor(project, "exit 3"), "edit", "s");
    expect(failed.stderr).toMatch(/The editor ".*" failed: exit 3\./);
  });
});
