// Stories that a person can continue or start now.

import { Link } from "wouter";
import { StoryActions } from "../actions/story-actions.tsx";
import { isSameList, useDerived, useEntity } from "../live/hooks.ts";
import { Id, Panel, Section } from "../parts/layout.tsx";
import { Sentence } from "../parts/text/sentence.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { byUrgency, isIn } from "../words/states.ts";
import { storyLook } from "../words/story-look.ts";
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
    <article
      aria-label={story.title}
      className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3 md:px-5"
    >
      <StateMark look={storyLook(story)} className="mt-[3px] size-[1.1rem]" />
      <div className="min-w-0 flex-1 basis-64">
        <div className="flex flex-wrap items-baseline gap-x-2.5">
          <Link href={`/story/${id}`} data-row="" className="font-medium hover:text-accent">
            {story.title}
          </Link>
          <Id>{id}</Id>
        </div>
        {story.attention?.section === "continue" && (
          <p className="mt-0.5 text-sm text-soft">
            <Sentence text={story.attention.text} />
          </p>
        )}
      </div>
      <div className="max-md:ml-8">
        <StoryActions story={story} most={2} />
      </div>
    </article>
  );
}
