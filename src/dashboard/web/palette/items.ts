// Everything the palette can jump to or do. Pure.

import type { Act, Entities, EpicCard, PoolCard, StoryCard } from "../../protocol.ts";
import type { Question } from "../acting/act-dialog.tsx";
import { canRelease, releaseTask, stopPool, stopSession } from "../acting/questions.ts";
import { PAGES } from "../keys/pages.ts";
import { ACTION_WORDS, actionsFor, type StoryAction } from "../words/actions.ts";
import { needsYou, STORY_LOOKS, type Look } from "../words/states.ts";

export type PaletteItem = {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly look?: Look;
  /** About the story on show. */
  readonly isNear?: boolean;
} & (
  | { readonly is: "place"; readonly href: string }
  | { readonly is: "action"; readonly action: StoryAction; readonly story: string }
  | { readonly is: "act"; readonly act: Act }
  | { readonly is: "ask"; readonly question: Question }
);

export const textOf = ({ title, about }: PaletteItem): string => `${title} ${about}`;

/** @param here the story on show: what can be done about it comes first. */
export function paletteItems(entities: Entities, here: string | undefined): PaletteItem[] {
  const stories = Object.values(entities.stories);
  const epics = Object.values(entities.epics);
  const pools = Object.values(entities.pool);
  const story = here === undefined ? undefined : entities.stories[here];
  const others = stories.filter(({ id }) => id !== here);
  const needy = stories.toSorted((one, other) => Number(needsYou(other)) - Number(needsYou(one)));
  return [
    ...(story ? storyActions(story).map((item) => ({ ...item, isNear: true })) : []),
    ...PAGES.map(({ href, word }) => place(`page ${href}`, word, "Page", href)),
    ...needy.map(storyPlace),
    ...epics.map(({ id, title }) => place(`epic ${id}`, title, `Epic ${id}`, `/epic/${id}`)),
    ...others.flatMap(storyActions),
    ...epics.flatMap(epicActions),
    ...Object.keys(entities.sessions).map(sessionAction),
    ...pools.flatMap(poolActions),
    ...stories.flatMap(taskPlaces),
    ...pools.flatMap(poolPlaces),
  ];
}

const place = (key: string, title: string, about: string, href: string): PaletteItem => ({
  is: "place",
  key,
  title,
  about,
  href,
});

const storyPlace = ({ id, title, state }: StoryCard): PaletteItem => ({
  ...place(`story ${id}`, title, id, `/story/${id}`),
  look: STORY_LOOKS[state],
});

const taskPlaces = ({ id: story, tasks }: StoryCard): PaletteItem[] =>
  tasks.map(({ id, subject }) =>
    place(`task ${story}/${id}`, subject, `${story}/${id}`, `/story/${story}?task=${id}`),
  );

const poolPlaces = ({ tasks }: PoolCard): PaletteItem[] =>
  tasks.map(({ id, subject }) =>
    place(`pool ${id}`, subject, `Pool task ${id}`, `/pool?task=${encodeURIComponent(id)}`),
  );

const storyActions = (story: StoryCard): PaletteItem[] =>
  actionsFor(story).map((action) => ({
    is: "action",
    key: `${action} ${story.id}`,
    title: `${ACTION_WORDS[action]} ${story.title}`,
    about: story.id,
    action,
    story: story.id,
  }));

function epicActions({ id, title, status, isLegacy, isRunning }: EpicCard): PaletteItem[] {
  if (isLegacy || status === "completed") return [];
  const act = isRunning ? "epic-stop" : "epic-run";
  return [
    {
      is: "act",
      key: `${act} ${id}`,
      title: `${isRunning ? "Stop" : "Run"} ${title}`,
      about: `Epic ${id}`,
      act: { act, epic: id },
    },
  ];
}

const sessionAction = (name: string): PaletteItem => ({
  is: "ask",
  key: `session-stop ${name}`,
  title: "Stop the session…",
  about: name,
  question: stopSession(name),
});

const poolActions = ({ daemons, tasks }: PoolCard): PaletteItem[] => [
  {
    is: "ask",
    key: "task-add",
    title: "Add a task…",
    about: "Pool",
    question: { about: "add-task" },
  },
  ...tasks.filter(canRelease).map((task): PaletteItem => ({
    is: "ask",
    key: `task-release ${task.id}`,
    title: `Release… ${task.subject}`,
    about: `Pool task ${task.id}`,
    question: releaseTask(task),
  })),
  ...daemons.flatMap(({ instance }): PaletteItem[] => [
    {
      is: "act",
      key: `pool-drain ${instance}`,
      title: "Drain the pool",
      about: instance,
      act: { act: "pool-drain", instance },
    },
    {
      is: "ask",
      key: `pool-stop ${instance}`,
      title: "Stop the pool…",
      about: instance,
      question: stopPool(instance),
    },
  ]),
];
