// Landing: what is merged now, what waits and why, and what was merged before, for each target branch.

import { isSameList, useDerived, useHasSnapshot } from "../live/hooks.ts";
import { Command } from "../parts/copy.tsx";
import { Page } from "../parts/layout.tsx";
import { ConflictSection } from "./conflict-list.tsx";
import { LaneSection } from "./lane.tsx";

export function LandingPage() {
  const hasSnapshot = useHasSnapshot();
  const lanes = useDerived(
    (entities) =>
      Object.values(entities.lanes)
        .toSorted(
          (one, other) =>
            other.entries.length - one.entries.length || one.target.localeCompare(other.target),
        )
        .map(({ id }) => id),
    isSameList,
  );
  if (!hasSnapshot) return null;
  return (
    <Page title="Landing">
      {lanes.length === 0 ? <EmptyLanding /> : lanes.map((id) => <LaneSection key={id} id={id} />)}
      <ConflictSection />
    </Page>
  );
}

function EmptyLanding() {
  return (
    <div className="mb-8 max-w-md space-y-4 text-sm text-soft">
      <p>
        Nothing waits to be merged. Finished work is checked and merged here in batches: the checks
        run once for all of it, and only work that passes reaches the target.
      </p>
      <p>Merge a story on its page, or in a terminal:</p>
      <Command>saga merge &lt;story&gt;</Command>
    </div>
  );
}
