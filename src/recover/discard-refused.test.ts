import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  discard,
  everythingIn,
  leftInFlight,
  type InFlightStage,
} from "../../test/support/in-flight.ts";
import { newRepository, STORY } from "../../test/support/repository.ts";
import { messageOf } from "../errors.ts";
import { openStore } from "../store/file-store.ts";

describe("discarding is refused, and removes nothing,", () => {
  /** The message. Everything is as it was before. */
  async function refusal(stage: InFlightStage): Promise<string> {
    const before = everythingIn(stage, stage.folder);
    const message = await discard(stage).then(() => "It was done.", messageOf);
    expect(everythingIn(stage, stage.folder)).toEqual(before);
    expect(stage.git("rev-parse", `story/${STORY}`)).toBe(stage.tip);
    expect(await stage.forge.find(`story/${STORY}`)).toMatchObject({ state: "open" });
    return message;
  }

  it("while the story is running", async () => {
    const stage = await leftInFlight();
    await stage.store.leases.acquire(`story.${STORY}`, { owner: "a living one", ttlMs: 1000 });
    expect(await refusal(stage)).toMatch(/is already running \(a living one\)/);
  });

  it("when its branch is checked out elsewhere", async () => {
    const stage = await leftInFlight();
    stage.git("worktree", "add", "--quiet", "--force", "../other", `story/${STORY}`);
    expect(await refusal(stage)).toMatch(/is checked out in/);
  });

  it("when the worktree is locked", async () => {
    const stage = await leftInFlight();
    stage.git("worktree", "lock", "--reason=mine", stage.folder);
    expect(await refusal(stage)).toMatch(/is locked \(mine\)/);
  });

  it("when a repository inside it would be lost", async () => {
    const stage = await leftInFlight();
    mkdirSync(join(stage.folder, "inner"));
    stage.gitIn(join(stage.folder, "inner"), "init", "--quiet");
    stage.gitIn(join(stage.folder, "inner"), "commit", "--quiet", "--allow-empty", "--message=in");
    expect(await refusal(stage)).toMatch(/inner is a nested git repository/);
  });

  it("when a copy of the project's files was changed", async () => {
    const stage = await leftInFlight();
    stage.write(".saga/config.toml", '[worktree]\ncopy = [".env"]\n');
    stage.write(".env", "A=1\n");
    writeFileSync(join(stage.folder, ".env"), "A=2\n");
    expect(await refusal(stage)).toMatch(/\.env differs from the project's copy/);
    writeFileSync(join(stage.folder, ".env"), "A=1\n");
    expect(await discard(stage)).toMatchObject({ isDone: true });
  });

  it.runIf(process.getuid?.() !== 0)("when a file cannot be read", async () => {
    const stage = await leftInFlight();
    chmodSync(join(stage.folder, "binary"), 0);
    await expect(discard(stage)).rejects.toThrow("could not all be read");
    chmodSync(join(stage.folder, "binary"), 0o644);
  });

  it("when it is merged, archived, or does not exist", async () => {
    const test = newRepository();
    const store = openStore(test.path);
    test.write(`.saga/stories/${STORY}/form.json`, { id: "form", subject: "F", description: "D" });
    await store.setTaskStatus(STORY, "form", "completed");
    await store.updateStory(STORY, (story) => ({ ...story, status: "completed" }));
    await expect(discard({ ...test, store })).rejects.toThrow("completed and merged");
    await store.archive([STORY]);
    await expect(discard({ ...test, store })).rejects.toThrow("in the archive");
    rmSync(join(test.path, ".saga/archive"), { recursive: true });
    await expect(discard({ ...test, store })).rejects.toThrow(`no story ${STORY}`);
  });
});
