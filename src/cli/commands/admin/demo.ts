import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireClaude } from "../../start/require-startable.ts";
import { playDemo, type DemoResult } from "../../../rehearsal/demo.ts";
import type { RunEvent } from "../../../story/state/run.ts";
import type { Build } from "../../program/command.ts";
import { logLine } from "../../output/event-lines.ts";
import { columns, indent, painter, plain, type Paint } from "../../output/terminal.ts";
import { pullRequestName } from "../../../text/pull-request-name.ts";

interface Options {
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** Tool calls are left out: they would hide the important events. */
const SHOWN: ReadonlySet<string> = new Set([
  "step.done",
  "task.changed",
  "task.refused",
  "task.committed",
  "journal",
  "warning",
  "run.ended",
]);

const COLOURS = ["cyan", "magenta", "yellow", "blue"] as const;

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "demo",
        "Build a small shop from four stories, with the real Claude Code and a scripted model.",
        ["saga demo", "saga demo --keep     keep the project to look around"],
      )
      .option("--keep", "keep the project"),
    async ({ io }, _, { keep = false, json = false }: Options) => {
      requireClaude({ claude: {} }, io, io.cwd);
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "saga-demo-")));
      const paint = painter(io.hasColour);
      const print = (text: string): void => {
        if (!json) io.writeOut(text);
      };
      const from = Date.now();
      try {
        print(introduction(paint));
        const result = await playDemo({
          folder,
          env: { ...io.env, SAGA_SESSION_DIR: join(folder, "sessions") },
          program: io.program,
          printLine: (text) => print(`${paint("bold", text)}\n`),
          show: (storyId, event) => print(line(storyId, event, paint)),
          stop: io.untilStopped(),
        });
        const seconds = (Date.now() - from) / 1000;
        return {
          json: { ...result, seconds, isKept: keep },
          text: () => summary(result, seconds, keep, paint),
        };
      } finally {
        if (!keep) rmSync(folder, { recursive: true, force: true });
      }
    },
  );

const introduction = (paint: Paint): string =>
  [
    paint("bold", "Saga runs coding agents on real work and loses none of it."),
    "",
    "This demo builds a small shop: one epic, four stories. Each story gets a worktree, a branch, a tmux",
    "session and a pull request; the real Claude Code works through its tasks. Only the model is scripted,",
    "so no account is needed and nothing is spent.",
    "",
    "    catalogue ──┬── cart ────┬── checkout",
    "                └── search ──┘",
    "",
    "",
  ].join("\n");

function line(storyId: string, event: RunEvent, paint: Paint): string {
  if (!SHOWN.has(event.type)) return "";
  const name = storyId.replace("shop--", "").padEnd(10);
  const colour = COLOURS[storyId.length % COLOURS.length] ?? "cyan";
  const [first = ""] = logLine(event, paint).split("\n");
  // The lines below a colon are left out.
  return `${paint(colour, name)} ${first.replace(/:$/, "")}\n`;
}

function summary(
  { stories, history, project }: DemoResult,
  seconds: number,
  isKept: boolean,
  paint: Paint,
): string {
  const rows = stories.map(({ id, tasks, pullRequest, seconds: took, costUsd }) => [
    id,
    String(tasks),
    pullRequestName(pullRequest),
    `${took.toFixed(1)} s`,
    `$${costUsd.toFixed(4)}`,
  ]);
  const head = ["STORY", "TASKS", "PULL REQUEST", "TOOK", "WOULD HAVE COST"];
  const [first = "", ...lines] = columns([head, ...rows]);
  return [
    "",
    paint("bold", "The default branch now, with one commit per task:"),
    indent(history),
    "",
    paint("dim", first),
    ...lines,
    "",
    paint("green", `Four stories, from plan to merged, in ${seconds.toFixed(0)} s.`),
    isKept
      ? `The project is in ${plain(project)}: look around with \`saga list\` and \`git log\`.`
      : "The project was deleted; `saga demo --keep` keeps it. Start your own with `saga init`.",
    "",
  ].join("\n");
}
