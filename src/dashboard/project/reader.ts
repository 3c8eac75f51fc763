// Reads changed parts of the project again, and publishes the cards they can have affected.

import type { Context } from "../../context.ts";
import { openStore } from "../../store/file-store.ts";
import { configuredList, type ListLocation } from "../../tasks/location.ts";
import { storyOfLease } from "../../store/leases/lease-names.ts";
import { newPublisher } from "./publish.ts";
import type { LogChange } from "./debounce.ts";
import type { LiveEntities } from "./entities.ts";
import { rangeFacts, type ProjectCache } from "./cache.ts";
import type { ReceiptsCache } from "./receipts-cache.ts";
import { newPoolView, type PoolView } from "../views/pool-view.ts";
import { readSessions } from "../views/sessions.ts";
import type { GitContext } from "../views/story-range.ts";
import { readReviewFacts, type ReviewFacts } from "../views/review-facts.ts";
import { isLaneLease, newLandingView } from "../landing/landing-view.ts";
import type { ProjectChange } from "../../store/views/project-change.ts";

export interface Reader {
  readonly pool: PoolView;
  readonly readAll: () => Promise<void>;
  readonly readChanges: (changes: readonly ProjectChange[]) => Promise<void>;
  /** The last action of runs whose log has grown. */
  readonly readActions: (logs: readonly LogChange[]) => void;
  /** What no file records: sessions that started or ended, and workers that died. */
  readonly readMachine: () => Promise<void>;
  readonly showTarget: (branch: string | undefined) => void;
  /** Asks git where targets are. Call `showLanes` afterwards. */
  readonly readPlace: () => Promise<void>;
  readonly showLanes: () => Promise<void>;
  /** After an epic was found to be merged: no file of the project has changed. */
  readonly showEpics: () => Promise<void>;
}

export interface ReaderDependencies extends Pick<Context, "store" | "env" | "now"> {
  readonly cache: ProjectCache;
  readonly receipts: ReceiptsCache;
  readonly entities: LiveEntities;
}

export function newReader(dependencies: ReaderDependencies): Reader {
  const { store, env, now, cache, receipts, entities } = dependencies;
  let target: string | undefined;
  let list: ListLocation | undefined;
  const publisher = newPublisher(cache, entities, {
    project: store.project,
    now,
    target: () => target,
  });
  const pool = newPoolView(store.project, () => list);
  // As this machine last saw the lanes: the fleet's database is not asked at each change.
  const landing = newLandingView({ store: openStore(store.project, now), env, now });

  const readSettings = async (): Promise<void> => {
    // `saga validate` reports problems in settings; here they only mean that there is less to show.
    const settings = await store.settings().catch(() => undefined);
    list = configuredList(settings, { project: store.project, env });
  };
  /** Returns the leases with a new state. A live worker renews its lease every few seconds, which is not one. */
  const readLeases = async (names: Iterable<string>): Promise<string[]> => {
    const changed: string[] = [];
    for (const name of names) if (await cache.readLease(name)) changed.push(name);
    return changed;
  };
  const namesOfLeases = async (): Promise<string[]> =>
    (await store.leases.list(() => undefined)).map(({ name }) => name);
  /** Only for stories in review. A weakened definition blocks their merge. */
  const readReviews = async (ids: Iterable<string>): Promise<void> => {
    for (const id of ids) {
      const record = cache.facts(id)?.record;
      const isDone = record?.source === "worktree" && record.story.status === "completed";
      const context = { store, env, now, cache, receipts };
      cache.noteReview(id, isDone ? await reviewOf(context, id) : undefined);
    }
  };
  const showLanes = async (): Promise<void> => entities.putAll("lanes", await landing.readLanes());
  /** After the stories: a story that is merged has no conflicts any more. */
  const showConflicts = (): void => entities.putAll("conflicts", landing.conflicts(hasOpenWork));
  const hasOpenWork = (id: string): boolean => {
    const story = entities.get("stories", id);
    return story !== undefined && story.isBegun && story.state !== "completed";
  };
  const showPool = async (): Promise<void> => entities.putAll("pool", await pool.read());

  return {
    pool,
    readPlace: landing.readPlace,
    showLanes,
    showTarget(branch) {
      target = branch;
      publisher.publish([]);
    },
    async showEpics() {
      publisher.publish([]);
    },
    async readAll() {
      await readSettings();
      await cache.readEpics();
      await cache.readAllLeases();
      await cache.readAllRuns();
      cache.readLegacy();
      await cache.readAllStories();
      await readReviews(cache.storyIds());
      publisher.publishAll();
      await landing.readWorks();
      showConflicts();
      await showLanes();
      await showPool();
    },
    async readChanges(changes) {
      const todo = groupChanges(changes);
      const ids = todo.hasNames
        ? [...todo.stories, ...(await cache.readNames())]
        : [...todo.stories];
      const leases = await readLeases(
        todo.hasLeases
          ? new Set([...todo.leases, ...cache.heldLeases(), ...(await namesOfLeases())])
          : todo.leases,
      );
      const touched = new Set([...ids, ...todo.runs, ...storiesOf(leases)]);
      const before = completedAmong(cache, touched);
      for (const id of todo.runs) await cache.readRuns(id);
      await cache.readStories(ids);
      if (todo.hasEpics) await cache.readEpics();
      await readReviews(ids);
      if (todo.hasLegacy) cache.readLegacy();
      if (todo.hasSettings) await readSettings();
      if (todo.hasLanes || todo.hasSettings || leases.some(isLaneLease)) await showLanes();
      if (todo.hasConflicts) await landing.readWorks();
      if (todo.hasPool || todo.hasSettings) await showPool();
      // If a story was completed or reopened, its siblings may wait for fewer or more stories.
      const isSame = completedAmong(cache, touched) === before;
      if (todo.hasEpics || todo.hasLegacy) publisher.publishAll();
      else publisher.publish(isSame ? touched : withSiblings(cache, touched));
      showConflicts();
    },
    readActions(logs) {
      for (const { story, run } of logs) {
        if (cache.runs.readLog(story, run)) cache.bumpVersion(story);
      }
      publisher.publish(logs.map(({ story }) => story));
    },
    async readMachine() {
      const changed = await readLeases(cache.heldLeases());
      if (changed.length > 0) publisher.publish(storiesOf(changed));
      if (changed.some(isLaneLease)) await showLanes();
      if (pool.isActive()) await showPool();
      // Last: a tmux that does not answer must not delay the rest.
      entities.putAll("sessions", await readSessions(env, store.project));
    },
  };
}

interface GroupedChanges {
  readonly stories: ReadonlySet<string>;
  readonly runs: ReadonlySet<string>;
  readonly leases: ReadonlySet<string>;
  readonly hasNames: boolean;
  readonly hasEpics: boolean;
  readonly hasLegacy: boolean;
  readonly hasPool: boolean;
  readonly hasSettings: boolean;
  readonly hasLanes: boolean;
  readonly hasLeases: boolean;
  readonly hasConflicts: boolean;
}

export function groupChanges(changes: readonly ProjectChange[]): GroupedChanges {
  const [stories, runs, leases] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const change of changes) {
    if (change.kind === "story") stories.add(change.id);
    else if (change.kind === "runs") runs.add(change.story);
    else if (change.kind === "lease") leases.add(change.name);
  }
  const has = (kind: ProjectChange["kind"]): boolean => changes.some((one) => one.kind === kind);
  return {
    stories,
    runs,
    leases,
    hasNames: has("names"),
    hasEpics: has("epics"),
    hasLegacy: has("legacy"),
    hasPool: has("pool"),
    hasSettings: has("settings"),
    hasLanes: has("lanes"),
    hasLeases: has("leases"),
    hasConflicts: has("conflicts"),
  };
}

/** Undefined if git or the story's files cannot be read: the story's own page shows why. */
async function reviewOf(
  context: GitContext & Pick<ReaderDependencies, "cache" | "receipts">,
  id: string,
): Promise<ReviewFacts | undefined> {
  try {
    const record = await context.store.readStory(id);
    const { receipts } = await context.receipts.read(await context.store.listRuns(id));
    const { epic } = rangeFacts(context.cache, id);
    return await readReviewFacts(context, record, { epic, receipts });
  } catch {
    return undefined;
  }
}

const storiesOf = (leases: Iterable<string>): string[] =>
  [...leases].flatMap((name) => storyOfLease(name) ?? []);

const completedAmong = (cache: ProjectCache, ids: ReadonlySet<string>): string =>
  [...ids].filter(cache.isCompleted).join(" ");

function withSiblings(cache: ProjectCache, ids: ReadonlySet<string>): Set<string> {
  const all = new Set(ids);
  for (const { children } of cache.epics().values()) {
    if (children.some(({ id }) => ids.has(id))) for (const { id } of children) all.add(id);
  }
  return all;
}
