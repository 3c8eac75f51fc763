// Everything the dashboard has read from a project. Each part can be read again on its own.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { messageOf, type Problem } from "../../errors.ts";
import type { LeaseState } from "../../store/leases/leases.ts";
import { layoutOf, runsFolder, type Layout } from "../../store/project/layout.ts";
import {
  isMerged,
  lostWorktrees,
  membershipIn,
  type Membership,
} from "../../store/views/overview.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { unmergedEpics } from "../../store/project/epic-notes.ts";
import { knownRefs, type KnownRefs } from "../../store/project/known-refs.ts";
import { judgeRuns, type LastRun } from "../../store/runs/last-run.ts";
import type { Store } from "../../store/store.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { SurveyedEpics, SurveyedStory } from "../../store/views/overview-facts.ts";
import { readLegacyCards, type LegacyCards } from "../views/legacy.ts";
import { newRunsCache, type RunsCache } from "./runs-cache.ts";
import type { CachedStory, CardFacts } from "../views/cards.ts";
import type { ReviewFacts } from "../views/review-facts.ts";

export interface ProjectCache {
  readonly runs: RunsCache;
  readonly storyIds: () => readonly string[];
  readonly facts: (storyId: string) => CardFacts | undefined;
  readonly epics: () => SurveyedEpics["epics"];
  /** Whether an epic's own branch has commits that are not merged. */
  readonly isUnmerged: (epicId: string) => boolean;
  readonly legacy: () => LegacyCards;
  readonly membership: () => Membership;
  readonly isCompleted: (storyId: string) => boolean;
  readonly isHeld: (lease: string) => boolean;
  readonly heldLeases: () => readonly string[];
  readonly problems: () => ReadonlyMap<string, SourceProblems>;
  /** Replaces the problems of a source. */
  readonly noteProblems: (source: ProblemSource, found: readonly Problem[]) => void;

  readonly readAllStories: () => Promise<void>;
  /** Returns the stories that were added or removed since the last read. */
  readonly readNames: () => Promise<readonly string[]>;
  readonly readStories: (ids: readonly string[]) => Promise<void>;
  readonly readEpics: () => Promise<void>;
  readonly readRuns: (storyId: string) => Promise<void>;
  readonly readAllRuns: () => Promise<void>;
  /** Returns whether the lease has a new holder, has been released, or its holder has died. */
  readonly readLease: (name: string) => Promise<boolean>;
  readonly readAllLeases: () => Promise<void>;
  readonly readLegacy: () => void;
  /** For a story in review. Needs git, so it is read elsewhere. */
  readonly noteReview: (storyId: string, review: ReviewFacts | undefined) => void;
  /** Call when something on the story's own page has changed. */
  readonly bumpVersion: (storyId: string) => void;
}

type ProblemSource =
  | { readonly kind: "story" | "lease"; readonly id: string }
  | { readonly kind: "file"; readonly file: string }
  | { readonly kind: "names" | "epics" | "legacy" | "watch" };

interface SourceProblems {
  readonly source: ProblemSource;
  readonly found: readonly Problem[];
}

const REFS_MS = 250;

interface CacheEntry {
  /** Undefined if the story's files are invalid. */
  readonly record: CachedStory | undefined;
  readonly digest: string;
}

export function newProjectCache(store: Store): ProjectCache {
  const at = layoutOf(store.project);
  const runs = newRunsCache(store);
  const refs = newRefs(at);
  const stories = new Map<string, CacheEntry>();
  const versions = new Map<string, number>();
  const reviews = new Map<string, ReviewFacts>();
  const leases = new Map<string, LeaseState>();
  const problems = new Map<string, SourceProblems>();
  let epics: SurveyedEpics = { epics: new Map(), broken: new Set(), problems: [] };
  let legacy: LegacyCards = { stories: [], epics: [], problems: [] };

  // Starts at the time, so that a page that outlives its server never sees the same version twice.
  const firstVersion = Date.now();
  const bumpVersion = (id: string): void =>
    void versions.set(id, (versions.get(id) ?? firstVersion) + 1);
  const noteProblems: ProjectCache["noteProblems"] = (source, found) => {
    const key = Object.values(source).join(" ");
    if (found.length > 0) problems.set(key, { source, found });
    else problems.delete(key);
  };
  /** An unreadable file becomes a problem on the page, and does not stop the rest. */
  const attempt = async (file: string, read: () => Promise<void>): Promise<void> => {
    try {
      await read();
      noteProblems({ kind: "file", file }, []);
    } catch (error) {
      noteProblems({ kind: "file", file }, [unreadable(file, error)]);
    }
  };
  const isCompleted = (id: string): boolean => {
    const record = stories.get(id)?.record;
    if (record?.source === "archive" || isMerged(record)) return true;
    return lastRunOf(id).outcome === "merged";
  };
  const lastRunOf = (id: string): LastRun =>
    judgeRuns(id, runs.of(id), { nowMs: Date.now(), refs: refs() });
  const readLease = async (name: string): Promise<void> => {
    leases.delete(name);
    const unread: Problem[] = [];
    const lease = await store.leases.read(name).catch(() => readListed(name, unread));
    if (lease) leases.set(name, lease);
    noteProblems({ kind: "lease", id: name }, unread);
  };
  /** The list of leases says which file cannot be read. */
  const readListed = async (name: string, unread: Problem[]): Promise<LeaseState | undefined> => {
    const listed = await store.leases.list((problem, of) => of === name && unread.push(problem));
    return listed.find((one) => one.name === name);
  };
  const cacheStory = (surveyed: SurveyedStory): void => {
    const { id, record } = surveyed;
    const digest = record === undefined ? "" : digestOf(record);
    if (stories.get(id)?.digest !== digest) bumpVersion(id);
    stories.set(id, { record: record && outlineOf(record), digest });
    noteProblems({ kind: "story", id }, surveyed.problems);
  };

  return {
    runs,
    problems: () => problems,
    noteProblems,
    storyIds: () => [...stories.keys()],
    facts(id) {
      const record = stories.get(id)?.record;
      if (record === undefined) return undefined;
      return {
        record,
        lease: leases.get(storyLease(id)),
        runs: runs.of(id),
        lastRun: lastRunOf(id),
        hasLostWorktree: lostWorktrees(at, refs()),
        lastAction: runs.lastAction(id),
        review: reviews.get(id),
        version: versions.get(id) ?? firstVersion,
      };
    },
    epics: () => epics.epics,
    isUnmerged: (id) => unmergedEpics(at)(id),
    legacy: () => legacy,
    membership: () => membershipIn(epics.epics, epics.broken, isCompleted),
    isCompleted,
    isHeld: (name) => leases.get(name)?.life === "alive",
    heldLeases: () => [...leases.keys()],
    bumpVersion,
    noteReview(id, review) {
      if (review) reviews.set(id, review);
      else reviews.delete(id);
    },

    async readAllStories() {
      const survey = await store.survey.all();
      noteProblems({ kind: "names" }, survey.problems);
      survey.stories.forEach(cacheStory);
    },
    async readNames() {
      const names = await store.survey.names();
      noteProblems({ kind: "names" }, names.problems);
      const added = names.stories.filter((id) => !stories.has(id));
      const present = new Set(names.stories);
      const removed = [...stories.keys()].filter((id) => !present.has(id));
      return [...added, ...removed];
    },
    async readStories(ids) {
      const found = await store.survey.stories(ids);
      const present = new Set(found.map(({ id }) => id));
      for (const id of ids) {
        if (present.has(id)) continue;
        stories.delete(id);
        noteProblems({ kind: "story", id }, []);
      }
      found.forEach(cacheStory);
    },
    async readEpics() {
      epics = await store.survey.epics();
      noteProblems({ kind: "epics" }, epics.problems);
    },
    async readRuns(id) {
      const before = JSON.stringify(runs.of(id));
      await attempt(join(runsFolder(at), id), () => runs.read(id));
      if (JSON.stringify(runs.of(id)) !== before) bumpVersion(id);
    },
    async readAllRuns() {
      for (const id of runs.names()) {
        await attempt(join(runsFolder(at), id), () => runs.read(id));
      }
    },
    async readLease(name) {
      const before = leases.get(name);
      await readLease(name);
      const lease = leases.get(name);
      return lease?.life !== before?.life || lease?.fence !== before?.fence;
    },
    async readAllLeases() {
      leases.clear();
      const unread: string[] = [];
      for (const lease of await store.leases.list((_, name) => void unread.push(name))) {
        leases.set(lease.name, lease);
      }
      for (const name of unread) await readLease(name);
    },
    readLegacy() {
      legacy = readLegacyCards(at);
      noteProblems({ kind: "legacy" }, legacy.problems);
    },
  };
}

const unreadable = (file: string, error: unknown): Problem => ({
  file,
  severity: "error",
  message: messageOf(error),
  fix: "Make the file readable to see it here.",
});

/** The file of packed refs may be large: reading all stories reads it once. */
function newRefs(at: Layout): () => KnownRefs {
  let refs = knownRefs(at);
  let since = performance.now();
  return () => {
    if (performance.now() - since > REFS_MS) [refs, since] = [knownRefs(at), performance.now()];
    return refs;
  };
}

/** What git needs to find a story's commits. */
export function rangeFacts(cache: ProjectCache, storyId: string) {
  const story = cache.facts(storyId)?.record.story;
  return { branch: story?.branch, epic: story && cache.membership().epicOf(story) };
}

/** Without the long texts: the story's own page reads them when it is opened. */
const outlineOf = ({ id, folder, source, story, tasks, journal }: StoryRecord): CachedStory => ({
  id,
  folder,
  source,
  story: { ...story, description: "" },
  tasks: tasks.map(({ id, subject, status, blockedBy }) => ({ id, subject, status, blockedBy })),
  journal: journal === undefined || !journal.includes(" Blocker ") ? undefined : journal,
});

const digestOf = ({ source, fields, taskFields, journal }: StoryRecord): string =>
  createHash("sha1")
    .update(JSON.stringify([source, fields, [...taskFields.values()], journal]))
    .digest("base64");
