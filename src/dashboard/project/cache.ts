// Everything that the dashboard knows of a project, as it was read last. Each part is read again by itself.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { messageOf, type Problem } from "../../errors.ts";
import { listFolder } from "../../machine/files/files.ts";
import type { LeaseState } from "../../store/leases/lease.ts";
import { layoutOf, leasesFolder, runsFolder, type Layout } from "../../store/project/layout.ts";
import {
  isMerged,
  lostWorktrees,
  membershipIn,
  type Membership,
} from "../../store/views/overview.ts";
import { storyLease } from "../../store/leases/lease-names.ts";
import { unmergedEpics } from "../../store/project/epic-notes.ts";
import { knownRefs, type KnownRefs } from "../../store/project/known-refs.ts";
import { judgeRuns, type LastRun } from "../../store/runs/runs.ts";
import type { Store } from "../../store/store.ts";
import type { StoryRecord } from "../../store/project/read.ts";
import type { SurveyedEpics, SurveyedStory } from "../../store/views/survey.ts";
import { readLegacy, type Legacy } from "../views/legacy.ts";
import { newRunsMemory, type RunsMemory } from "./runs-cache.ts";
import type { KeptStory, CardFacts } from "../views/cards.ts";

export interface Memory {
  readonly runs: RunsMemory;
  readonly storyIds: () => readonly string[];
  readonly facts: (storyId: string) => CardFacts | undefined;
  readonly epics: () => SurveyedEpics["epics"];
  /** Whether an epic's own branch has commits that are not merged. */
  readonly isUnmerged: (epicId: string) => boolean;
  readonly legacy: () => Legacy;
  readonly membership: () => Membership;
  readonly isCompleted: (storyId: string) => boolean;
  readonly isHeld: (lease: string) => boolean;
  readonly heldLeases: () => readonly string[];
  /** What is wrong, by what it belongs to: a story's id, or one of the names below. */
  readonly problems: Map<string, readonly Problem[]>;

  readonly readAllStories: () => Promise<void>;
  /** Which stories came and which went since the last time. */
  readonly readNames: () => Promise<readonly string[]>;
  readonly readStories: (ids: readonly string[]) => Promise<void>;
  readonly readEpics: () => Promise<void>;
  readonly readRuns: (storyId: string) => Promise<void>;
  readonly readAllRuns: () => Promise<void>;
  /** Whether it is held by another now, or by nobody, or its holder has died. */
  readonly readLease: (name: string) => Promise<boolean>;
  readonly readAllLeases: () => Promise<void>;
  readonly readLegacy: () => void;
  /** Where a story asks for less than when it began, in sentences: git knows, and is asked elsewhere. */
  readonly noteWeakened: (storyId: string, sentences: readonly string[]) => void;
  /** What the story's own page shows has changed. */
  readonly renew: (storyId: string) => void;
}

/** Problems that are no story's. No id looks like these. */
export const NAMES = "(names)";
/** Of what is no story's file: the path stands behind it. */
const FILE = "(file) ";
const EPICS = "(epics)";
const LEGACY = "(legacy)";
export const WATCH = "(watch)";

const REFS_MS = 250;

interface Kept {
  readonly record: KeptStory | undefined;
  readonly digest: string;
}

export function newMemory(store: Store): Memory {
  const at = layoutOf(store.project);
  const runs = newRunsMemory(store);
  const refs = newRefs(at);
  const kept = new Map<string, Kept>();
  const versions = new Map<string, number>();
  const weakened = new Map<string, readonly string[]>();
  const leases = new Map<string, LeaseState>();
  const problems = new Map<string, readonly Problem[]>();
  let epics: SurveyedEpics = { epics: new Map(), broken: new Set(), problems: [] };
  let legacy: Legacy = { stories: [], epics: [], problems: [] };

  // A page that outlives its server must not take an old version for a new one's.
  const firstVersion = Date.now();
  const renew = (id: string): void => void versions.set(id, (versions.get(id) ?? firstVersion) + 1);
  const note = (source: string, found: readonly Problem[]): void => {
    if (found.length > 0) problems.set(source, found);
    else problems.delete(source);
  };
  /** What cannot be read is shown as that, and keeps nothing else from being shown. */
  const attempt = async (file: string, read: () => Promise<void>): Promise<void> => {
    try {
      await read();
      note(`${FILE}${file}`, []);
    } catch (error) {
      note(`${FILE}${file}`, [unreadable(file, error)]);
    }
  };
  const isCompleted = (id: string): boolean => {
    const record = kept.get(id)?.record;
    if (record?.source === "archive" || isMerged(record)) return true;
    return lastRunOf(id).outcome === "merged";
  };
  const lastRunOf = (id: string): LastRun =>
    judgeRuns(id, runs.of(id), { nowMs: Date.now(), refs: refs() });
  const readLease = async (name: string): Promise<void> => {
    leases.delete(name);
    await attempt(join(leasesFolder(at), name), async () => {
      const lease = await store.leases.read(name);
      if (lease) leases.set(name, lease);
    });
  };
  const keep = (surveyed: SurveyedStory): void => {
    const { id, record } = surveyed;
    const digest = record === undefined ? "" : digestOf(record);
    if (kept.get(id)?.digest !== digest) renew(id);
    kept.set(id, { record: record && keptOf(record), digest });
    note(id, surveyed.problems);
  };

  return {
    runs,
    problems,
    storyIds: () => [...kept.keys()],
    facts(id) {
      const record = kept.get(id)?.record;
      if (record === undefined) return undefined;
      return {
        record,
        lease: leases.get(storyLease(id)),
        runs: runs.of(id),
        lastRun: lastRunOf(id),
        hasLostWorktree: lostWorktrees(at, refs()),
        lastAction: runs.lastAction(id),
        weakened: weakened.get(id),
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
    renew,
    noteWeakened(id, sentences) {
      if (sentences.length > 0) weakened.set(id, sentences);
      else weakened.delete(id);
    },

    async readAllStories() {
      const { stories, problems: found } = await store.survey.all();
      note(NAMES, found);
      stories.forEach(keep);
    },
    async readNames() {
      const names = await store.survey.names();
      note(NAMES, names.problems);
      const there = new Set(names.stories);
      const gone = [...kept.keys()].filter((id) => !there.has(id));
      return [...[...there].filter((id) => !kept.has(id)), ...gone];
    },
    async readStories(ids) {
      const found = await store.survey.stories(ids);
      const there = new Set(found.map(({ id }) => id));
      for (const id of ids) {
        if (there.has(id)) continue;
        kept.delete(id);
        problems.delete(id);
      }
      found.forEach(keep);
    },
    async readEpics() {
      epics = await store.survey.epics();
      note(EPICS, epics.problems);
    },
    async readRuns(id) {
      const before = JSON.stringify(runs.of(id));
      await attempt(join(runsFolder(at), id), () => runs.read(id));
      if (JSON.stringify(runs.of(id)) !== before) renew(id);
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
      return lease?.life !== before?.life || lease?.record.generation !== before?.record.generation;
    },
    async readAllLeases() {
      leases.clear();
      for (const entry of listFolder(leasesFolder(at))) {
        if (entry.isDirectory()) await readLease(entry.name);
      }
    },
    readLegacy() {
      legacy = readLegacy(at);
      note(LEGACY, legacy.problems);
    },
  };
}

const unreadable = (file: string, error: unknown): Problem => ({
  file,
  severity: "error",
  message: messageOf(error),
  fix: "The dashboard cannot show it until it is readable.",
});

/** Packed refs are one file, and may be large: a round over all stories reads it once. */
function newRefs(at: Layout): () => KnownRefs {
  let refs = knownRefs(at);
  let since = performance.now();
  return () => {
    if (performance.now() - since > REFS_MS) [refs, since] = [knownRefs(at), performance.now()];
    return refs;
  };
}

/** Where a story's work is to be looked for in git. */
export function rangeFacts(memory: Memory, storyId: string) {
  const story = memory.facts(storyId)?.record.story;
  return { branch: story?.branch, epic: story && memory.membership().epicOf(story) };
}

/** Descriptions and guidance are read when someone asks for them. */
const keptOf = ({ id, folder, source, story, tasks, journal }: StoryRecord): KeptStory => ({
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
