// The pool's tasks that a person can act on: tasks that need an answer, and ready tasks without a running pool.

import { foreignOwner } from "../../tasks/list-owner.ts";
import { configuredList, shownLists } from "../../tasks/location.ts";
import type { Environment } from "../../machine/processes/environment.ts";
import { viewPoolList } from "../../pool/list/read-list.ts";
import type { DaemonView } from "../../tasks/daemon-files.ts";
import type { Store } from "../../store/store.ts";
import { attentionOfPoolTask, type PoolTaskAttention } from "../../story/state/task-attention.ts";
import { firstLine } from "../../text/one-line.ts";
import { count } from "../../text/plural.ts";
import type { NeedRow } from "./needs-you.ts";
import { short } from "./terminal.ts";

export interface PoolTaskNeed {
  readonly list: string;
  readonly task: string;
  readonly subject: string;
  readonly attention: PoolTaskAttention;
}

export interface PoolAttention {
  readonly needs: readonly PoolTaskNeed[];
  /** Number of ready tasks on lists without a running pool. */
  readonly ready: readonly { readonly list: string; readonly tasks: number }[];
}

/** Reads the list that the settings name, and the lists of running pools. */
export async function readPoolAttention(
  store: Store,
  env: Environment,
  running: readonly DaemonView[],
): Promise<PoolAttention> {
  const needs: PoolTaskNeed[] = [];
  const ready: { list: string; tasks: number }[] = [];
  // `saga validate` reports unreadable settings.
  const settings = await store.settings().catch(() => undefined);
  const own = configuredList(settings, { project: store.project, env });
  for (const { listId, list } of shownLists(own, running)) {
    // Its tasks are for the people of that repository.
    if (foreignOwner(list, store.project) !== undefined) continue;
    const { views } = await viewPoolList(list, store.project);
    for (const view of views) {
      const { id, subject } = view;
      const attention = attentionOfPoolTask(view);
      if (attention) needs.push({ list: listId, task: id, subject: subject || id, attention });
    }
    const tasks = views.filter(({ state }) => state === "ready").length;
    const isWorkedOn = running.some(({ daemon }) => daemon.list === listId);
    if (tasks > 0 && !isWorkedOn) ready.push({ list: listId, tasks });
  }
  return { needs, ready };
}

export const poolNeedRow = ({ task, subject, attention }: PoolTaskNeed): NeedRow => ({
  id: `pool task ${task}`,
  state: attention.kind === "broken" ? "failed" : "blocked",
  word: attention.kind === "broken" ? "broken" : "needs you",
  next: attention.next,
  about: [short(subject), short(firstLine(attention.text))],
});

export const poolReadyRow = ({ list, tasks }: PoolAttention["ready"][number]): NeedRow => ({
  id: `pool ${list}`,
  state: "ready",
  word: `${count(tasks, "loose task")} ready`,
  next: "saga auto",
  about: [],
});
