// The files that an agent is judged by are in its worktree. It cannot weaken them: not while it works, and not
// for the next one who judges. A person can, by saying so.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startTestDashboard } from "../support/dashboard.ts";
import type { Fields } from "../../src/store/project/json-text.ts";
import { ONE_TASK, saga, work, workedStage } from "../support/finished-stage.ts";
import { aTask } from "../support/project.ts";
import { newStage, STORY, type Stage } from "../support/stage.ts";
import { expectExit } from "../support/expect-exit.ts";

const FOLDER = `.saga/stories/${STORY}`;
const NO_FIX_ROUNDS = "[gate]\nfix_rounds = 0\n";
const WHY = ["--why", "It had to be."];

/** What an agent runs to give a file of its story other fields. */
const edit = (name: string, change: Fields): string =>
  `node -e 'const f = "${FOLDER}/${name}.json"; fs.writeFileSync(f, JSON.stringify({ ...JSON.parse(fs.readFileSync(f, "utf8")), ...JSON.parse(process.argv[1]) }))' '${JSON.stringify(change)}'`;

const fileIn = ({ worktree }: Stage, name: string): Fields =>
  JSON.parse(readFileSync(join(worktree, FOLDER, `${name}.json`), "utf8")) as Fields;

/** The same between two runs; committed with the story. */
function rewrite(stage: Stage, name: string, change: Fields): void {
  const text = JSON.stringify({ ...fileIn(stage, name), ...change });
  writeFileSync(join(stage.worktree, FOLDER, `${name}.json`), text);
  stage.git("-C", stage.worktree, "commit", "--quiet", "--all", "--message=Rewritten");
}

const warnings = async (stage: Stage): Promise<string> =>
  JSON.stringify(await stage.events("warning"));

describe("an agent that weakens its own gate during a run", () => {
  it("is judged by the original gate, and so is its fix", async () => {
    const stage = await workedStage(1, {
      config: "[gate]\nfix_rounds = 1\n",
      story: { checks: ["test -f required.txt"] },
      steps: {
        form: [{ write: "a.txt", content: "a\n" }, { run: edit("story", { checks: [] }) }],
        fix: [{ write: "m.txt", content: "m\n" }, { run: edit("fix", { checks: [] }) }],
      },
    });
    const refused = (await stage.events("task.refused")).map((event) => event["reason"]);
    expect(refused).toContainEqual(expect.stringContaining("test -f required.txt"));
    expect(fileIn(stage, "story")["checks"]).toEqual(["test -f required.txt"]);
    expect(fileIn(stage, "fix")["checks"]).toEqual(["test -f required.txt"]);
    expect(await warnings(stage)).toContain("Restored files of the story: story.json (checks)");
    expect(await warnings(stage)).toContain("Restored files of the story: fix.json (checks)");
  });

  it("may not extend its allowed files, in any task", async () => {
    const wide = { writeFiles: ["**"] };
    const files = { writeFiles: ["a.txt"] };
    const stage = await workedStage(1, {
      config: NO_FIX_ROUNDS,
      story: { ...files, needsReview: true },
      tasks: [aTask("form", files)],
      steps: {
        form: [
          { write: "a.txt", content: "a\n" },
          { write: "b.txt", content: "b\n" },
          { run: edit("story", { ...wide, needsReview: false }) },
          { run: edit("form", wide) },
          { run: `cp ${FOLDER}/form.json ${FOLDER}/mine.json; ${edit("mine", { id: "mine" })}` },
        ],
      },
    });
    const [diff] = await stage.events("gate");
    expect(diff).toMatchObject({ findings: [{ rule: "undeclared", file: "b.txt" }] });
    expect(Object.keys(await stage.statuses())).toEqual(["form"]);
    expect(fileIn(stage, "story")).toMatchObject({ ...files, needsReview: true });
    expect(await warnings(stage)).toContain("mine.json (removed");
  });

  it("finds it restored even if a check changed it", async () => {
    // From the clean checkout, which is beside the story's worktree.
    const checks = [`cd ../${STORY} && ${edit("story", { checks: [] })}`];
    const stage = await workedStage(0, { story: { checks } });
    expect(fileIn(stage, "story")["checks"]).toEqual(checks);
    expect(stage.git("show", `story/${STORY}:${FOLDER}/story.json`)).toContain("cd ../");
  });
});

describe("a story that asks for less than at its start", () => {
  const checks = ["true", "test -e rehearsal/form.md"];
  const sentence = "The check `true` was removed after the story began.";

  it.each([
    ["that only its branch has", false],
    ["that its target has", true],
  ])("%s is refused by every command until a person overrides it", async (_, isCommitted) => {
    const stage = await newStage({ tasks: ONE_TASK, story: { checks } });
    if (isCommitted) {
      stage.git("add", "--all");
      stage.git("commit", "--quiet", "--message=The story");
    }
    await work(stage, 0);
    stage.git("switch", "--quiet", "--create", "elsewhere");
    rewrite(stage, "story", { checks: checks.slice(1) });
    const main = stage.git("rev-parse", "main");

    const verified = await saga(stage, "verify", STORY, "--json");
    expect(verified.json()).toMatchObject({ isVerified: false, refusal: sentence });
    // `saga show` says the same as `saga merge`.
    const shown = await saga(stage, "show", STORY);
    expect(shown.stdout).toContain(`NOT passed: ${sentence}`);
    const status = (await saga(stage, "status", "--json")).json();
    expect(status["needsYou"]).toMatchObject([{ kind: "definition", reason: sentence }]);
    const list = (await saga(stage, "list", "--json")).json();
    expect(list["stories"]).toMatchObject([{ kind: "definition" }]);
    const { ask, own } = await startTestDashboard(stage, { env: stage.env });
    const detail = JSON.parse((await ask(`/api/story/${STORY}`, { headers: own })).text) as object;
    expect(detail).toMatchObject({ mergeBlockers: [{ rule: "definition", message: sentence }] });
    const merged = await saga(stage, "merge", STORY);
    expect(merged.stderr).toContain(`definition: ${sentence}`);
    expect(merged.stderr).toContain("--override definition");
    await work(stage, 1);
    expect(JSON.stringify(await stage.events("run.ended"))).toContain(sentence);
    // No agent can fix this.
    expect(Object.keys(await stage.statuses())).toEqual(["form"]);
    expect((await saga(stage, "accept", STORY)).stderr).toContain(sentence);
    expect(stage.git("rev-parse", "main")).toBe(main);

    await expectExit(0, saga(stage, "accept", STORY, "--override", "definition", ...WHY));
    await work(stage, 0);
    expect((await saga(stage, "merge", STORY)).exitCode).toBe(0);
  });

  it("is refused even if the branch was rewritten from its first commit", async () => {
    const stage = await workedStage(0, { story: { checks } });
    stage.git("-C", stage.worktree, "reset", "--quiet", "--soft", "main");
    rewrite(stage, "story", { checks: [] });
    const merged = await saga(stage, "merge", STORY);
    expect(merged.stderr).toContain(`definition: ${sentence}`);
  });

  it("does not lose a check that failed on this code", async () => {
    const failing = ["test -e nowhere"];
    const stage = await workedStage(1, { config: NO_FIX_ROUNDS, story: { checks: failing } });
    rewrite(stage, "story", { checks: [] });
    const open = await expectExit(
      1,
      saga(stage, "accept", STORY, "--override", "definition", ...WHY),
    );
    expect(open.stderr).toContain("check: The check `test -e nowhere` failed (exit 1)");
    const verified = await saga(stage, "verify", STORY, "--json");
    expect(JSON.stringify(verified.json())).toContain('"isVerified":false');
  });

  it("may not extend its allowed files by a new task", async () => {
    const files = { writeFiles: ["a.txt"] };
    const stage = await workedStage(0, {
      tasks: [aTask("form", files)],
      steps: { form: [{ write: "a.txt", content: "a\n" }] },
    });
    const mine = aTask("mine", { writeFiles: ["**"], status: "completed" });
    writeFileSync(join(stage.worktree, FOLDER, "mine.json"), JSON.stringify(mine));
    writeFileSync(join(stage.worktree, "b.txt"), "b\n");
    stage.git("-C", stage.worktree, "add", "--all");
    rewrite(stage, "story", {});
    const verified = await saga(stage, "verify", STORY, "--json");
    expect(verified.json()).toMatchObject({
      fresh: [{ findings: [{ rule: "undeclared", file: "b.txt" }] }],
    });
  });

  it("is not one that people changed before its start, committed or not", async () => {
    const files = (name: string) => ({ writeFiles: [`rehearsal/${name}.md`] });
    const stage = await newStage({ tasks: [aTask("form", files("form"))], story: { checks } });
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=The story");
    stage.write(`${FOLDER}/page.json`, aTask("page", files("page")));
    stage.write(`${FOLDER}/story.json`, {
      ...stage.json(`${FOLDER}/story.json`),
      checks: checks.slice(1),
    });
    await work(stage, 0);
    stage.git("switch", "--quiet", "--create", "elsewhere", "--force");
    const merged = await expectExit(0, saga(stage, "merge", STORY));
    expect(merged.stdout).toContain("merged into main");
  });

  it("is not one that people changed on the target, if it contains that change", async () => {
    // Lines between what people change and what Saga writes: else that would be a conflict too.
    const apart = ["one", "two", "three"];
    const stage = await newStage({
      tasks: ONE_TASK,
      story: { above: apart, checks, below: apart },
      steps: {
        form: [{ write: "README.md", content: "# Ours\n" }],
        "resolve-conflict": [{ write: "README.md", content: "# Both\n" }],
      },
    });
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=The story");
    rewriteOnMain(stage, { checks: ["true", "test -e README.md"] }, "# Before\n");
    await work(stage, 0);
    rewriteOnMain(stage, { checks: ["test -e README.md", "test -d .saga"] }, "# Theirs\n");
    stage.git("switch", "--quiet", "--create", "elsewhere");
    const conflict = await saga(stage, "merge", STORY, "--json");
    expect(conflict.json()).toMatchObject({ kind: "conflict", taskId: "resolve-conflict" });
    await work(stage, 0);
    expect(fileIn(stage, "story")["checks"]).toEqual(["test -e README.md", "test -d .saga"]);
    await expectExit(0, saga(stage, "merge", STORY));
  });
});

/** A person's own commit there. */
function rewriteOnMain(stage: Stage, change: Fields, readme: string): void {
  stage.write(`${FOLDER}/story.json`, { ...stage.json(`${FOLDER}/story.json`), ...change });
  stage.write("README.md", readme);
  stage.git("commit", "--quiet", "--all", "--message=People's own");
}
