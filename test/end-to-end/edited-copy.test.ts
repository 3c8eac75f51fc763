// A story's own copy is in its worktree while it has one: an edit in the checkout has no effect, and Saga
// says so.

import { describe, expect, it } from "vitest";
import { finishedStage, saga } from "../support/finished-stage.ts";
import { STORY, type Stage } from "../support/stage.ts";

const FILE = `.saga/stories/${STORY}/story.json`;
const WARNING = `You changed story.json here, but the story uses its copy in .saga/worktrees/${STORY}/.saga/stories/${STORY}.`;

const edit = (stage: Stage, more: Record<string, unknown>): string =>
  stage.write(FILE, { ...stage.json(FILE), ...more });

describe("an edit of a story in the checkout, while its own copy is in its worktree", () => {
  it("is reported by verify, show, validate and run, with what to do", async () => {
    const stage = await finishedStage({ story: { writeFiles: ["rehearsal/**"] } });
    for (const command of ["verify", "show"]) {
      const { stdout, stderr } = await saga(stage, command, STORY);
      expect(stdout + stderr).not.toContain("You changed");
    }
    edit(stage, { writeFiles: ["rehearsal/**", "src/**"] });
    expect((await saga(stage, "verify", STORY)).stderr).toContain(WARNING);
    const shown = await saga(stage, "show", STORY);
    expect(shown.stdout).toContain(`${WARNING} Make the same change there with `);
    const validated = await saga(stage, "validate");
    expect(validated.exitCode).toBe(0);
    expect(validated.stdout).toContain(`${FILE}: warning: ${WARNING}`);
    const ran = await saga(stage, "run", STORY, "--foreground");
    expect(ran.stderr).toContain(WARNING);
  });

  it("is an error in validate if it makes the file invalid", async () => {
    const stage = await finishedStage();
    stage.write(FILE, '{\n  "id": "add-login",\n}\n');
    const validated = await saga(stage, "validate");
    expect(validated.exitCode).toBe(1);
    expect(validated.stdout).toContain(`${FILE}:2:`);
    expect(validated.stdout).toContain("1 error in ");
  });

  it("includes a task that was changed or added there", async () => {
    const stage = await finishedStage();
    const task = `.saga/stories/${STORY}/form.json`;
    stage.write(task, { ...stage.json(task), checks: ["true"] });
    stage.write(`.saga/stories/${STORY}/more.json`, { ...stage.json(task), id: "more" });
    const { stdout } = await saga(stage, "show", STORY);
    expect(stdout).toContain("You changed form.json, more.json here");
  });

  it("is not reported if the story's own copy was changed instead, or by Saga", async () => {
    const stage = await finishedStage();
    edit(stage, { status: "in_progress", branch: "story/x" });
    const own = `.saga/worktrees/${STORY}/${FILE}`;
    stage.write(own, { ...stage.json(own), labels: ["urgent"] });
    expect((await saga(stage, "show", STORY)).stdout).not.toContain("You changed");
  });
});
