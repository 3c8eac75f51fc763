// Puts on show what is in memory: the cards that a change can have touched, and no others.

import { basename } from "node:path";
import { epicLease, storyLease } from "../../store/leases/lease-names.ts";
import type { LiveEntities } from "./entities.ts";
import { NAMES, type Memory } from "./cache.ts";
import type { EpicCard, ProblemCard, StoryCard } from "../protocol/messages.ts";
import { costToday, epicCard, problemCard, storyCard } from "../views/cards.ts";

export interface Publisher {
  /** These stories, the epics around them, and what is wrong. */
  readonly show: (storyIds: Iterable<string>) => void;
  readonly showAll: () => void;
}

export function newBoard(
  memory: Memory,
  live: LiveEntities,
  around: {
    readonly project: string;
    readonly now: () => number;
    readonly target: () => string | undefined;
  },
): Publisher {
  const show = (storyIds: Iterable<string>): void => {
    const membership = memory.membership();
    for (const id of storyIds) {
      const facts = memory.facts(id);
      live.put("stories", id, facts ? storyCard(facts, membership) : legacyCard(id));
    }
    showEpics();
    live.putAll("problems", problemCards(memory, around.project));
    showProject();
  };

  const legacyCard = (id: string): StoryCard | null =>
    memory.legacy().stories.find(({ card }) => card.id === id)?.card ?? null;

  const showEpics = (): void => {
    const cards = new Map<string, EpicCard>(memory.legacy().epics.map((card) => [card.id, card]));
    for (const [id, epic] of memory.epics()) {
      const cardOf = (storyId: string) => live.get("stories", storyId);
      const isRunning = memory.isHeld(epicLease(id));
      const isUnmerged = memory.isUnmerged(id);
      const card = epicCard({ epic, cardOf, isRunning, isUnmerged, version: 0 });
      // It shows nothing that is not in the card: so it changes when the card does.
      cards.set(id, { ...card, version: versionOf(live.get("epics", id), card) });
    }
    live.putAll("epics", cards);
  };

  const hasWorker = (story: string): boolean => memory.isHeld(storyLease(story));

  const showProject = (): void => {
    live.put("project", "project", {
      name: basename(around.project),
      folder: around.project,
      ...costToday(allRuns(memory), { nowMs: around.now(), hasWorker }),
      target: around.target(),
    });
  };

  return {
    show,
    showAll() {
      const legacy = memory.legacy().stories.map(({ card }) => card.id);
      const ids = new Set([...memory.storyIds(), ...legacy]);
      for (const id of live.ids("stories")) if (!ids.has(id)) live.put("stories", id, null);
      show(ids);
    },
  };
}

function versionOf(before: EpicCard | undefined, now: EpicCard): number {
  if (before === undefined) return 1;
  const isSame = JSON.stringify({ ...before, version: 0 }) === JSON.stringify(now);
  return isSame ? before.version : before.version + 1;
}

function problemCards(memory: Memory, project: string): Map<string, ProblemCard> {
  const cards = new Map<string, ProblemCard>();
  for (const [source, found] of memory.problems) {
    const story = source.startsWith(NAMES.charAt(0)) ? undefined : source;
    found.forEach((one, at) => cards.set(`${source}#${at}`, problemCard(one, project, story)));
  }
  return cards;
}

function* allRuns({ runs }: Memory) {
  for (const id of runs.stories()) yield* runs.of(id);
}
