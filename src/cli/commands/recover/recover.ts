import { findRepository, type Repository } from "../../../repo/repository.ts";
import { messageOf } from "../../../errors.ts";
import {
  readInFlight,
  type InFlight,
  type InFlightReport,
  type RunInFlight,
} from "../../../recover/in-flight.ts";
import type { Store } from "../../../store/store.ts";
import { nextFor } from "../../../story/state/attention.ts";
import { count } from "../../../text/plural.ts";
import { duration } from "../../../text/duration.ts";
import type { Build, CommandContext } from "../../program/command.ts";
import { plain, stateMark, stateName, type Paint } from "../../output/terminal.ts";
import { resumedLine, resumeOne, type ResumedStory } from "../../start/resume-story.ts";
import { notifyOfKilled, type KilledRun } from "../../watch/notify.ts";

export const build: Build = (builder) =>
  builder.action(
    builder.command(
      "recover",
      "List unfinished stories that have no worker, with the commands to resume or discard each.",
      ["saga recover", "saga recover --json"],
    ),
    async (context) => {
      const { io, openProject } = context;
      const store = openProject();
      const problems: string[] = [];
      const repository = await findRepository(store.project, io.env).catch(
        (error: unknown): Repository | undefined => {
          problems.push(messageOf(error));
          return undefined;
        },
      );
      const found = await readInFlight(store, repository, { env: io.env });
      const report = { ...found, problems: [...problems, ...found.problems] };
      const killed = report.stories.filter(wasKilled);
      const resumed = (await mayResume(store)) ? await resumeAll(context, killed) : [];
      const isResumed = (id: string): boolean =>
        resumed.some(({ story, why }) => story === id && why === undefined);
      const needsYou = killed.filter(({ storyId }) => !isResumed(storyId));
      await notifyOfKilled({ io, store }, needsYou.flatMap(killedRun));
      return {
        json: { ...reportJson(report), resumed },
        text: (paint) =>
          [
            render(report, paint, Date.now()),
            ...(resumed.length > 0 ? ["\n"] : []),
            ...resumed.map((one) => `${resumedLine(one, paint)}\n`),
          ].join(""),
      };
    },
  );

/** Killed during a run, as opposed to stopped by a person or by a limit. */
const wasKilled = ({ state, lastRun }: InFlight): boolean =>
  state === "killed" && lastRun !== undefined && (!lastRun.hasEnded || lastRun.isCutOff);

/** False if the settings cannot be read; that is reported already. */
const mayResume = (store: Store): Promise<boolean> =>
  store.settings().then(
    ({ recover }) => recover.resume,
    () => false,
  );

async function resumeAll(
  context: CommandContext,
  stories: readonly InFlight[],
): Promise<ResumedStory[]> {
  const resumed: ResumedStory[] = [];
  for (const one of stories) resumed.push(await resumeOne(context, one, {}));
  return resumed;
}

const killedRun = ({ storyId, title, lastRun }: InFlight): KilledRun[] =>
  lastRun ? [{ story: { id: storyId, title }, runId: lastRun.id }] : [];

/** Problems are called faults here: the names in `--json` stay. */
const reportJson = ({ stories, problems: faults }: InFlightReport) => ({
  inFlight: stories.map(({ storyId }) => storyId),
  stories: stories.map(({ problems, ...story }) => {
    const { storyId, ...facts } = story;
    return { story: storyId, ...facts, faults: problems, answers: answersOf(story) };
  }),
  faults,
});

/** A story with an open question is not resumed before it is answered. */
const answersOf = ({ storyId, state }: Pick<InFlight, "storyId" | "state">) => ({
  ...(state === "blocked"
    ? { answer: nextFor("question", storyId) }
    : { resume: `saga resume ${storyId}` }),
  discard: `saga discard ${storyId}`,
});

function render({ stories, problems }: InFlightReport, paint: Paint, nowMs: number): string {
  const wrong = problems.map((problem) => paint("yellow", plain(problem)));
  if (stories.length === 0) return `${["No unfinished stories.", ...wrong].join("\n")}\n`;
  const blocks = stories.map((story) => renderStory(story, paint, nowMs).join("\n"));
  return `${[...blocks, ...wrong].join("\n\n")}\n`;
}

function renderStory(story: InFlight, paint: Paint, nowMs: number): string[] {
  const { storyId, title, state, branch, tasks, problems } = story;
  const answers = Object.entries(answersOf(story)).map(([name, command]) => [name, command]);
  const facts = [
    ["tasks", tasks && `${tasks.completed} of ${count(tasks.total, "task")} completed`],
    ["branch", branch.commit && `${branch.name}${aheadText(branch)}`],
    ["last run", lastRunText(story.lastRun, nowMs)],
    ["left over", leftoversText(story)],
  ];
  const row = ([name = "", value]: readonly (string | undefined)[]): string[] =>
    value ? [`  ${paint("dim", name.padEnd(10))}${plain(value)}`] : [];
  return [
    `${stateMark(state, paint)} ${paint("bold", storyId)}  ${plain(title)}  ${stateName(state, paint)}`,
    `  ${plain(story.question)}`,
    ...problems.map((problem) => `  ${paint("yellow", plain(problem))}`),
    ...facts.flatMap(row),
    ...answers.flatMap(row),
  ];
}

const aheadText = ({ commits, target }: InFlight["branch"]): string =>
  commits === undefined || target === undefined
    ? ""
    : `, ${count(commits, "commit")} ahead of ${target}`;

function lastRunText(run: RunInFlight | undefined, nowMs: number): string | undefined {
  if (run === undefined) return undefined;
  const ago = `${duration(nowMs - Date.parse(run.at))} ago`;
  const reason = run.reason === undefined ? "" : `: ${run.reason}`;
  return run.hasEnded
    ? `${run.outcome ?? "killed"} ${ago}${reason}`
    : `killed; last activity ${ago}${reason}`;
}

function leftoversText({ leftovers }: InFlight): string {
  const { processes, taskLists, snapshots } = leftovers;
  return [
    processes.length > 0 && `${count(processes.length, "process", "processes")} still running`,
    taskLists.length > 0 && count(taskLists.length, "task list"),
    snapshots.length > 0 && count(snapshots.length, "snapshot"),
  ]
    .filter(Boolean)
    .join(", ");
}
