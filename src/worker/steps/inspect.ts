// The tester and the reviewer of a story that needs them: each a run of its own, in the clean checkout
// that its checks have passed in.

import { stoppedError } from "../../errors.ts";
import type { Outcome } from "../../claude/outcome.ts";
import { cacheVariables } from "../../claude/sandbox/settings.ts";
import { sandboxPlace } from "../../claude/sandbox/paths.ts";
import { clearStubs } from "../../claude/sandbox/stubs.ts";
import { whyNothing } from "../../agent/inspectors/side-run.ts";
import { askForVerdict } from "../../agent/inspectors/verdict-run.ts";
import { codeTree } from "../../repo/code-tree.ts";
import { RUN_MARK, storyTaskList } from "../../story/definition/names.ts";
import type { Receipt } from "../../story/receipts/receipt.ts";
import { inspectorPrompt, type Inspector } from "../../story/receipts/inspector-verdict.ts";
import type { Range } from "../../gate/story-gate.ts";
import { eventOfCall } from "../../agent/describe-tool.ts";
import { environmentOfAgent } from "../agent/agent-env.ts";
import { scopeOfAgent } from "../agent/agent-scope.ts";
import { budgetLeft } from "../../agent/cost.ts";
import type { Clock, LoopEnd } from "../agent/clock.ts";
import type { PlacedWork } from "../work.ts";

/** An account that is at its limit says nothing about the work: nothing is judged then. */
export class NotInspected extends Error {
  override readonly name = "NotInspected";
  readonly end: LoopEnd;

  constructor(end: LoopEnd) {
    super(end.reason);
    this.end = end;
  }
}

interface Subject {
  readonly range: Range;
  /** A clean checkout of it. */
  readonly folder: string;
}

/** One after the other, and no further than the first that does not let it pass. */
export async function inspect(
  work: PlacedWork,
  clock: Clock,
  subject: Subject,
): Promise<Receipt[]> {
  const { needsTesting, needsReview } = work.definition.story();
  const receipts: Receipt[] = [];
  for (const [inspector, isNeeded] of [
    ["test", needsTesting],
    ["review", needsReview],
  ] as const) {
    if (!isNeeded) continue;
    const receipt = await inspectSteadily(inspector, work, clock, subject);
    receipts.push(receipt);
    if (!receipt.isPassed) break;
  }
  return receipts;
}

async function inspectSteadily(
  inspector: Inspector,
  work: PlacedWork,
  clock: Clock,
  subject: Subject,
): Promise<Receipt> {
  for (;;) {
    if (work.around.stop.aborted) throw stoppedError();
    const wall = await clock.untilWallIsGone();
    if (wall) throw new NotInspected(wall);
    const inspected = await inspectAs(inspector, work, subject);
    if (!("kind" in inspected)) return inspected;
    clock.hitLimit(inspected);
  }
}

async function inspectAs(
  inspector: Inspector,
  work: PlacedWork,
  { range, folder }: Subject,
): Promise<Receipt | Extract<Outcome, { kind: "limit" }>> {
  const { order, around, settings, record, git, definition, board, meter, ports } = work;
  const taskListId = storyTaskList(order.storyId, around.now());
  const from = performance.now();
  const diff = await git.ask([
    "diff",
    "--no-color",
    "--no-ext-diff",
    `${range.from}..${range.commit}`,
    "--",
    ".",
    ":(exclude).saga",
  ]);
  // A reviewer has no shell.
  const gitDir =
    inspector === "test" ? await git.at(folder).ask(["rev-parse", "--absolute-git-dir"]) : "";
  const sandbox = gitDir && (await sandboxPlace({ ...work, gitDir, env: around.env }));
  const agentEnv = environmentOfAgent(work, { taskListId, folder, ports });
  const { verdict, hasTimedOut, end } = await askForVerdict({
    inspector,
    claude: around.claude,
    cwd: folder,
    env: sandbox ? { ...cacheVariables(gitDir), ...agentEnv } : agentEnv,
    sandbox: sandbox || undefined,
    mark: [RUN_MARK, record.run().id],
    taskListId,
    prompt: inspectorPrompt({ inspector, story: definition.story(), tasks: board.tasks(), diff }),
    model: order.model,
    maxCostUsd: budgetLeft(work),
    meter: meter.start(undefined),
    scope: scopeOfAgent(work, folder),
    timeoutMs: settings.gate.inspectMinutes * 60_000,
    onStart: record.agentStarted,
    onEvent: record.note,
    onTool: (call, judged) => record.note(eventOfCall(call, judged, folder)),
    stop: around.stop,
  }).finally(() => sandbox && clearStubs(folder, work.repository.commonDir));
  // Cut off, it has said nothing about the work.
  if (verdict === undefined && around.stop.aborted) throw stoppedError();
  if (verdict === undefined && end.outcome.kind === "limit") return end.outcome;
  const none = whyNothing(end.outcome, "it ended without a verdict");
  const how = verdict?.summary ?? (hasTimedOut ? "no verdict in time" : none);
  const findings = (verdict?.findings ?? []).map((finding) => ({ rule: inspector, ...finding }));
  return {
    at: new Date(around.now()).toISOString(),
    gate: inspector,
    tree: await codeTree(git, range.commit),
    isPassed: verdict?.isPassed ?? false,
    ms: Math.round(performance.now() - from),
    how,
    findings,
  };
}
