// What people call an entry of a lane, and its page. Pure.

import type { Entities } from "../../protocol/messages.ts";

export interface EntryPlace {
  readonly title: string;
  readonly href?: string | undefined;
}

/** Entries have the id of a story or an epic; those of the pool are called `<worker>/<task>`. */
export function entryPlace(
  { stories, epics, pool }: Pick<Entities, "stories" | "epics" | "pool">,
  name: string,
): EntryPlace {
  const story = stories[name];
  if (story) return { title: story.title, href: `/story/${name}` };
  const epic = epics[name];
  if (epic) return { title: epic.title, href: `/epic/${name}` };
  const task = name.slice(name.indexOf("/") + 1);
  const subject = Object.values(pool)
    .flatMap(({ tasks }) => tasks)
    .find(({ id }) => id === task && task !== name)?.subject;
  if (subject === undefined) return { title: name };
  return { title: subject, href: `/pool?task=${encodeURIComponent(task)}` };
}

export const isSamePlace = (one: EntryPlace, other: EntryPlace): boolean =>
  one.title === other.title && one.href === other.href;
