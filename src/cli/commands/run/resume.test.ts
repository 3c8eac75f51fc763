import { describe, expect, it } from "vitest";
import { leftInFlight } from "../../../../test/support/in-flight.ts";
import { misused, refused } from "../../../../test/support/refused.ts";
import { newRepository, STORY } from "../../../../test/support/repository.ts";
import { openStore } from "../../../store/file-store.ts";

/** Resuming itself is tested end to end. */
describe("saga resume refuses", () => {
  it("a story that has not been started, and names the command for that", async () => {
    const { hint } = await refused(newRepository(), "resume", STORY);
    expect(hint).toContain(`saga run ${STORY}`);
  });

  it("a running story, and names the command to watch it", async () => {
    const test = newRepository();
    await openStore(test.path).leases.acquire(`story.${STORY}`, { owner: "one", ttlMs: 1000 });
    const { code, message, hint } = await refused(test, "resume", STORY);
    expect(code).toBe("in-use");
    expect(message).toContain("(one)");
    expect(hint).toContain(`saga logs ${STORY} -f`);
  });

  it("a story with an open question, and names the command to answer it", async () => {
    const stage = await leftInFlight();
    await stage.saga("journal", STORY, "--blocker", "Which?");
    const one = await stage.saga("resume", STORY);
    expect(one).toMatchObject({ exitCode: 1 });
    expect(one.stderr).toContain(`saga resolve ${STORY}`);
    const all = await stage.saga("resume", "--all");
    expect(all).toMatchObject({ exitCode: 1 });
    expect(all.stdout).toContain("add-login: Cannot resume add-login: its agent asks a question");
  });

  it("a story that is finished", async () => {
    const stage = await leftInFlight({ isDirty: false });
    await stage.store.setTaskStatus(STORY, "page", "completed");
    const held = await stage.store.leases.acquire(`story.${STORY}`, { owner: "x", ttlMs: 1 });
    await held.lease?.release();
    for (const run of await stage.store.listRuns(STORY)) {
      const log = await stage.store.openRun(run);
      log.update({ endedAt: new Date().toISOString(), outcome: "done" });
      log.close();
    }
    expect((await stage.saga("resume", STORY)).stderr).toContain("waits for a review");
  });

  it("a story that is merged", async () => {
    const test = newRepository();
    const store = openStore(test.path);
    await store.setTaskStatus(STORY, "form", "completed");
    await store.updateStory(STORY, (story) => ({ ...story, status: "completed" }));
    expect((await refused(test, "resume", STORY)).message).toContain("completed and merged");
  });

  it("a worktree whose branch is gone, and names the command that restores it", async () => {
    const stage = await leftInFlight();
    stage.git("update-ref", "-d", `refs/heads/story/${STORY}`);
    const { stderr } = await stage.saga("resume", STORY);
    const command = /`git (?<words>update-ref [^`]+)`/.exec(stderr)?.groups?.["words"] ?? "";
    stage.git(...command.split(" "));
    expect(stage.git("rev-parse", `story/${STORY}`)).toBe(stage.tip);
  });

  it("a call with neither a story nor --all, with both, or with --all in the foreground", async () => {
    for (const words of [[], [STORY, "--all"], ["--all", "--foreground"]]) {
      expect((await misused(newRepository(), "resume", ...words)).hint).not.toBe("");
    }
  });
});

it("--all succeeds when no story is unfinished", async () => {
  const test = newRepository();
  const all = await test.sagaWithEnv(test.env, "resume", "--all");
  expect(all).toMatchObject({ exitCode: 0, stdout: "No unfinished stories.\n" });
});
