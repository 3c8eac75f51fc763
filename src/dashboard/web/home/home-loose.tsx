import { isSameList, useDerived } from "../live/hooks.ts";
import { Panel, Section } from "../parts/layout.tsx";
import { MoreStories } from "./more.tsx";
import { looseStories } from "../pages/story-filter.ts";
import { StoryLine } from "../pages/story-line.tsx";

/** The rest is on the Stories page. */
const MAX_SHOWN = 6;

/** Unfinished stories without an epic, which no other section of Home shows. */
export function LooseStories() {
  const ids = useDerived((entities) => looseStories(entities).map(({ id }) => id), isSameList);
  if (ids.length === 0) return null;
  return (
    <Section title="Stories without an epic" count={ids.length}>
      <Panel className="@container divide-y divide-line overflow-hidden">
        {ids.slice(0, MAX_SHOWN).map((id) => (
          <StoryLine key={id} id={id} />
        ))}
        <MoreStories hidden={ids.length - MAX_SHOWN} href="/stories" />
      </Panel>
    </Section>
  );
}
