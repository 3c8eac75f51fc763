// Saved copies of a story's work: uncommitted work, and work that was discarded.

import { useActions } from "../actions/action-provider.tsx";
import { useIsOffline } from "../live/hooks.ts";
import type { SnapshotCard } from "../../protocol/details.ts";
import { Button } from "../parts/button.tsx";
import { Panel, Section } from "../parts/layout.tsx";
import { Ago } from "../parts/time.tsx";
import { count } from "../words/format.ts";
import { isAtWork } from "../words/states.ts";
import type { TabProps } from "./story-page.tsx";

/** The rest is behind a button. */
const FIRST_SHOWN = 4;

export function Snapshots({ story, detail: { snapshots } }: TabProps) {
  if (snapshots === undefined || snapshots.length === 0) return null;
  const rows = (shown: readonly SnapshotCard[]) =>
    shown.map((snapshot) => (
      <SnapshotRow
        key={snapshot.number}
        story={story.id}
        snapshot={snapshot}
        canRestore={!isAtWork(story) && !story.isArchived}
      />
    ));
  return (
    <Section title="Snapshots" count={snapshots.length}>
      <Panel className="divide-y divide-line">
        {rows(snapshots.slice(0, FIRST_SHOWN))}
        {snapshots.length > FIRST_SHOWN && (
          <details>
            <summary className="px-4 py-2.5 text-sm text-accent hover:bg-hover">
              {count(snapshots.length - FIRST_SHOWN, "older snapshot")}
            </summary>
            <div className="divide-y divide-line border-t border-line">
              {rows(snapshots.slice(FIRST_SHOWN))}
            </div>
          </details>
        )}
      </Panel>
    </Section>
  );
}

function SnapshotRow({
  story,
  snapshot: { number, at, why, files },
  canRestore,
}: {
  story: string;
  snapshot: SnapshotCard;
  canRestore: boolean;
}) {
  const { ask } = useActions();
  const isOffline = useIsOffline();
  const restore = (): void =>
    ask({
      about: "confirm",
      title: "Restore the snapshot",
      word: "Restore",
      isSafe: true,
      text: `Restores snapshot ${number} into the story's worktree, and creates the worktree if it is missing. The current state is saved as a snapshot first.`,
      act: { act: "restore", story, number },
    });
  return (
    <div className="flex items-center gap-3 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm" title={why}>
          {why}
        </p>
        <p className="figure flex flex-wrap gap-x-2.5 text-xs text-faint">
          <span>#{number}</span>
          <Ago at={at} />
          <span>{count(files, "file")}</span>
        </p>
      </div>
      {canRestore && (
        <Button
          className="h-7 text-xs"
          aria-label={`Restore snapshot ${number}`}
          disabled={isOffline}
          onClick={restore}
        >
          Restore
        </Button>
      )}
    </div>
  );
}
