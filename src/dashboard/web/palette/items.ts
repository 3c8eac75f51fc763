// Everything the palette can open or run. Pure.

import type { PageAction } from "../../protocol/actions.ts";
import type {
  Entities,
  EpicCard,
  PoolCard,
  PoolDaemon,
  SessionCard,
  StoryCard,
} from "../../protocol/messages.ts";
import type { DialogQuestion } from "../actions/action-dialog.tsx";
import {
  canRelease,
  releaseLabel,
  releaseTask,
  runEpic,
  stopPool,
  stopSession,
} from "../actions/questions.ts";
import { FLEET_PAGE, PAGES } from "../keys/pages.ts";
import { ACTION_WORDS, type StoryAction } from "../words/actions.ts";
import { offeredActions } from "../words/offered-actions.ts";
import { storyLook } from "../words/story-look.ts";
import { hasDaemonEnded, needsYou, type Look } from "../words/states.ts";

export type PaletteItem = {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly look?: Look;
  /** For the story or epic of the current page. */
  readonly isCurrent?: boolean;
} & (
  | { readonly is: "place"; readonly href: string }
  | { readonly is: "action"; readonly action: StoryAction; readonly story: string }
  | { readonly is: "act"; readonly act: PageAction }
  | { readonly is: "ask"; readonly question: DialogQuestion }
);

export const textOf = ({ title, about }: PaletteItem): string => `${title} ${about}`;

/** Its actions come first. */
export interface CurrentPage {
  readonly story?: string | undefined;
  readonly epic?: string | undefined;
}

export function paletteItems(entities: Entities, page: CurrentPage = {}): PaletteItem[] {
  const stories = Object.values(entities.stories);
  const epics = Object.values(entities.epics);
  const pools = Object.values(entities.pool);
  const story = page.story === undefined ? undefined : entities.stories[page.story];
  const epic = page.epic === undefined ? undefined : entities.epics[page.epic];
  const current = [...(story ? storyActions(story) : []), ...(epic ? epicActions(epic) : [])];
  const byNeed = stories.toSorted((one, other) => Number(needsYou(other)) - Number(needsYou(one)));
  return [
    ...current.map((item) => ({ ...item, isCurrent: true })),
    ...pagesOf(entities).map(({ href, word }) => place(`page ${href}`, word, "Page", href)),
    ...NEW_ITEMS,
    ...byNeed.map(storyPlace),
    ...epics.map(({ id, title }) => place(`epic ${id}`, title, `Epic ${id}`, `/epic/${id}`)),
    ...stories.filter((one) => one !== story).flatMap(storyActions),
    ...epics.filter((one) => one !== epic).flatMap(epicActions),
    ...Object.values(entities.sessions).flatMap((session) => sessionAction(session, pools)),
    ...(pools.length > 0 ? [ADD_TASK] : []),
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

const pagesOf = ({ fleet }: Entities) =>
  fleet["fleet"] === undefined ? PAGES : [...PAGES, FLEET_PAGE];

const storyPlace = (story: StoryCard): PaletteItem => ({
  ...place(`story ${story.id}`, story.title, story.id, `/story/${story.id}`),
  look: storyLook(story),
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
  offeredActions(story).map((action) => ({
    is: "action",
    key: `${action} ${story.id}`,
    title: `${ACTION_WORDS[action]} ${story.title}`,
    about: story.id,
    action,
    story: story.id,
  }));

function epicActions(epic: EpicCard): PaletteItem[] {
  const { id, title, status, isLegacy, isRunning } = epic;
  if (isLegacy || status === "completed") return [];
  const about = `Epic ${id}`;
  if (isRunning) {
    const act = { act: "epic-stop", epic: id } as const;
    return [{ is: "act", key: `epic-stop ${id}`, title: `Stop ${title}`, about, act }];
  }
  const question = runEpic(epic);
  return [{ is: "ask", key: `epic-run ${id}`, title: `Run ${title}…`, about, question }];
}

function sessionAction(session: SessionCard, pools: readonly PoolCard[]): PaletteItem[] {
  const question = stopSession(session, pools);
  const { name } = session;
  const title = "Stop the session…";
  return question ? [{ is: "ask", key: `session-stop ${name}`, title, about: name, question }] : [];
}

const NEW_ITEMS: readonly PaletteItem[] = (["story", "epic"] as const).map((kind) => ({
  is: "ask",
  key: `new ${kind}`,
  title: `New ${kind}…`,
  about: "Create",
  question: { about: "create", kind },
}));

const ADD_TASK: PaletteItem = {
  is: "ask",
  key: "task-add",
  title: "Add a task…",
  about: "Pool",
  question: { about: "add-task" },
};

const START_POOL: PaletteItem = {
  is: "ask",
  key: "pool-start",
  title: "Start the pool…",
  about: "Pool",
  question: { about: "start-pool" },
};

const poolActions = ({ daemons, tasks }: PoolCard): PaletteItem[] => [
  ...(daemons.every(hasDaemonEnded) ? [START_POOL] : []),
  ...tasks.filter(canRelease).map((task): PaletteItem => ({
    is: "ask",
    key: `task-release ${task.id}`,
    title: `${releaseLabel(task)} ${task.subject}`,
    about: `Pool task ${task.id}`,
    question: releaseTask(task),
  })),
  ...daemons.filter((daemon) => !hasDaemonEnded(daemon)).flatMap(daemonActions),
];

const daemonActions = ({ instance, state }: PoolDaemon): PaletteItem[] => {
  const stop: PaletteItem = {
    is: "ask",
    key: `pool-stop ${instance}`,
    title: "Stop the pool…",
    about: instance,
    question: stopPool(instance),
  };
  if (state === "draining") return [stop];
  const act = { act: "pool-drain", instance } as const;
  const title = "Drain the pool";
  return [{ is: "act", key: `pool-drain ${instance}`, title, about: instance, act }, stop];
};
