import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftInFlight } from "../../../../test/support/in-flight.ts";
import { aStory, aTask, newProject } from "../../../../test/support/project.ts";
import { isHarmless } from "../../../../test/support/refused.ts";
import { newRepository, STORY } from "../../../../test/support/repository.ts";

describe("saga recover", () => {
  it("lists unfinished stories, each with both commands", async () => {
    const stage = await leftInFlight();
    const { exitCode, stdout, stderr } = await stage.saga("recover");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("Story add-login is unfinished: its last run ended early.");
    expect(stdout).toContain("has uncommitted changes (8 files). Resume or discard?");
    expect(stdout).toMatch(/tasks +1 of 2 tasks completed/);
    expect(stdout).toMatch(/branch +story\/add-login, 2 commits ahead of main/);
    expect(stdout).toMatch(/last run +killed; last activity \d+ s ago/);
    expect(stdout).toMatch(/left over +1 task list/);
    expect(stdout).toMatch(/resume +saga resume add-login\n +discard +saga discard add-login/);
  });

  it("gives programs every fact", async () => {
    const stage = await leftInFlight();
    expect((await stage.saga("recover", "--json")).json()).toMatchObject({
      inFlight: [STORY],
      stories: [
        {
          story: STORY,
          state: "killed",
          worktree: { isThere: true, changedFiles: 8 },
          branch: { commit: stage.tip, commits: 2 },
          tasks: { completed: 1, total: 2 },
          answers: { resume: `saga resume ${STORY}`, discard: `saga discard ${STORY}` },
        },
      ],
      faults: [],
    });
  });

  it("names only what works for a story with a question: answer it, or discard it", async () => {
    const stage = await leftInFlight();
    await stage.saga("journal", STORY, "--blocker", "Which?");
    const { stdout } = await stage.saga("recover");
    expect(stdout).toContain(`saga resolve ${STORY} "…"`);
    expect(stdout).not.toContain("saga resume");
    expect((await stage.saga("recover", "--json")).json()).toMatchObject({
      stories: [
        {
          answers: { answer: `saga resolve ${STORY} "…" --run`, discard: `saga discard ${STORY}` },
        },
      ],
    });
    expect((await stage.saga("resolve", STORY, "That one.")).exitCode).toBe(0);
  });

  it("shows what was done by hand, and what happened to git, and nothing moves a cursor", async () => {
    const stage = await leftInFlight();
    rmSync(stage.folder, { recursive: true });
    const gone = await stage.saga("recover");
    expect(gone.stdout).toContain("is missing; its branch story/add-login has 2 unmerged commits");
    rmSync(join(stage.path, ".git"), { recursive: true });
    const without = await stage.saga("recover");
    expect(without.exitCode).toBe(0);
    expect(without.stdout).toContain("is not in a git repository");
    expect(without.stdout).toContain("saga resume add-login");
    expect(isHarmless(gone.stdout + without.stdout)).toBe(true);
  });

  it("says that there are no unfinished stories in a project without started ones", async () => {
    const test = newRepository();
    const { exitCode, stdout } = await test.sagaWithEnv(test.env, "recover");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "No unfinished stories.\n" });
    const project = newProject();
    project.write(".saga/stories/one/story.json", aStory("one"));
    project.write(".saga/stories/one/t.json", aTask("t"));
    expect((await project.saga("recover")).stdout).toContain("No unfinished stories.");
  });
});
