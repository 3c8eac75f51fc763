import { resolve } from "node:path";
import { SagaError } from "../../../errors.ts";
import { readGivenIfThere } from "../../../machine/files/files.ts";
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
import { requireClaude } from "../../start/startable.ts";

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
        "Split a task that is too large. What is there of it is committed first; the new tasks take its place.",
        [
          "saga split add-login form                         Claude Code proposes how",
          'saga split add-login form --why "It does two things."',
          'saga split add-login form --plan parts.json       as you say: { "tasks": [ … ] }',
          "saga split add-login form --plan - < parts.json",
        ],
      )
      .argument("<story>", "the story that it belongs to; nobody may be working on it")
      .argument("<task>", "the task to split")
      .option("--why <text>", "why it is split, for whoever proposes and for the journal")
      .option(
        "--plan <file>",
        "the new tasks as JSON, instead of a proposal; - reads standard input",
      ),
    async (context, [givenStory = "", givenTask = ""], options: Options) => {
      const storyId = requireId("story", givenStory);
      const task = requireId("task", givenTask);
      const store = context.openProject();
      await requireTask(store, storyId, task);
      const plan = await readPlan(context, options.plan);
      const before = await splitBefore(store, { storyId, task, plan });
      const reason = options.why?.trim() || "A person wants it in smaller pieces.";
      const done =
        before ?? (await carryOut(context, store, { storyId, task, reason, plan, options }));
      if (done.kind !== "split") throw notSplit(storyId, task, done);
      const { into, finished } = done;
      const rest = finished ? `What was there of ${task} is committed; the rest of it` : task;
      return {
        json: { story: storyId, task, into, finished },
        text: () => `${rest} is now ${into.join(", ")}. Go on with \`saga run ${storyId}\`.\n`,
      };
    },
  );

/** Before the plan is read: whatever is wrong with that, it is not for this task. */
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
  const name = file === "-" ? "<stdin>" : resolve(context.cwd, file);
  const text = file === "-" ? await context.io.readInput() : readGivenIfThere(name);
  if (text === undefined) {
    throw new SagaError("not-found", `There is no file ${name}.`, {
      hint: "Name the plan, or pipe it in with `--plan -`.",
    });
  }
  const json = parseJson(name, text);
  if (json.problem) throw notAPlan([json.problem]);
  const isList = Array.isArray(json.value);
  const { proposal, problems } = parseProposal(json.value, ownProposalSchema);
  if (problems) throw notAPlan(located({ name, text, isList }, problems));
  return { name, text, isList, proposal };
}

/** Judged before anything is touched. An answer when just this was done already. */
async function splitBefore(
  store: Store,
  { storyId, task, plan }: Request,
): Promise<Done | undefined> {
  const { status } = await requireTask(store, storyId, task);
  if (plan) {
    const { taskFields } = await store.readStory(storyId);
    const { size: ceiling } = await store.settings();
    const split = splitTask(taskFields, task, plan.proposal, { finished: false, ceiling });
    if (split.kind === "refused") throw notAPlan(located(plan, split.problems));
    const { into, files } = split;
    return files.length > 0 ? undefined : { kind: "split", into, finished: !into.includes(task) };
  }
  if (status !== "completed") return undefined;
  throw new SagaError("not-ready", `The task ${task} of ${storyId} is completed.`, {
    hint: "Only a task that is not completed can be split.",
  });
}

type Done = Pick<Extract<SplitOutcome, { kind: "split" }>, "kind" | "into" | "finished">;

async function carryOut(
  { io }: CommandContext,
  store: Store,
  { storyId, task, reason, plan, options }: Request & { reason: string; options: Options },
): Promise<SplitOutcome> {
  io.continueOnFault();
  const settings = await store.settings();
  const paint = painter(io.hasErrorColour);
  const limits = limitsOf({}, settings);
  return splitByHand(
    { storyId, ...limits, session: undefined, outputFile: undefined },
    {
      store,
      env: io.env,
      claude: plan ? "" : requireClaude(settings, io, store.project),
      sessionDir: sessionFolderPath(io.env),
      now: Date.now,
      print: (event) => {
        if (!options.json) io.writeError(logLine(event, paint));
      },
      stop: io.untilStopped(),
      // Nothing of it goes on by itself.
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
    `The task ${task} of ${storyId} is not split. ${whyNot(done)}`,
    {
      hint: `Say how: \`saga split ${storyId} ${task} --plan <file>\`.`,
    },
  );
}

function whyNot(done: Exclude<SplitOutcome, { kind: "split" }>): string {
  switch (done.kind) {
    case "failed":
      return done.problems.join(" ");
    case "limit":
      return done.reason;
    case "stopped":
      return "It was stopped.";
  }
}

/** A bare list has no `tasks` around it. */
const located = (
  { name, text, isList }: Omit<Plan, "proposal">,
  problems: readonly FieldProblem[],
) =>
  locate(
    name,
    text,
    problems.map((problem) => (isList ? { ...problem, path: problem.path.slice(1) } : problem)),
  );

const notAPlan = (problems: SagaError["problems"]): SagaError =>
  new SagaError("bad-plan", "Nothing was written, because the plan is not valid:", {
    problems,
    hint: "Each new task has id, subject, description, writeFiles, estimatedLines, and blockedBy where one comes after another.",
  });
