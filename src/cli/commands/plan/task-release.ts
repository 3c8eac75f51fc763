// `saga task release`: returns a task to the list, with an answer if it asked for one.

import { requireOwned } from "../../../tasks/list-owner.ts";
import { SagaError } from "../../../errors.ts";
import { findArrival, type Arrival } from "../../../pool/result/merged-task.ts";
import { releaseTask, type ReleaseResult } from "../../../pool/list/release-task.ts";
import { findPoolTarget } from "../../../pool/task/prepare-worktree.ts";
import { findRepository } from "../../../repo/repository.ts";
import type { ClaudeCodeTask } from "../../../claude/tasks/format.ts";
import type { CommandResult, CommandContext } from "../../program/command.ts";
import { plain } from "../../output/terminal.ts";
import type { ProjectList } from "./task.ts";

export interface ReleaseOptions {
  readonly answer?: string;
  readonly force?: boolean;
}

export async function release(
  context: CommandContext,
  place: ProjectList,
  [id = ""]: string[],
  options: ReleaseOptions,
): Promise<CommandResult> {
  const released = await releaseTask(place.list, id, {
    answer: await answerOf(context, options.answer),
    isForced: options.force ?? false,
    findArrival: (task) => arrivalOf(context, place.listId, task),
  });
  requireOwned(place, place.project);
  return {
    json: { list: place.listId, id, ...released },
    text: () => `${plain(sentence(id, released))}\n`,
  };
}

async function answerOf(
  { io }: CommandContext,
  option: string | undefined,
): Promise<string | undefined> {
  if (option === undefined) return undefined;
  const text = (option === "-" ? await io.readInput() : option).trim();
  if (text !== "") return text;
  throw new SagaError("usage", "The answer is empty.", {
    hint: 'Write it as `saga task release <task-id> --answer "…"`.',
  });
}

/** Undefined if the task has no run: then nothing can have been merged. */
async function arrivalOf(
  { io, openProject }: CommandContext,
  list: string,
  task: ClaudeCodeTask,
): Promise<Arrival | undefined> {
  const saga = task.metadata?.["saga"];
  if (typeof saga !== "object" || saga === null || !("run" in saga)) return undefined;
  const store = openProject();
  const repository = await findRepository(store.project, io.env);
  const [settings, { env }] = [await store.settings(), io];
  const target = await findPoolTarget(repository, { settings, env, now: Date.now });
  return findArrival({ list, store, settings, repository, target, env }, task);
}

function sentence(id: string, released: ReleaseResult): string {
  switch (released.kind) {
    case "released":
      return released.from === undefined
        ? `Released task ${id}.`
        : `Released task ${id} from ${released.from}.`;
    case "completed":
      return `Task ${id} is completed: its worker had merged it as ${released.commit.slice(0, 12)} before it died.`;
    case "nothing":
      return `Nothing to release: task ${id} is neither on hold nor claimed.`;
  }
}
