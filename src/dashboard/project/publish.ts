// Turns what was read into cards, only those that a change can have affected.

import { basename } from "node:path";
import { epicLease } from "../../store/leases/lease-names.ts";
import type { LiveEntities } from "./entities.ts";
import type { ProjectCache } from "./cache.ts";
import type { EpicCard, ProblemCard, StoryCard } from "../protocol/messages.ts";
import { costToday, epicCard, problemCard, storyCard } from "../views/cards.ts";

export interface Publisher {
  /** These stories, all epics and all problems. */
  readonly publish: (storyIds: Iterable<string>) => void;
  readonly publishAll: () => void;
}

export function newPublisher(
  cache: ProjectCache,
  entities: LiveEntities,
  context: {
    readonly project: string;
    readonly now: () => number;
    readonly target: () => string | undefined;
  },
): Publisher {
  const publish = (storyIds: Iterable<string>): void => {
    const membership = cache.membership();
    for (const id of storyIds) {
      const facts = cache.facts(id);
      entities.put("stories", id, facts ? storyCard(facts, membership) : legacyCard(id));
    }
    publishEpics();
    entities.putAll("problems", problemCards(cache, context.project));
    publishProject();
  };

  const legacyCard = (id: string): StoryCard | null =>
    cache.legacy().stories.find(({ card }) => card.id === id)?.card ?? null;

  const publishEpics = (): void => {
    const cards = new Map<string, EpicCard>(cache.legacy().epics.map((card) => [card.id, card]));
    for (const [id, epic] of cache.epics()) {
      const cardOf = (storyId: string) => entities.get("stories", storyId);
      const isRunning = cache.isHeld(epicLease(id));
      const isUnmerged = cache.isUnmerged(id);
      const card = epicCard({ epic, cardOf, isRunning, isUnmerged, version: 0 });
      // An epic's page shows only its card, so its version changes with the card.
      cards.set(id, { ...card, version: versionOf(entities.get("epics", id), card) });
    }
    entities.putAll("epics", cards);
  };

  const publishProject = (): void => {
    entities.put("project", "project", {
      name: basename(context.project),
      folder: context.project,
      ...costToday(allRuns(cache), context.now()),
      target: context.target(),
    });
  };

  return {
    publish,
    publishAll() {
      const legacy = cache.legacy().stories.map(({ card }) => card.id);
      const ids = new Set([...cache.storyIds(), ...legacy]);
      for (const id of entities.ids("stories")) if (!ids.has(id)) entities.put("stories", id, null);
      publish(ids);
    },
  };
}

export function versionOf(before: EpicCard | undefined, now: EpicCard): number {
  if (before === undefined) return 1;
  const isSame = JSON.stringify({ ...before, version: 0 }) === JSON.stringify(now);
  return isSame ? before.version : before.version + 1;
}

function problemCards(cache: ProjectCache, project: string): Map<string, ProblemCard> {
  const cards = new Map<string, ProblemCard>();
  for (const [key, { source, found }] of cache.problems()) {
    const story = source.kind === "story" ? source.id : undefined;
    found.forEach((one, at) => cards.set(`${key}#${at}`, problemCard(one, project, story)));
  }
  return cards;
}

function* allRuns({ runs }: ProjectCache) {
  for (const id of runs.stories()) yield* runs.of(id);
}
