import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { everythingIn, leftInFlight } from "../../../../test/support/in-flight.ts";
import { misused, refused } from "../../../../test/support/refused.ts";
import { newRepository, STORY } from "../../../../test/support/repository.ts";

describe("saga discard", () => {
  it("says what it did, and exactly how to have it back", async () => {
    const stage = await leftInFlight();
    const { exitCode, stdout, stderr } = await stage.saga("discard", STORY, "--yes");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("Its tasks are pending again");
    expect(stdout).toContain(`removed   ${stage.folder}`);
    expect(stdout).toContain(`story/add-login (was at ${stage.tip.slice(0, 10)})`);
    expect(stdout).toContain("closed    pull request #1 (local, not on GitHub)");
    expect(stdout).toContain("saga snapshot restore add-login 1");
    expect(existsSync(stage.folder)).toBe(false);
    const epics = readFileSync(join(stage.path, ".saga/epics.json"), "utf8");
    expect(JSON.parse(epics)).toMatchObject({ stories: [{ id: STORY, state: "filling" }] });
    const again = await stage.saga("discard", STORY, "--yes");
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stdout).toContain(
      "add-login has no work to discard. Restore what was discarded before:",
    );
    const journal = await stage.saga("journal", STORY);
    expect(journal.stdout).toContain(
      "`saga snapshot restore add-login 1` restores branch, worktree",
    );
    const keeps = await stage.saga("keep", "list", STORY);
    expect(keeps.stdout).toMatch(/add-login +1 .*discarded/);
  });

  it("is the first of the snapshots: they are listed newest first", async () => {
    const stage = await leftInFlight();
    await stage.saga("discard", STORY, "--yes");
    await stage.saga("keep", "restore", STORY);
    writeFileSync(join(stage.folder, "more.txt"), "more\n");
    await stage.saga("discard", STORY, "--yes");
    const { keeps } = (await stage.saga("keep", "list", "--json")).json() as {
      keeps: { number: number }[];
    };
    expect(keeps.map(({ number }) => number)).toEqual([2, 1]);
    expect((await stage.saga("keep", "list")).stdout).toMatch(/^add-login +2 .*\nadd-login +1 /m);
  });

  it("gives programs the same", async () => {
    const stage = await leftInFlight();
    expect((await stage.saga("discard", STORY, "--yes", "--json")).json()).toMatchObject({
      story: STORY,
      isDone: true,
      snapshot: 1,
      worktree: stage.folder,
      pullRequest: "local/1",
      restore: `saga snapshot restore ${STORY} 1`,
      left: [],
    });
  });

  it("asks a person first, with the facts, and takes anything but a yes for a no", async () => {
    const stage = await leftInFlight();
    const { env } = stage;
    const before = everythingIn(stage, stage.folder);
    for (const answer of ["", "n", "no", "yesterday"]) {
      const result = await stage.sagaAnswered({ answer, env }, "discard", STORY);
      expect(result).toMatchObject({ exitCode: 1 });
      expect(result.stderr).toContain("has uncommitted changes (8 files)");
      expect(result.stderr).toContain("Discard the work on add-login? A snapshot is kept. [y/N]");
      expect(result.stdout).toContain("Nothing was discarded.");
    }
    expect(everythingIn(stage, stage.folder)).toEqual(before);
    expect(await stage.sagaAnswered({ answer: "Yes", env }, "discard", STORY)).toMatchObject({
      exitCode: 0,
    });
    expect(existsSync(stage.folder)).toBe(false);
  });

  it("refuses without a terminal, and names the option that confirms", async () => {
    const { hint } = await misused(newRepository(), "discard", STORY);
    expect(hint).toContain("saga discard add-login --yes");
  });

  it("refuses an unknown story and an invalid id", async () => {
    expect((await refused(newRepository(), "discard", "other", "--yes")).code).toBe("not-found");
    expect((await refused(newRepository(), "discard", "../x", "--yes")).code).toBe("bad-id");
  });
});
