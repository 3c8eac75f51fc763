// The tester and the reviewer of a story that needs them: each a run of its own, in the clean checkout
// that its checks have passed in.

import { stopped } from "../errors.ts";
import { askForVerdict } from "../claude/verdict-run.ts";
import { codeTree } from "../repo/code-tree.ts";
import { RUN_MARK, storyTaskList } from "../story/names.ts";
import type { Receipt } from "../story/receipt.ts";
import { inspectorPrompt, type Inspector } from "../story/verdict.ts";
import type { Range } from "../gate/story-gate.ts";
import { eventOfCall } from "../claude/about-tool.ts";
import { environmentOfAgent } from "./agent-env.ts";
import { scopeOfAgent } from "./agent-scope.ts";
import { budgetLeft, charge } from "../claude/bill.ts";
import type { PlacedWork } from "./work.ts";

/** One after the other, and no further than the first that does not let it pass. */
export async function inspect(work: PlacedWork, range: Range, folder: string): Promise<Receipt[]> {
  const { needsTesting, needsReview } = work.definition.story();
  const receipts: Receipt[] = [];
  for (const [inspector, isNeeded] of [
    ["test", needsTesting],
    ["review", needsReview],
  ] as const) {
    if (!isNeeded) continue;
    if (work.around.stop.aborted) throw stopped();
    const receipt = await inspectAs(inspector, work, { range, folder });
    receipts.push(receipt);
    if (!receipt.isPassed) break;
  }
  return receipts;
}

async function inspectAs(
  inspector: Inspector,
  work: PlacedWork,
  { range, folder }: { readonly range: Range; readonly folder: string },
): Promise<Receipt> {
  const { order, around, settings, record, git, definition, board, bills, ports } = work;
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
  const { verdict, hasTimedOut, end } = await askForVerdict({
    inspector,
    claude: around.claude,
    cwd: folder,
    env: environmentOfAgent(work, { taskListId, folder, ports }),
    mark: [RUN_MARK, record.run().id],
    taskListId,
    prompt: inspectorPrompt({ inspector, story: definition.story(), tasks: board.tasks(), diff }),
    model: order.model,
    maxCostUsd: budgetLeft(work),
    scope: scopeOfAgent(work, folder),
    timeoutMs: settings.gate.inspectMinutes * 60_000,
    onStart: record.agentStarted,
    onEvent: record.note,
    onTool: (call, judged) => record.note(eventOfCall(call, judged, folder)),
    stop: around.stop,
  });
  charge(record, bills, end, undefined);
  // Cut off, it has said nothing about the work.
  if (verdict === undefined && around.stop.aborted) throw stopped();
  const how =
    verdict?.summary ?? (hasTimedOut ? "no verdict in time" : "it ended without a verdict");
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
