import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aCard, aDeadCard, forgeClaim, newClaimer } from "../../../test/support/claims.ts";
import { claudeTask, newList, taskIn } from "../../../test/support/claude-list.ts";
import { newRepository } from "../../../test/support/repository.ts";
import type { ClaimerRecord } from "../../store/claims/claimer-file.ts";
import { thisProcess } from "../../machine/processes/process-id.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { makeInstanceFolder, writeDaemon } from "../../tasks/daemon-files.ts";
import { openStore } from "../../store/file-store.ts";
import { withSeals } from "../../store/runs/receipts.ts";
import type { ClaudeCodeTask } from "../../claude/tasks/format.ts";
import { recoverTasks, type Recovery } from "./recover-tasks.ts";

const inHand = (id: string, more: Partial<ClaudeCodeTask> = {}): ClaudeCodeTask =>
  claudeTask(id, { status: "in_progress", owner: "auto-1", ...more });

/** A project whose list has these tasks, each claimed by a worker with that card. */
async function aPool(tasks: readonly ClaudeCodeTask[], card: ClaimerRecord) {
  const project = newRepository();
  const store = openStore(project.path);
  const repository = await project.open();
  const listFolder = newList(...tasks);
  for (const { id } of tasks) forgeClaim(listFolder, id, 1, card);
  const lines: string[] = [];
  const logLine = (sentence: string): void => void lines.push(sentence);
  const recovery: Recovery = {
    list: "chores",
    listFolder,
    claimer: newClaimer(listFolder, "auto-daemon", "00000001"),
    store,
    settings: await store.settings(),
    repository,
    target: { branch: "main", place: "here" },
    env: project.env,
    now: () => 0,
    logLine,
  };
  const attempts = (id: string): unknown => {
    const saga = taskIn(listFolder, id).metadata?.["saga"];
    return typeof saga === "object" && saga !== null ? Reflect.get(saga, "attempts") : undefined;
  };
  return { project, listFolder, recovery, lines, attempts };
}

it("reads only the given tasks", async () => {
  const dead = aDeadCard({ instance: "00000001" });
  const { recovery, listFolder } = await aPool([inHand("1"), inHand("2")], dead);
  await recoverTasks(recovery, ["2"]);
  expect(taskIn(listFolder, "1").status).toBe("in_progress");
  expect(taskIn(listFolder, "2").status).toBe("pending");
});

it("counts the death of a worker whose daemon is alive", async () => {
  const dead = aDeadCard({ instance: "00000001" });
  const { recovery, attempts, lines } = await aPool([inHand("1")], dead);
  expect(await recoverTasks(recovery, ["1"])).toEqual({ due: [], failed: ["1"], held: [] });
  expect(attempts("1")).toBe(1);
  expect(lines).toEqual(["task 1 is back on the list: auto-1 died (attempt 1 of 3)"]);
});

it("counts it when another daemon of the project notices it first", async () => {
  const dead = aDeadCard({ instance: "00000002" });
  const { recovery, attempts, project, listFolder } = await aPool([inHand("1")], dead);
  writeDaemon(makeInstanceFolder(project.path, "00000002"), {
    instance: "00000002",
    list: "chores",
    folder: listFolder,
    process: thisProcess(),
    startedAt: new Date().toISOString(),
    state: "running",
    workers: ["auto-1"],
  });
  await recoverTasks(recovery, ["1"]);
  expect(attempts("1")).toBe(1);
});

it.each([
  ["with its daemon", { instance: "00000002" }],
  ["with the machine", { instance: "00000002", bootId: "before" }],
])("does not count the death of a worker that died %s", async (_, card) => {
  const { recovery, attempts, lines } = await aPool([inHand("1")], aDeadCard(card));
  expect(await recoverTasks(recovery, ["1"])).toEqual({ due: [], failed: [], held: [] });
  expect(attempts("1")).toBeUndefined();
  expect(lines).toEqual(["task 1 is back on the list: auto-1 died"]);
});

it("does not count a worker that was killed because the pool stopped", async () => {
  const dead = aDeadCard({ instance: "00000001" });
  const { recovery, attempts } = await aPool([inHand("1")], dead);
  await recoverTasks({ ...recovery, stop: AbortSignal.abort() }, ["1"]);
  expect(attempts("1")).toBeUndefined();
});

it("does not touch tasks of living workers", async () => {
  const { recovery, listFolder } = await aPool([inHand("1")], aCard({ instance: "00000001" }));
  await recoverTasks(recovery, ["1"]);
  expect(taskIn(listFolder, "1")).toEqual(inHand("1"));
});

it("reports a task that could not be recovered, and continues with the others", async () => {
  const dead = aDeadCard({ instance: "00000001" });
  const merged = { metadata: { saga: { run: "20261116T081726433Z-45242a" } } };
  const { recovery } = await aPool([inHand("1", merged), inHand("2")], dead);
  const target = { branch: "nowhere", place: "here" } as const;
  expect(await recoverTasks({ ...recovery, target }, ["1", "2"])).toMatchObject({
    due: [{ taskId: "1" }],
    failed: ["2"],
  });
});

async function withMerged(taskId: string, { isProven }: { isProven: boolean }) {
  const pool = await aPool([inHand("4")], aDeadCard({ instance: "00000001" }));
  const { project, recovery, listFolder } = pool;
  const { store, env, repository } = recovery;
  const log = withSeals(await store.startRun("auto-1"), env);
  const runId = log.run.id;
  project.git(
    "commit",
    "--quiet",
    "--allow-empty",
    `--message=Do ${taskId}

Saga-Task: chores/${taskId}
Saga-Run: ${runId}`,
  );
  const tree = await codeTree(repository.git, "main");
  const at = new Date(0).toISOString();
  const receipt = { at, gate: "diff", tree, isPassed: true, ms: 1, findings: [] };
  if (isProven) log.append({ type: "gate", ...receipt });
  log.close();
  const claimed = inHand("4", { metadata: { saga: { run: runId } } });
  writeFileSync(join(listFolder, "4.json"), JSON.stringify(claimed));
  await recoverTasks(recovery, ["4"]);
  return { task: taskIn(listFolder, "4"), commit: project.git("rev-parse", "main") };
}

it("completes a task whose commit was merged with a receipt", async () => {
  const { task } = await withMerged("4", { isProven: true });
  expect(task.status).toBe("completed");
});

it("runs the checks again when the receipt of a merged commit is missing", async () => {
  const { task, commit } = await withMerged("4", { isProven: false });
  expect(task).toMatchObject({ status: "pending", metadata: { saga: { finished: commit } } });
});

it("does not mistake another task's commit for its own", async () => {
  const { task } = await withMerged("5", { isProven: true });
  expect(task).toMatchObject({ status: "pending", metadata: { saga: { attempts: 1 } } });
});
