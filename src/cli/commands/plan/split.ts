import { SagaError } from "../../../errors.ts";
import { locate, parseJson } from "../../../store/project/document.ts";
import { sessionFolderPath } from "../../../store/project/session-folder.ts";
import type { Store } from "../../../store/store.ts";
import type { FieldProblem } from "../../../story/definition/explain-error.ts";
import { requireId } from "../../../story/definition/names.ts";
import {
  ownProposalSchema,
  parseProposal,
  type Proposal,
} from "../../../story/plan/split-proposal.ts";
import { splitTask } from "../../../story/plan/split.ts";
import type { Task } from "../../../story/definition/task.ts";
import type { SplitOutcome } from "../../../worker/split/split-task.ts";
import { splitByHand } from "../../../worker/split/split-by-hand.ts";
import type { Build, CommandContext } from "../../program/command.ts";
import { logLine } from "../../output/event-lines.ts";
import { painter } from "../../output/terminal.ts";
import { limitsOf } from "../../start/run-options.ts";
import { requireAgent } from "../../start/require-startable.ts";
import { readPlanText } from "../../start/apply-plan.ts";
import { claudeAgent } from "../../../claude/agent.ts";

interface Options {
  readonly why?: string;
  readonly plan?: string;
  readonly json?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "split",
        "Split a task that is too large. Its existing work is committed; new tasks replace it.",
        [
          "saga split add-login form                         Claude Code proposes the new tasks",
          'saga split add-login form --why "It does two things."',
          'saga split add-login form --plan parts.json       your own tasks: { "tasks": [ … ] }',
          "saga split add-login form --plan - < parts.json",
        ],
      )
      .argument("<story>", "the task's story; it must not be running")
      .argument("<task>", "the task to split")
      .option("--why <text>", "the reason, for the proposal and the journal")
      .option(
        "--plan <file>",
        "the new tasks as JSON, instead of a proposal; - reads standard input",
      ),
    async (context, [storyWord = "", taskWord = ""], options: Options) => {
      const storyId = requireId("story", storyWord);
      const task = requireId("task", taskWord);
      const store = context.openProject();
      await requireTask(store, storyId, task);
      const plan = await readPlan(context, options.plan);
      const before = await findEarlierSplit(store, { storyId, task, plan });
      const reason = options.why?.trim() || "A person asked for smaller tasks.";
      const done =
        before ?? (await performSplit(context, store, { storyId, task, reason, plan, options }));
      if (done.kind !== "split") throw notSplit(storyId, task, done);
      const { into, finished } = done;
      const rest = finished ? `The existing work on ${task} is committed; the rest` : task;
      return {
        json: { story: storyId, task, into, finished },
        text: () => `${rest} is now ${into.join(", ")}. Continue: \`saga run ${storyId}\`\n`,
      };
    },
  );

/** Checked before the plan is read, because an unknown task matters more than an invalid plan. */
async function requireTask(store: Store, storyId: string, task: string): Promise<Task> {
  const { tasks } = await store.readStory(storyId);
  const found = tasks.find(({ id }) => id === task);
  if (found) return found;
  throw new SagaError("not-found", `The story ${storyId} has no task ${task}.`, {
    hint: `\`saga show ${storyId}\` lists its tasks.`,
  });
}

interface Plan {
  readonly name: string;
  readonly text: string;
  readonly isList: boolean;
  readonly proposal: Proposal;
}

interface Request {
  readonly storyId: string;
  readonly task: string;
  readonly plan: Plan | undefined;
}

async function readPlan(
  context: CommandContext,
  file: string | undefined,
): Promise<Plan | undefined> {
  if (file === undefined) return undefined;
  const hint = "Name the plan, or pipe it in with `--plan -`.";
  const { name, text } = await readPlanText(context, file, hint);
  const json = parseJson(name, text);
  if (json.problem) throw invalidPlan([json.problem]);
  const isList = Array.isArray(json.value);
  const { proposal, problems } = parseProposal(json.value, ownProposalSchema);
  if (problems) throw invalidPlan(located({ name, text, isList }, problems));
  return { name, text, isList, proposal };
}

/** Checks the request before anything is changed. Returns the result if exactly this split was done before. */
async function findEarlierSplit(
  store: Store,
  { storyId, task, plan }: Request,
): Promise<CompletedSplit | undefined> {
  const { status } = await requireTask(store, storyId, task);
  if (plan) {
    const { taskFields } = await store.readStory(storyId);
    const { size: ceiling } = await store.settings();
    const split = splitTask(taskFields, task, plan.proposal, { finished: false, ceiling });
    if (split.kind === "refused") throw invalidPlan(located(plan, split.problems));
    const { into, files } = split;
    return files.length > 0 ? undefined : { kind: "split", into, finished: !into.includes(task) };
  }
  if (status !== "completed") return undefined;
  throw new SagaError("not-ready", `The task ${task} of ${storyId} is completed.`, {
    hint: "Only an unfinished task can be split.",
  });
}

type CompletedSplit = Pick<Extract<SplitOutcome, { kind: "split" }>, "kind" | "into" | "finished">;

async function performSplit(
  { io }: CommandContext,
  store: Store,
  { storyId, task, reason, plan, options }: Request & { reason: string; options: Options },
): Promise<SplitOutcome> {
  io.continueOnError();
  const settings = await store.settings();
  const paint = painter(io.hasErrorColour);
  const limits = limitsOf({}, settings);
  return splitByHand(
    { storyId, ...limits, session: undefined, outputFile: undefined },
    {
      store,
      settings,
      env: io.env,
      // With a plan, no agent is run.
      agent: plan ? claudeAgent("") : requireAgent(settings, io, store.project),
      sessionDir: sessionFolderPath(io.env),
      now: Date.now,
      print: (event) => {
        if (!options.json) io.writeError(logLine(event, paint));
      },
      stop: io.untilStopped(),
      // A stopped split is never resumed automatically.
      isStopWanted: () => true,
    },
    { task, reason, proposal: plan?.proposal },
  );
}

function notSplit(
  storyId: string,
  task: string,
  done: Exclude<SplitOutcome, { kind: "split" }>,
): SagaError {
  return new SagaError(
    "not-ready",
    `The task ${task} of ${storyId} was not split. ${failureText(done)}`,
    {
      hint: `Write the new tasks yourself: \`saga split ${storyId} ${task} --plan <file>\`.`,
    },
  );
}

function failureText(done: Exclude<SplitOutcome, { kind: "split" }>): string {
  switch (done.kind) {
    case "failed":
      return done.problems.join(" ");
    case "limit":
      return done.reason;
    case "stopped":
      return "The split was stopped.";
  }
}

/** In a bare list, the paths have no leading `tasks`. */
const located = (
  { name, text, isList }: Omit<Plan, "proposal">,
  problems: readonly FieldProblem[],
) =>
  locate(
    name,
    text,
    problems.map((problem) => (isList ? { ...problem, path: problem.path.slice(1) } : problem)),
  );

const invalidPlan = (problems: SagaError["problems"]): SagaError =>
  new SagaError("bad-plan", "Nothing was written: the plan is invalid.", {
    problems,
    hint: "Each new task needs id, subject, description, writeFiles, estimatedLines, and blockedBy if it depends on another.",
  });
