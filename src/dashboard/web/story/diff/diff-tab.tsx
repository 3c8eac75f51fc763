// The changes of the story, of one of its commits, or since a person last looked, by file; and the review of them.

import { useCallback, useState } from "react";
import { storyAddress, useDetail, useEntity } from "../../live/hooks.ts";
import type { CommitCard, StoryDiff } from "../../../protocol/details.ts";
import { Loading, Empty, Panel } from "../../parts/layout.tsx";
import { Ago } from "../../parts/time.tsx";
import { ReviewPanel } from "../../review/review-panel.tsx";
import { parseNotes, type ChangeNotes, type ReviewNotes } from "../../review/review-notes.ts";
import { isStored, readStored, writeStored } from "../../shell/browser-storage.ts";
import { offeredActions } from "../../words/offered-actions.ts";
import { DiffFiles } from "./diff-files.tsx";
import type { TabProps } from "../story-page.tsx";

const ALL = "";
const SINCE = "since";

export function DiffTab({ story, detail }: TabProps) {
  const [commit, setCommit] = useState(ALL);
  const { notes, onChange, isKept } = useNotes(story.id);
  const tip = detail.commits.at(-1)?.commit;
  // Fixed while the page is open: marking a file must not hide what is new.
  const [lastLook] = useState(notes.tip);
  const isNew = lastLook !== tip && detail.commits.some(({ commit: known }) => known === lastLook);
  const canComment = offeredActions(story).includes("reject");
  const query =
    commit === ALL
      ? ""
      : commit === SINCE
        ? `?since=${encodeURIComponent(lastLook ?? "")}`
        : `?commit=${encodeURIComponent(commit)}`;
  const address = `${storyAddress(story.id)}/diff${query}`;
  // A commit never changes, so it needs no version.
  const isFixed = commit !== ALL && commit !== SINCE;
  const { value, error } = useDetail<StoryDiff>(address, isFixed ? 0 : detail.version);
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[15rem_minmax(0,1fr)]">
      <CommitList commits={detail.commits} isNew={isNew} chosen={commit} onChoose={setCommit} />
      <div className="min-w-0">
        {error !== undefined && <p className="mb-3 text-sm text-bad">{error}</p>}
        {value === undefined ? (
          error === undefined && <Loading what="the diff" />
        ) : value.files.length === 0 ? (
          <Empty>No files changed.</Empty>
        ) : (
          <DiffFiles
            key={commit}
            diff={value}
            reviewing={{ notes, onChange, tip, canComment: canComment && commit === ALL }}
          />
        )}
        {canComment && (
          <ReviewPanel story={story.id} notes={notes} isKept={isKept} onChange={onChange} />
        )}
      </div>
    </div>
  );
}

interface KeptNotes {
  readonly notes: ReviewNotes;
  readonly onChange: ChangeNotes;
  /** They survive a reload. */
  readonly isKept: boolean;
}

/** Kept in the browser, also over new commits. */
function useNotes(story: string): KeptNotes {
  // The same port may have served another project with a story of this name.
  const folder = useEntity("project", "project")?.folder ?? "";
  const key = `saga-review ${folder} ${story}`;
  const [notes, setNotes] = useState(() => parseNotes(readStored(key)));
  const change = useCallback<ChangeNotes>(
    (next) =>
      setNotes((before) => {
        const after = next(before);
        writeStored(key, JSON.stringify(after));
        return after;
      }),
    [key],
  );
  return { notes, onChange: change, isKept: isStored(key) };
}

function CommitList({
  commits,
  isNew,
  chosen,
  onChoose,
}: {
  commits: readonly CommitCard[];
  /** There are commits since the person last looked. */
  isNew: boolean;
  chosen: string;
  onChoose: (commit: string) => void;
}) {
  const entry =
    "block w-full px-3.5 py-2.5 text-left -outline-offset-2 hover:bg-hover aria-pressed:bg-accent-wash";
  return (
    <Panel className="overflow-hidden lg:sticky lg:top-6">
      <button
        type="button"
        data-row=""
        aria-pressed={chosen === ALL}
        onClick={() => onChoose(ALL)}
        className={`${entry} text-sm font-medium`}
      >
        All changes
      </button>
      {isNew && (
        <button
          type="button"
          data-row=""
          aria-pressed={chosen === SINCE}
          onClick={() => onChoose(SINCE)}
          className={`${entry} border-t border-line text-sm font-medium text-ask`}
        >
          New since you looked
        </button>
      )}
      <ol className="max-h-60 divide-y divide-line overflow-y-auto border-t border-line lg:max-h-[70vh]">
        {commits.map(({ commit, subject, task, at }) => (
          <li key={commit}>
            <button
              type="button"
              data-row=""
              aria-pressed={chosen === commit}
              onClick={() => onChoose(commit)}
              className={entry}
            >
              <span className="line-clamp-2 text-sm">{subject}</span>
              <span className="mt-0.5 flex gap-2 text-2xs text-faint">
                <span className="font-mono">{task ?? commit.slice(0, 8)}</span>
                <Ago at={at} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
