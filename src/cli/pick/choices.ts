// What a person can choose from when a command needs a story or an epic and none was named.

import { attentionTo } from "../../store/views/attention.ts";
import type { EpicView, Overview, StoryView } from "../../store/views/overview.ts";
import { shownWord } from "../../story/state/attention.ts";
import type { NamedKind } from "../program/named-ids.ts";
import { plain } from "../output/terminal.ts";
import { applicableEpics, applicableStories } from "./applicable.ts";

export interface Choice {
  readonly value: string;
  /** Its state and title. */
  readonly about: string;
}

export function choicesFor(
  { stories, epics }: Pick<Overview, "stories" | "epics">,
  command: string,
  kind: NamedKind,
): Choice[] {
  const ofStories = applicableStories(command, stories.values()).map(storyChoice);
  const ofEpics = applicableEpics(command, epics.values()).map(epicChoice);
  switch (kind) {
    case "story":
      return command === "merge" ? [...ofStories, ...ofEpics] : ofStories;
    case "epic":
      return ofEpics;
    case "story-or-epic":
      return [...ofStories, ...ofEpics];
  }
}

const storyChoice = (view: StoryView): Choice => {
  const { id, story } = view.record;
  const word = shownWord(view.state, attentionTo(view)?.kind);
  return { value: id, about: `${word}: ${plain(story.title)}` };
};

const epicChoice = ({ epic, status }: EpicView): Choice => ({
  value: epic.id,
  about: `epic, ${status.replace("_", " ")}: ${plain(epic.title)}`,
});
