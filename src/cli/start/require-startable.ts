// Checks that a story can be started, before anything is.

import type { Agent } from "../../agent/agent.ts";
import { claudeAgent } from "../../claude/agent.ts";
import { findClaude } from "../../claude/find.ts";
import { claudeVersion } from "../../claude/probe.ts";
import { sandboxProblem } from "../../claude/sandbox/settings.ts";
import { isSupported, OLDEST_CLAUDE, WHY_NOT_OLDER } from "../../claude/supported.ts";
import { findLostMerge } from "../../deliver/earlier-merge.ts";
import { SagaError } from "../../errors.ts";
import { storyInUse } from "../../store/leases/in-use.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import type { StoryView } from "../../store/views/overview.ts";
import { layoutOf, promptFile } from "../../store/project/layout.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { Store } from "../../store/store.ts";
import type { Settings } from "../../story/settings/settings.ts";
import type { Io } from "../program/io.ts";

export async function requireStartable(
  store: Store,
  storyId: string,
  { env }: Io,
): Promise<StoryView> {
  // In a fleet this asks its database. Without it a worker would end at once, in a detached session.
  await store.leases.read(storyLease(storyId));
  const view = await store.viewStory(storyId);
  const refusal = whyNotStartable(view);
  // A merged story that its target has lost may run again.
  const lost = refusal && (await findLostMerge({ store, env, now: Date.now }, view));
  if (refusal && lost === undefined) throw refusal;
  const { problems } = await store.validate();
  const own = problems.filter(
    ({ file, severity }) =>
      severity === "error" &&
      (file.startsWith(`${view.record.folder}/`) || file === promptFile(layoutOf(store.project))),
  );
  if (own.length === 0) return view;
  throw new SagaError("bad-file", `Cannot start ${storyId}: its files are invalid.`, {
    hint: "Fix these problems and start it again.",
    problems: own,
  });
}

export function whyNotStartable(view: StoryView<StoryRecord>): SagaError | undefined {
  const { id } = view.record;
  const notReady = (sentence: string, hint: string): SagaError =>
    new SagaError("not-ready", sentence, { hint });
  if (view.record.source === "archive") {
    return notReady(
      `Cannot start ${id}: it is in the archive.`,
      'Create a new story for further work: `saga new story <id> -d "…"`.',
    );
  }
  switch (view.state) {
    case "running":
    case "stalled":
      return storyInUse(id, view.lease?.record.owner);
    case "waiting":
      return notReady(
        `Cannot start ${id}: it waits for ${view.waitsFor.join(", ")}.`,
        "It can start when these stories are merged. `saga status` shows what they need.",
      );
    case "pending":
      return notReady(
        `Cannot start ${id}: its epic's file is invalid, so its dependencies are unknown.`,
        "`saga validate` says what is wrong.",
      );
    case "blocked":
      return notReady(
        `Cannot start ${id}: its agent asks: ${view.openBlockers[0]?.title ?? ""}`,
        `Answer and continue: \`saga resolve ${id} "…" --run\`.`,
      );
    case "completed":
      return notReady(
        `Cannot start ${id}: it is completed and merged.`,
        'Create a new story for further work: `saga new story <id> -d "…"`.',
      );
    default:
      return undefined;
  }
}

/** What agents need on this machine, before any is started: each of them would fail on it later, unseen. */
export async function requireAgentProgram(
  settings: Settings,
  io: Pick<Io, "env">,
  project: string,
): Promise<void> {
  await requireSupportedClaude(settings, io, project);
  await requireSandbox(settings, io);
}

/** A version that is too old would complete tasks whose checks fail. An unknown version is allowed; `saga doctor` reports it. */
async function requireSupportedClaude(
  settings: Settings,
  { env }: Pick<Io, "env">,
  project: string,
): Promise<void> {
  const path = requireClaude(settings, { env }, project);
  const version = await claudeVersion(path, env);
  if (version === undefined || isSupported(version)) return;
  throw new SagaError(
    "program-failed",
    `Claude Code ${version} is not supported. ${WHY_NOT_OLDER}`,
    {
      hint: `Run \`claude update\`: ${OLDEST_CLAUDE} or newer is supported. This one is ${path}.`,
    },
  );
}

export function requireClaude(
  { claude }: { readonly claude: Partial<Pick<Settings["claude"], "path">> },
  { env }: Pick<Io, "env">,
  project: string,
): string {
  const found = findClaude(claude.path, env, project);
  if (found) return found.path;
  throw new SagaError("program-failed", "Claude Code is not installed.", {
    hint: "`saga doctor` says how to install it.",
  });
}

export const requireAgent = (...place: Parameters<typeof requireClaude>): Agent =>
  claudeAgent(requireClaude(...place));

export async function requireSandbox(
  { claude }: Settings,
  { env }: Pick<Io, "env">,
): Promise<void> {
  const problem = claude.sandbox ? await sandboxProblem(env) : undefined;
  if (!problem) return;
  throw new SagaError(
    "program-failed",
    `Claude Code's sandbox is on in the settings, but does not work here: ${problem.found}.`,
    { hint: problem.fix },
  );
}
