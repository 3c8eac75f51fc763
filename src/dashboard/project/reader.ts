// Reads again what has changed, and puts on show what that can have touched.

import type { Context } from "../../context.ts";
import { configuredList, type ListLocation } from "../../tasks/location.ts";
import { storyOfLease } from "../../store/leases/lease-names.ts";
import { newBoard } from "./publish.ts";
import type { LogSubject } from "./debounce.ts";
import type { LiveEntities } from "./entities.ts";
import { rangeFacts, type Memory } from "./cache.ts";
import { newPoolView, type PoolView } from "../views/pool-view.ts";
import { readSessions } from "../views/sessions.ts";
import type { GitAround } from "../views/story-range.ts";
import { readWeakened } from "../views/story-readiness.ts";
import type { Subject } from "./change.ts";

export interface Reader {
  readonly pool: PoolView;
  readonly readAll: () => Promise<void>;
  readonly readSubjects: (subjects: readonly Subject[]) => Promise<void>;
  /** The last action of runs whose log has grown. */
  readonly readActions: (logs: readonly LogSubject[]) => void;
  /** What no file tells: sessions that came or went, and workers that died. */
  readonly readMachine: () => Promise<void>;
  readonly showTarget: (branch: string | undefined) => void;
  /** After a change that only git and Saga's notes on epics tell of. */
  readonly showEpics: () => Promise<void>;
}

export interface ReaderAround extends Pick<Context, "store" | "env" | "now"> {
  readonly memory: Memory;
  readonly live: LiveEntities;
}

export function newReader({ store, env, now, memory, live }: ReaderAround): Reader {
  let target: string | undefined;
  let list: ListLocation | undefined;
  const board = newBoard(memory, live, { project: store.project, now, target: () => target });
  const pool = newPoolView(store.project, () => list);

  const readSettings = async (): Promise<void> => {
    // What is wrong with them is `saga validate`'s to say; without them there is only less to show.
    const settings = await store.settings().catch(() => undefined);
    list = configuredList(settings, { project: store.project, env });
  };
  /** Those that changed hands: a worker that lives says so every few seconds, and nothing is new. */
  const readLeases = async (names: Iterable<string>): Promise<string[]> => {
    const changed: string[] = [];
    for (const name of names) if (await memory.readLease(name)) changed.push(name);
    return changed;
  };
  /** Of stories that wait for a review: what was weakened then would refuse their merge. */
  const readWeakenedOf = async (ids: Iterable<string>): Promise<void> => {
    for (const id of ids) {
      const record = memory.facts(id)?.record;
      const isDone = record?.source === "worktree" && record.story.status === "completed";
      const found = isDone ? await weakenedOf({ store, env, now }, memory, id) : [];
      memory.noteWeakened(id, found);
    }
  };
  const showPool = async (): Promise<void> => live.putAll("pool", await pool.read());

  return {
    pool,
    showTarget(branch) {
      target = branch;
      board.show([]);
    },
    async showEpics() {
      board.show([]);
    },
    async readAll() {
      await readSettings();
      await memory.readEpics();
      await memory.readAllLeases();
      await memory.readAllRuns();
      memory.readLegacy();
      await memory.readAllStories();
      await readWeakenedOf(memory.storyIds());
      board.showAll();
      await showPool();
    },
    async readSubjects(subjects) {
      const todo = whatToRead(subjects);
      const ids = todo.hasNames
        ? [...todo.stories, ...(await memory.readNames())]
        : [...todo.stories];
      const leases = await readLeases(todo.leases);
      const touched = new Set([...ids, ...todo.runs, ...storiesOf(leases)]);
      const before = completedAmong(memory, touched);
      for (const id of todo.runs) await memory.readRuns(id);
      await memory.readStories(ids);
      if (todo.hasEpics) await memory.readEpics();
      await readWeakenedOf(ids);
      if (todo.hasLegacy) memory.readLegacy();
      if (todo.hasSettings) await readSettings();
      if (todo.hasPool || todo.hasSettings) await showPool();
      if (todo.hasEpics || todo.hasLegacy) return board.showAll();
      // One that was completed, or is not any more: then others wait for less, or for more.
      const isSame = completedAmong(memory, touched) === before;
      board.show(isSame ? touched : withSiblings(memory, touched));
    },
    readActions(logs) {
      for (const { story, run } of logs) {
        if (memory.runs.readLog(story, run)) memory.renew(story);
      }
      board.show(logs.map(({ story }) => story));
    },
    async readMachine() {
      const changed = await readLeases(memory.heldLeases());
      if (changed.length > 0) board.show(storiesOf(changed));
      if (pool.isLively()) await showPool();
      // Last: a tmux that does not answer keeps nothing else from being seen.
      live.putAll("sessions", await readSessions(env, store.project));
    },
  };
}

interface ToRead {
  readonly stories: ReadonlySet<string>;
  readonly runs: ReadonlySet<string>;
  readonly leases: ReadonlySet<string>;
  readonly hasNames: boolean;
  readonly hasEpics: boolean;
  readonly hasLegacy: boolean;
  readonly hasPool: boolean;
  readonly hasSettings: boolean;
}

function whatToRead(subjects: readonly Subject[]): ToRead {
  const [stories, runs, leases] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const subject of subjects) {
    if (subject.kind === "story") stories.add(subject.id);
    else if (subject.kind === "runs") runs.add(subject.story);
    else if (subject.kind === "lease") leases.add(subject.name);
  }
  const has = (kind: Subject["kind"]): boolean => subjects.some((one) => one.kind === kind);
  return {
    stories,
    runs,
    leases,
    hasNames: has("names"),
    hasEpics: has("epics"),
    hasLegacy: has("legacy"),
    hasPool: has("pool"),
    hasSettings: has("settings"),
  };
}

/** Nothing where git or its files cannot tell: its own page says what is wrong. */
async function weakenedOf(
  around: GitAround,
  memory: Memory,
  id: string,
): Promise<readonly string[]> {
  try {
    const record = await around.store.readStory(id);
    return await readWeakened(around, record, rangeFacts(memory, id).epic);
  } catch {
    return [];
  }
}

const storiesOf = (leases: Iterable<string>): string[] =>
  [...leases].flatMap((name) => storyOfLease(name) ?? []);

const completedAmong = (memory: Memory, ids: ReadonlySet<string>): string =>
  [...ids].filter(memory.isCompleted).join(" ");

function withSiblings(memory: Memory, ids: ReadonlySet<string>): Set<string> {
  const all = new Set(ids);
  for (const { children } of memory.epics().values()) {
    if (children.some(({ id }) => ids.has(id))) for (const { id } of children) all.add(id);
  }
  return all;
}
