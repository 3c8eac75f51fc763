import { SagaError } from "../../../errors.ts";
import { notAName } from "../../edit/definition-name.ts";
import { attentionTo } from "../../../store/views/attention.ts";
import { readConflictsWith } from "../../../store/views/conflicts.ts";
import type { StoryView } from "../../../store/views/overview.ts";
import type { StoryRecord } from "../../../store/project/read.ts";
import { readReceipts } from "../../../store/runs/receipts.ts";
import type { Store } from "../../../store/store.ts";
import { count } from "../../../text/plural.ts";
import { conflictWords } from "../../../story/early-warning/conflict-words.ts";
import type { ConflictAhead } from "../../../story/early-warning/conflicts-ahead.ts";
import { nextFor } from "../../../story/state/attention.ts";
import { shownWord, type Attention } from "../../../story/state/attention.ts";
import { taskStates, type StoryState } from "../../../story/state/state.ts";
import { failedChecks, outputEnd } from "../../../story/receipts/failed-output.ts";
import type { Receipt } from "../../../story/receipts/receipt.ts";
import type { Run } from "../../../story/state/run.ts";
import type { Requirements } from "../../../story/receipts/merge-readiness.ts";
import type { Story } from "../../../story/definition/story.ts";
import type { Task } from "../../../story/definition/task.ts";
import { usd } from "../../../text/usd.ts";
import type { PullRequest } from "../../../machine/forge/forge.ts";
import { duration } from "../../../text/duration.ts";
import { describePullRequest, localPullRequest } from "../../output/pull-request-line.ts";
import type { CommandResult, Build } from "../../program/command.ts";
import {
  EDITED_ADVICE,
  editedCopy,
  editedSentence,
  type EditedCopy,
} from "../../output/edited-copy.ts";
import { gateLine } from "../../output/gate-line.ts";
import {
  facts,
  section,
  columns,
  plain,
  STATE_WIDTH,
  stateMark,
  stateName,
  type Paint,
} from "../../output/terminal.ts";
import { hasRunEnded } from "../../../store/runs/run-processes.ts";
import type { CurrentReadiness } from "../../../dashboard/views/story-readiness.ts";
import { readinessNow } from "../../output/merge-status.ts";
import { storyDetailJson } from "../../output/story-json.ts";
import { showEpic } from "./show-epic.ts";
import { showTask } from "./show-task.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("show", "Show one story, epic or task in full.", [
        "saga show user-auth--setup-db                a story with its tasks",
        "saga show user-auth                          an epic",
        "saga show user-auth--setup-db/write-tests    a task",
      ])
      .argument("<story-or-epic>", "an id, or <story>/<task>")
      .argument("[task]", "a task of the story")
      .option("--epic", "show the epic, if a story has the same id"),
    async ({ io, openProject }, [word = "", task], { epic = false }: { epic?: boolean }) => {
      const store = openProject();
      const id = task === undefined ? word : `${word}/${task}`;
      if (epic) return showEpic({ store, env: io.env }, id);
      const [storyId = "", taskId, ...more] = id.split("/");
      if (storyId === "" || taskId === "" || more.length > 0) {
        throw notAName(id);
      }
      if (taskId !== undefined) return showTask(await store.viewStory(storyId), taskId);
      const view = await findStory(store, id);
      if (!view) return showEpic({ store, env: io.env }, id);
      const pull = await localPullRequest(view.record.story, store.project, io.env);
      const found = await readReceipts({ store, env: io.env, now: Date.now }, id);
      const context = { store, env: io.env };
      const { record, epicId } = view;
      const isOpen = view.state !== "completed";
      const readiness = isOpen
        ? await readinessNow(context, { record, epic: epicId }, found.receipts)
        : undefined;
      const edited = isOpen ? await editedCopy(context, record) : undefined;
      const runs = await store.listRuns(id);
      const conflicts = await readConflictsWith(store, view);
      const { project } = store;
      return showStory(view, { pull, ...found, runs, readiness, edited, conflicts, project });
    },
  );

/** Undefined if there is none: the id may be an epic's. */
async function findStory(store: Store, id: string): Promise<StoryView<StoryRecord> | undefined> {
  try {
    return await store.viewStory(id);
  } catch (error) {
    if (error instanceof SagaError && error.code === "not-found") return undefined;
    throw error;
  }
}

interface StoryFacts {
  readonly pull: PullRequest | undefined;
  readonly runs: readonly Run[];
  readonly receipts: readonly Receipt[];
  /** Receipts that do not count, and why. */
  readonly warnings: readonly string[];
  /** Undefined before the story has a branch, and after it is merged. */
  readonly readiness: CurrentReadiness | undefined;
  readonly edited: EditedCopy | undefined;
  /** What a merge would meet. */
  readonly conflicts: readonly ConflictAhead[];
  readonly project: string;
}

function showStory(view: StoryView<StoryRecord>, found: StoryFacts): CommandResult {
  const { pull, runs, receipts, warnings, readiness, edited, conflicts, project } = found;
  const unverified = unverifiedTasks(view.record, receipts);
  const weakened = readiness?.weakened ?? [];
  const attention = attentionTo(view, weakened);
  return {
    json: {
      ...storyDetailJson(view, weakened),
      pullRequest: pull,
      runs,
      receipts,
      claimed: unverified,
      warnings,
      missing: readiness?.missing,
      objections: readiness?.mergeBlockers,
      edited,
      conflicts,
    },
    text: (paint) => {
      const { story, tasks, source, folder } = view.record;
      return [
        `${stateMark(view.state, paint)} ${paint("bold", plain(story.title))}  ${stateName(view.state, paint, 0, shownWord(view.state, attention?.kind))}`,
        ...facts(
          [
            ["Story", story.id],
            ["Epic", view.isEpicBroken ? `${view.epicId} (its file is invalid)` : view.epicId],
            ["Waits for", view.waitsFor.join(", ")],
            ["Priority", String(story.priority)],
            ["Labels", story.labels.join(", ")],
            ["Branch", story.branch],
            ["Pull request", describePullRequest(story.pr, pull)],
            ["Worker", view.lease?.life === "alive" ? view.lease.record.owner : undefined],
            ["Gate", gateText(view, receipts, readiness)],
            ["Push", pushText(view)],
            ...conflictFacts(conflicts, story.id),
            ["Not counted", warnings.join(" ")],
            [
              "Not verified",
              unverified.length > 0
                ? `${unverified.join(", ")} (completed, but the gate has not run)`
                : undefined,
            ],
            ["Edited", edited && `${editedSentence(edited, project)} ${EDITED_ADVICE}`],
            ["Files", source === "project" ? folder : `${folder} (${source})`],
          ],
          paint,
        ),
        ...section("Description", story.description, paint),
        ...section("Guidance", story.guidance, paint),
        ...section("Done when", story.doneWhen, paint),
        ...section("Avoid", story.avoid, paint),
        ...section("Checks", story.checks.join("\n"), paint),
        ...section("Writes only", story.writeFiles?.join("\n"), paint),
        ...(view.state === "completed" ? [] : failedChecks(receipts)).flatMap((receipt) =>
          section(
            `Failed: ${plain(receipt.command ?? "")} (${receipt.how})`,
            outputOf(receipt),
            paint,
          ),
        ),
        ...view.openBlockers.flatMap(({ blocker, title, body }) =>
          section(`Open blocker ${blocker}`, [title, body].filter(Boolean).join("\n"), paint),
        ),
        "",
        paint(
          "bold",
          tasks.length === 0 ? "No tasks: it runs as one task" : count(tasks.length, "task"),
        ),
        ...taskRows(tasks, view.state, paint),
        ...runRows(runs, paint),
        ...nextSteps(view, attention, paint),
        "",
      ].join("\n");
    },
  };
}

const outputOf = (receipt: Receipt): string => outputEnd(receipt) || "(no output)";

/** Of a merged story, what its receipts say counts. */
const asJudged = (story: Story): Requirements => ({ ...story, weakened: "as-judged" });

/** Receipts of earlier code say nothing about an unmerged story whose branch cannot be read. */
function gateText(
  { state, record: { story } }: StoryView,
  receipts: readonly Receipt[],
  readiness: CurrentReadiness | undefined,
): string | undefined {
  if (readiness !== undefined) return gateLine(receipts, readiness.required, readiness.tree);
  if (state === "completed") return gateLine(receipts, asJudged(story));
  return receipts.length > 0 ? "unknown: the story's branch cannot be read" : undefined;
}

/** What a person can do about a story that was started and has no worker. */
function nextSteps(view: StoryView, attention: Attention | undefined, paint: Paint): string[] {
  if (attention?.section !== "continue" && attention?.kind !== "failed") return [];
  const { id } = view.record;
  const resume = attention.kind === "failed" ? `, continue it: \`saga resume ${id}\`,` : "";
  const sentence = `${attention.text} Next: \`${attention.next}\`${resume} or give the work up: \`saga discard ${id}\``;
  return ["", paint("dim", plain(sentence))];
}

/** Completed tasks without a passed receipt of their own or of the whole story. */
function unverifiedTasks({ tasks }: StoryRecord, receipts: readonly Receipt[]): string[] {
  const isStoryVerified = receipts.some(({ gate, isPassed }) => gate === "diff" && isPassed);
  const verified = new Set(receipts.flatMap(({ task, isPassed }) => (isPassed && task) || []));
  return tasks
    .filter(({ id, status }) => status === "completed" && !isStoryVerified && !verified.has(id))
    .map(({ id }) => id);
}

const pushText = ({ lastRun: { pushError }, record: { id } }: StoryView): string | undefined =>
  pushError === undefined
    ? undefined
    : `failed: ${pushError} Try again: \`${nextFor("push-failed", id)}\``;

/** `--json` has all of them. */
const MAX_CONFLICTS = 5;

function conflictFacts(conflicts: readonly ConflictAhead[], storyId: string): [string, string][] {
  const more = conflicts.length - MAX_CONFLICTS;
  return [
    ...conflicts.slice(0, MAX_CONFLICTS).map((conflict): [string, string] => {
      const { sides, files, advice } = conflictWords(conflict, { from: storyId });
      return ["Conflict", `${sides}, in ${files}. ${advice}`];
    }),
    ...(more > 0 ? [["", `and ${more} more: \`saga status\``] satisfies [string, string]] : []),
  ];
}

/** Outcomes that are shown with their reason. */
const OUTCOMES_WITH_REASON: ReadonlySet<Run["outcome"]> = new Set([
  "failed",
  "limit",
  "push-failed",
]);

/** `--json` has all of them. */
const MAX_RUNS = 5;

function runRows(runs: readonly Run[], paint: Paint): string[] {
  if (runs.length === 0) return [];
  const rows = runs.slice(0, MAX_RUNS).map(({ id, outcome, cycles, worker, reason, ...run }) => [
    `  ${id}`,
    outcome ?? (hasRunEnded({ worker, ...run }) ? "killed" : "running"),
    // A person's decision has no duration or cost; its reason says more.
    ...(worker === undefined && reason !== undefined
      ? ["", "", "", plain(reason)]
      : [
          count(cycles, "agent run"),
          lasted({ worker, ...run }),
          usd(run.costUsd, run.costIsEstimate),
          OUTCOMES_WITH_REASON.has(outcome) ? plain(reason ?? "") : "",
        ]),
  ]);
  return ["", paint("bold", count(runs.length, "run")), ...columns(rows)];
}

/** Empty for a killed worker's run, whose end is not recorded yet. */
function lasted(run: Pick<Run, "startedAt" | "endedAt" | "worker">): string {
  if (run.endedAt === undefined && hasRunEnded(run)) return "";
  return duration(Date.parse(run.endedAt ?? new Date().toISOString()) - Date.parse(run.startedAt));
}

function taskRows(tasks: readonly Task[], story: StoryState, paint: Paint): string[] {
  const states = taskStates(tasks, story);
  const width = Math.max(...tasks.map((task) => task.id.length));
  return tasks.map((task) => {
    const state = states.get(task.id) ?? "ready";
    const after =
      task.blockedBy.length > 0 ? paint("dim", `  (after ${task.blockedBy.join(", ")})`) : "";
    const name = stateName(state, paint, STATE_WIDTH);
    return `  ${stateMark(state, paint)} ${task.id.padEnd(width)}  ${name}  ${plain(task.subject)}${after}`;
  });
}
