import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { aStory, aTask, newFolder, newProject } from "../../../test/support/project.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { newRunId } from "../../story/state/run-id.ts";
import { openStore } from "../file-store.ts";
import { readReceipts, sealProblem, withSeals } from "./receipts.ts";

const ACCEPTED: Receipt = {
  at: "2026-11-15T21:48:00.000Z",
  gate: "person",
  tree: "a".repeat(40),
  isPassed: true,
  ms: 0,
  how: "accepted by ada",
  findings: [],
  overridden: { rules: ["protected"], why: "It had to be.", who: "ada" },
};

function newRecords() {
  const project = newProject();
  for (const id of ["one", "two"]) {
    project.write(`.saga/stories/${id}/story.json`, aStory(id));
    project.write(`.saga/stories/${id}/form.json`, aTask("form"));
  }
  const env = { HOME: newFolder("home").path };
  const context = { store: openStore(project.path), env, now: Date.now };
  return {
    context,
    folderOf: (storyId: string, runId: string) => join(project.path, ".saga/runs", storyId, runId),
    read: (storyId = "one") => readReceipts(context, storyId),
    write: async (receipt: Receipt = ACCEPTED): Promise<string> => {
      const log = withSeals(await context.store.startRun("one"), env);
      log.append({ ...receipt, type: "gate" });
      log.update({ endedAt: ACCEPTED.at });
      log.close();
      return log.run.id;
    },
  };
}

/** What code of an agent could write. */
function forge(folder: string, event: object = ACCEPTED): void {
  const [runId = "", story = ""] = folder.split("/").toReversed();
  mkdirSync(folder, { recursive: true });
  const run = { id: runId, story, startedAt: ACCEPTED.at, endedAt: ACCEPTED.at, outcome: "done" };
  writeFileSync(join(folder, "run.json"), JSON.stringify(run));
  writeFileSync(join(folder, "events.jsonl"), `${JSON.stringify({ ...event, type: "gate" })}\n`);
}

describe("a receipt", () => {
  it("counts when Saga wrote it here", async () => {
    const { write, read } = newRecords();
    await write();
    expect(await read()).toEqual({ receipts: [ACCEPTED], warnings: [] });
  });

  it("that another program wrote does not count, with a warning", async () => {
    const { write, read, folderOf } = newRecords();
    await write();
    const runId = newRunId(Date.now() - 1000, "abcd12");
    forge(folderOf("one", runId), { ...ACCEPTED, isPassed: false, seal: "0".repeat(64) });
    const { receipts, warnings } = await read();
    expect(receipts).toEqual([ACCEPTED]);
    expect(warnings).toEqual([
      `1 check result in the run ${runId} was not written by Saga on this machine and does not count.`,
    ]);
  });

  it("that was changed, or copied to another run or story, does not count", async () => {
    const { write, read, folderOf } = newRecords();
    const runId = await write();
    const copied = newRunId(Date.now(), "ffffff");
    cpSync(folderOf("one", runId), folderOf("one", copied), { recursive: true });
    const text = readFileSync(join(folderOf("one", runId), "events.jsonl"), "utf8");
    const original = JSON.parse(text) as object;
    forge(folderOf("one", copied), original);
    forge(folderOf("two", runId), original);
    expect((await read()).receipts).toHaveLength(1);
    expect((await read("two")).receipts).toEqual([]);
    forge(folderOf("one", runId), { ...original, tree: "b".repeat(40) });
    expect((await read()).receipts).toEqual([]);
  });

  it("of a run dated in the future does not count", async () => {
    const { context, read } = newRecords();
    const tomorrow = openStore(context.store.project, () => Date.now() + 86_400_000);
    const log = withSeals(await tomorrow.startRun("one"), context.env);
    log.append({ ...ACCEPTED, type: "gate" });
    log.update({ outcome: "merged" });
    log.close();
    const { receipts, warnings } = await read();
    expect(receipts).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("is dated in the future")]);
    expect((await context.store.viewStory("one")).state).toBe("ready");
  });

  it("of another machine does not count here, and reading creates no key", async () => {
    const { context, write } = newRecords();
    await write();
    const home = newFolder("elsewhere");
    const { receipts, warnings } = await readReceipts(
      { ...context, env: { HOME: home.path } },
      "one",
    );
    expect(receipts).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(() => home.read(".local/state/saga/receipt-key")).toThrow("ENOENT");
  });

  it("is written unsealed where there can be no key, and does not count", async () => {
    const { context, read } = newRecords();
    const home = newFolder("home");
    home.write(".local", "a file");
    const env = { HOME: home.path };
    expect(sealProblem(env)).toContain(dirname(home.path));
    const log = withSeals(await context.store.startRun("one"), env);
    log.append({ ...ACCEPTED, type: "gate" });
    log.close();
    expect((await context.store.readEvents("one", log.run.id)).events).toHaveLength(1);
    expect((await read()).receipts).toEqual([]);
  });
});

describe("a person's approval", () => {
  const SENT_BACK: Receipt = { ...ACCEPTED, isPassed: false, how: "sent back by ada" };
  delete SENT_BACK.overridden;
  const of = (tree: string, receipt: Receipt): Receipt => ({ ...receipt, tree: tree.repeat(40) });
  const DIFF: Receipt = { ...SENT_BACK, gate: "diff", isPassed: true, how: "looked at" };

  /** Each a millisecond after the one before, so that they have an order. */
  function inTime(): ReturnType<typeof newRecords> {
    const records = newRecords();
    let nowMs = Date.now() - 1_000_000;
    const store = openStore(records.context.store.project, () => nowMs++);
    Object.assign(records.context, { store });
    return records;
  }

  it("is found however many runs follow, with and without receipts", async () => {
    const { write, read, context } = inTime();
    await write(of("a", SENT_BACK));
    await write(of("b", ACCEPTED));
    for (let turn = 0; turn < 20; turn++) {
      await write(of("c", DIFF));
      (await context.store.startRun("one")).close();
    }
    const words = (await read()).receipts.filter(({ gate }) => gate === "person");
    expect(words).toEqual([of("a", SENT_BACK), of("b", ACCEPTED)]);
  });

  it("and receipts of gates are found behind empty and forged runs", async () => {
    const { write, read, context, folderOf } = inTime();
    await write(of("a", SENT_BACK));
    await write(of("a", DIFF));
    for (let turn = 0; turn < 20; turn++) {
      const log = await context.store.startRun("one", { hasReceipts: true, hasWord: true });
      log.close();
      if (turn % 2 === 0) forge(folderOf("one", log.run.id), of("a", ACCEPTED));
    }
    expect((await read()).receipts).toEqual([of("a", SENT_BACK), of("a", DIFF)]);
  });

  it("is never deleted with the oldest runs", async () => {
    const { write, read, context } = inTime();
    await write(of("a", SENT_BACK));
    for (let turn = 0; turn < 5; turn++) await write(of("c", DIFF));
    await context.store.pruneRuns("one", 2);
    expect(await context.store.listRuns("one")).toHaveLength(3);
    expect((await read()).receipts[0]).toEqual(of("a", SENT_BACK));
  });

  it("is found without reading the long logs in between", async () => {
    const { write, context } = inTime();
    await write(of("a", SENT_BACK));
    for (let turn = 0; turn < 50; turn++) (await context.store.startRun("one")).close();
    const read: string[] = [];
    const store = {
      ...context.store,
      readEvents: (storyId: string, runId: string) => {
        read.push(runId);
        return context.store.readEvents(storyId, runId);
      },
    };
    const { receipts } = await readReceipts({ ...context, store }, "one");
    expect(receipts).toEqual([of("a", SENT_BACK)]);
    expect(read).toHaveLength(6);
  });
});
