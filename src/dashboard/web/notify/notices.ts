// What a person is told about in the browser: stories and tasks that newly need them. Pure.

import { attentionOfEpic } from "../../../story/state/attention.ts";
import { attentionOfPoolTask } from "../../../story/state/task-attention.ts";
import type { Entities } from "../../protocol/messages.ts";
import { needsYou } from "../words/states.ts";

export interface BrowserNotice {
  /** Another reason of the same story is another notice. */
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly href: string;
}

export const noticesIn = ({ stories, epics, pool }: Entities): readonly BrowserNotice[] => [
  ...Object.values(stories)
    .filter(needsYou)
    .map(({ id, title, attention }) => ({
      key: `story ${id} ${attention?.kind} ${attention?.text}`,
      title,
      body: attention?.text ?? "",
      href: `/story/${id}`,
    })),
  ...Object.values(epics).flatMap(({ id, title, awaitsMerge = false }) => {
    const attention = attentionOfEpic({ id, awaitsMerge });
    return attention
      ? [{ key: `epic ${id}`, title, body: attention.text, href: `/epic/${id}` }]
      : [];
  }),
  ...Object.values(pool).flatMap(({ tasks }) =>
    tasks.flatMap((task) => {
      const { id, subject } = task;
      const attention = attentionOfPoolTask(task);
      if (attention === undefined) return [];
      const { text } = attention;
      const href = `/pool?task=${encodeURIComponent(id)}`;
      return [{ key: `task ${id} ${text}`, title: subject, body: text, href }];
    }),
  ),
];

export const newNotices = (
  before: readonly BrowserNotice[],
  now: readonly BrowserNotice[],
): readonly BrowserNotice[] => {
  const known = new Set(before.map(({ key }) => key));
  return now.filter(({ key }) => !known.has(key));
};
