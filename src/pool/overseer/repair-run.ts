// One attempt to repair what stopped the pool: the files are kept first, then a headless run may change
// them and nothing else, and then everything is judged anew. What the run says about it counts for nothing.

import type { Context } from "../../context.ts";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { startDeadline } from "../../agent/deadline.ts";
import { newCostMeter } from "../../agent/cost.ts";
import { agentEnvironment } from "../../claude/environment.ts";
import type { HeadlessEnd } from "../../claude/run.ts";
import { textOf } from "../../agent/scope/tool-paths.ts";
import type { ScopedCall, ScopeVerdict } from "../../agent/scope/scope.ts";
import { sideRun, whyNoResult } from "../../agent/inspectors/side-run.ts";
import { copyAndSync, makeFolder, syncFolder, writeDurably } from "../../machine/files/files.ts";
import type { RunRecord } from "../../store/runs/run-recorder.ts";
import { RUN_MARK } from "../../story/definition/names.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { Settings } from "../../story/settings/settings.ts";
import { committedVersions } from "./committed.ts";
import { repairPrompt } from "./repair-prompt.ts";
import { endRepairRecord, startRepairRecord } from "./repair-record.ts";
import { judgeRepairCall, REPAIR_TOOLS, type RepairPlace } from "./repair-scope.ts";

export interface RepairAround extends Pick<Context, "env" | "now" | "stop"> {
  readonly place: RepairPlace;
  /** `.saga/auto/repairs`, where each attempt keeps what it found. */
  readonly folder: string;
  readonly project: string;
  readonly claude: string;
  readonly settings: Pick<Settings, "auto" | "claude">;
  /** What is wrong with the list and the context file, from scratch. */
  readonly findProblems: () => Promise<readonly PoolProblem[]>;
}

export interface RepairOrder {
  readonly problems: readonly [PoolProblem, ...PoolProblem[]];
  /** What an earlier attempt left undone. */
  readonly before: string | undefined;
}

export type Repaired =
  | { readonly kind: "repaired"; readonly kept: string }
  | { readonly kind: "not-repaired"; readonly kept: string; readonly why: string }
  /** Nobody's fault, and it passes. */
  | { readonly kind: "limit"; readonly reason: string; readonly resetsAtMs: number | undefined }
  | { readonly kind: "stopped" };

interface Call {
  readonly tool: string;
  readonly path: string | undefined;
  readonly refused: string | undefined;
}

export async function repair(around: RepairAround, order: RepairOrder): Promise<Repaired> {
  const { place, settings, now } = around;
  const id = `${new Date(now()).toISOString().replaceAll(/[-:.]/g, "")}-${randomBytes(2).toString("hex")}`;
  const kept = join(around.folder, id);
  keepFiles(place, kept);
  const calls: Call[] = [];
  const deadline = startDeadline(settings.auto.repairMinutes * 60_000, around.stop);
  const record = startRepairRecord(around);
  const { outcome } = await runAgent(around, order, {
    id,
    record,
    stop: deadline.signal,
    onCall: (call, verdict) =>
      calls.push({
        tool: call.tool,
        path: textOf(call.input, "file_path") ?? textOf(call.input, "path"),
        refused: verdict.isAllowed ? undefined : verdict.reason,
      }),
  }).finally(deadline.clear);
  const after = await around.findProblems();
  endRepairRecord(record, { now, isRepaired: after.length === 0 });
  const { costUsd, costIsEstimate } = record.run();
  const report = { problems: order.problems, calls, outcome, costUsd, costIsEstimate, after };
  writeDurably(join(kept, "repair.json"), `${JSON.stringify(report, undefined, 2)}\n`);
  // Whatever it did in time counts, however it ended.
  if (after.length === 0) return { kind: "repaired", kept };
  if (around.stop.aborted) return { kind: "stopped" };
  if (outcome.kind === "limit") return outcome;
  const why = deadline.hasPassed()
    ? "The repair took too long."
    : whyNoResult(outcome, "The repair has ended, and not all is well.");
  return { kind: "not-repaired", kept, why: [why, told(after)].join(" ") };
}

/** Every task file and the context file, byte for byte: whatever the run makes of them, nothing is lost. */
function keepFiles({ list, contextFile }: RepairPlace, kept: string): void {
  makeFolder(join(kept, "list"));
  const names = readdirSync(list, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map(({ name }) => name);
  for (const name of names) copyAndSync(join(list, name), join(kept, "list", name));
  syncFolder(join(kept, "list"));
  if (existsSync(contextFile)) copyAndSync(contextFile, join(kept, "context.toml"));
  syncFolder(kept);
}

interface AgentRun {
  readonly id: string;
  readonly record: RunRecord;
  readonly stop: AbortSignal;
  readonly onCall: (call: ScopedCall, verdict: ScopeVerdict) => void;
}

async function runAgent(
  { place, project, env, claude, settings, now }: RepairAround,
  { problems, before }: RepairOrder,
  { id, record, stop, onCall }: AgentRun,
): Promise<HeadlessEnd> {
  // A list of its own, which nobody makes: the broken one is for it to read as files.
  const taskListId = `saga__repair__${now()}`;
  return sideRun({
    claude,
    cwd: place.list,
    env: agentEnvironment(env, {
      taskListId,
      story: { SAGA_PROJECT_DIR: project, [RUN_MARK]: id },
      pass: settings.claude.passEnv,
    }),
    mark: [RUN_MARK, id],
    taskListId,
    prompt: repairPrompt({
      ...place,
      problems,
      before,
      committed: await committedVersions(place.list, problems, env),
    }),
    model: settings.claude.model,
    maxCostUsd: settings.auto.repairCost,
    meter: newCostMeter(record).start(undefined),
    judge: (call) => judgeRepairCall(place, call),
    onTool: onCall,
    noCompletion: "Nothing is completed in a repair.",
    kit: {
      tools: REPAIR_TOOLS,
      required: REPAIR_TOOLS,
      server: ({ createSdkMcpServer }) => createSdkMcpServer({ name: "saga", tools: [] }),
    },
    onStart: record.agentStarted,
    onEvent: record.note,
    stop,
  });
}

export const told = (problems: readonly PoolProblem[]): string =>
  problems
    .map(
      ({ kind, file, message }) => `${kind}${file === undefined ? "" : ` in ${file}`}: ${message}`,
    )
    .join(" ");
