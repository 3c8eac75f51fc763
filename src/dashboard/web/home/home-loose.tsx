import { isSameList, useDerived } from "../live/hooks.ts";
import { Panel, Section } from "../parts/layout.tsx";
import { MoreStories } from "./more.tsx";
import { looseStories } from "../pages/story-filter.ts";
import { StoryLine } from "../pages/story-line.tsx";

/** As many as are taken in at a glance; the rest is on the stories' page. */
const MOST_SHOWN = 6;

/** What is to be done and is in no epic: it would be nowhere else on this page. */
export function LooseStories() {
  const ids = useDerived((entities) => looseStories(entities).map(({ id }) => id), isSameList);
  if (ids.length === 0) return null;
  return (
    <Section title="Stories without an epic" count={ids.length}>
      <Panel className="@container divide-y divide-line overflow-hidden">
        {ids.slice(0, MOST_SHOWN).map((id) => (
          <StoryLine key={id} id={id} />
        ))}
        <MoreStories hidden={ids.length - MOST_SHOWN} href="/stories" />
      </Panel>
    </Section>
  );
}
