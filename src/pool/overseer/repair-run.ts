// One attempt to repair what stopped the pool: copies the files first, then lets an agent run change them and nothing
// else, then looks for problems again. What the agent says does not count.

import type { Context } from "../../context.ts";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../agent/agent.ts";
import { newCostMeter } from "../../agent/cost.ts";
import { whyNoResult } from "../../agent/inspectors/no-result.ts";
import { runAgent, type AgentResult } from "../../agent/run-agent.ts";
import { textOf } from "../../agent/scope/tool-paths.ts";
import type { ScopedCall, ScopeVerdict } from "../../agent/scope/scope.ts";
import { copyAndSync, makeFolder, syncFolder, writeDurably } from "../../machine/files/files.ts";
import type { RunRecord } from "../../story/state/run-record.ts";
import type { PoolProblem } from "../../tasks/problem.ts";
import type { Settings } from "../../story/settings/settings.ts";
import { committedVersions } from "./committed-versions.ts";
import { repairPrompt } from "./repair-prompt.ts";
import { endRepairRecord, startRepairRecord } from "./repair-record.ts";
import { judgeRepairCall, REPAIR_TOOLS, type RepairPlace } from "./repair-scope.ts";

export interface RepairContext extends Pick<Context, "store" | "env" | "now" | "stop"> {
  readonly place: RepairPlace;
  /** `.saga/auto/repairs`, where each attempt saves copies of the files. */
  readonly folder: string;
  readonly agent: Agent;
  readonly settings: Pick<Settings, "auto" | "claude" | "watch" | "worktree">;
  /** Reads the list and the context file again, and finds all problems. */
  readonly findProblems: () => Promise<readonly PoolProblem[]>;
}

export interface RepairRequest {
  readonly problems: readonly [PoolProblem, ...PoolProblem[]];
  /** Why an earlier attempt did not succeed. */
  readonly before: string | undefined;
}

export type RepairResult =
  | { readonly kind: "repaired"; readonly copy: string }
  | { readonly kind: "not-repaired"; readonly copy: string; readonly why: string }
  /** The account's usage limit: try again later. */
  | { readonly kind: "limit"; readonly reason: string; readonly resetsAtMs: number | undefined }
  | { readonly kind: "stopped" };

interface RepairCall {
  readonly tool: string;
  readonly path: string | undefined;
  readonly refused: string | undefined;
}

export async function repair(
  context: RepairContext,
  request: RepairRequest,
): Promise<RepairResult> {
  const { place, now } = context;
  const id = `${new Date(now()).toISOString().replaceAll(/[-:.]/g, "")}-${randomBytes(2).toString("hex")}`;
  const copy = join(context.folder, id);
  copyFiles(place, copy);
  const calls: RepairCall[] = [];
  const record = await startRepairRecord(context);
  const run = await runRepairAgent(context, request, {
    record,
    onCall: (call, verdict) =>
      calls.push({
        tool: call.tool,
        path: textOf(call.input, "file_path") ?? textOf(call.input, "path"),
        refused: verdict.isAllowed ? undefined : verdict.reason,
      }),
  });
  const { outcome } = run.end;
  const after = await context.findProblems();
  endRepairRecord(record, { now, isRepaired: after.length === 0 });
  const { costUsd, costIsEstimate } = record.run();
  const report = { problems: request.problems, calls, outcome, costUsd, costIsEstimate, after };
  writeDurably(join(copy, "repair.json"), `${JSON.stringify(report, undefined, 2)}\n`);
  return judgeRepair(run, { after, copy, isStopped: context.stop.aborted });
}

/** The files count, however the run ended. */
export function judgeRepair(
  run: AgentResult,
  {
    after,
    copy,
    isStopped,
  }: {
    readonly after: readonly PoolProblem[];
    readonly copy: string;
    readonly isStopped: boolean;
  },
): RepairResult {
  const { outcome } = run.end;
  if (after.length === 0) return { kind: "repaired", copy };
  if (isStopped) return { kind: "stopped" };
  if (outcome.kind === "limit") return outcome;
  const why = whyNoResult(run, {
    late: "The repair took too long.",
    otherwise: "The repair ended, but problems remain.",
  });
  return { kind: "not-repaired", copy, why: [why, problemText(after)].join(" ") };
}

/** Copies every task file and the context file: whatever the run does, nothing is lost. */
function copyFiles({ list, contextFile }: RepairPlace, copy: string): void {
  makeFolder(join(copy, "list"));
  const names = readdirSync(list, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map(({ name }) => name);
  for (const name of names) copyAndSync(join(list, name), join(copy, "list", name));
  syncFolder(join(copy, "list"));
  if (existsSync(contextFile)) copyAndSync(contextFile, join(copy, "context.toml"));
  syncFolder(copy);
}

interface RepairRun {
  readonly record: RunRecord;
  readonly onCall: (call: ScopedCall, verdict: ScopeVerdict) => void;
}

async function runRepairAgent(
  context: RepairContext,
  { problems, before }: RepairRequest,
  { record, onCall }: RepairRun,
): Promise<AgentResult> {
  const { place, store, env, agent, settings, now } = context;
  return runAgent(
    { ...context, record, meter: newCostMeter(record, agent) },
    {
      folder: place.list,
      // A list that does not exist: the agent reads the broken list as files.
      taskListId: `saga__repair__${now()}`,
      variables: { SAGA_PROJECT_DIR: store.project },
      prompt: repairPrompt({
        ...place,
        problems,
        before,
        committed: await committedVersions(place.list, problems, env),
      }),
      model: settings.claude.model,
      timeoutMs: settings.auto.repairMinutes * 60_000,
      maxCostUsd: settings.auto.repairCost,
      tools: REPAIR_TOOLS,
      requiredTools: REPAIR_TOOLS,
      hooks: () => ({
        sagaTools: [],
        judge: (call) => judgeRepairCall(place, call),
        tasks: "A repair completes no tasks.",
        onCall,
      }),
    },
  );
}

export const problemText = (problems: readonly PoolProblem[]): string =>
  problems
    .map(
      ({ kind, file, message }) => `${kind}${file === undefined ? "" : ` in ${file}`}: ${message}`,
    )
    .join(" ");
