// Stories that a person can continue or start now.

import { StoryActions } from "../actions/story-actions.tsx";
import { isSameList, useDerived, useEntity } from "../live/hooks.ts";
import { Panel, Section } from "../parts/layout.tsx";
import { Sentence } from "../parts/text/sentence.tsx";
import { StoryHomeRow } from "./home-row.tsx";
import { byUrgency, isIn } from "../words/states.ts";
import { MoreStories } from "./more.tsx";

/** The rest is on the Stories page. */
const MAX_SHOWN = 8;

export const ReadyToContinue = () => (
  <ReadySection title="Ready to continue" section="continue" more="/stories" />
);

export const ReadyToStart = () => (
  <ReadySection title="Ready to start" section="start" more="/stories?state=ready" />
);

function ReadySection({
  title,
  section,
  more,
}: {
  title: string;
  section: "continue" | "start";
  more: string;
}) {
  const ids = useDerived(
    ({ stories }) =>
      Object.values(stories)
        .filter(isIn(section))
        .toSorted(byUrgency)
        .map(({ id }) => id),
    isSameList,
  );
  if (ids.length === 0) return null;
  return (
    <Section title={title} count={ids.length}>
      <Panel className="divide-y divide-line">
        {ids.slice(0, MAX_SHOWN).map((id) => (
          <ReadyRow key={id} id={id} />
        ))}
        <MoreStories hidden={ids.length - MAX_SHOWN} href={more} />
      </Panel>
    </Section>
  );
}

function ReadyRow({ id }: { id: string }) {
  const story = useEntity("stories", id);
  if (story === undefined) return null;
  return (
    <StoryHomeRow
      story={story}
      about={
        story.attention?.section === "continue" ? (
          <Sentence text={story.attention.text} />
        ) : undefined
      }
      aside={<StoryActions story={story} most={2} />}
    />
  );
}
