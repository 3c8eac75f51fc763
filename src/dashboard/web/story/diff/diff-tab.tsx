// The changes of the story, or of one of its commits, by file.

import { useState } from "react";
import { storyAddress, useDetail } from "../../live/hooks.ts";
import type { CommitCard, StoryDiff } from "../../../protocol/details.ts";
import { Loading, Empty, Panel } from "../../parts/layout.tsx";
import { Ago } from "../../parts/time.tsx";
import { DiffFiles } from "./diff-files.tsx";
import type { TabProps } from "../story-page.tsx";

const ALL = "";

export function DiffTab({ story, detail }: TabProps) {
  const [commit, setCommit] = useState(ALL);
  const address = `${storyAddress(story.id)}/diff${commit === ALL ? "" : `?commit=${encodeURIComponent(commit)}`}`;
  // A commit never changes, so it needs no version.
  const { value, error } = useDetail<StoryDiff>(address, commit === ALL ? detail.version : 0);
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[15rem_minmax(0,1fr)]">
      <CommitList commits={detail.commits} chosen={commit} onChoose={setCommit} />
      <div className="min-w-0">
        {error !== undefined && <p className="mb-3 text-sm text-bad">{error}</p>}
        {value === undefined ? (
          error === undefined && <Loading what="the diff" />
        ) : value.files.length === 0 ? (
          <Empty>No files changed.</Empty>
        ) : (
          <DiffFiles key={commit} diff={value} />
        )}
      </div>
    </div>
  );
}

function CommitList({
  commits,
  chosen,
  onChoose,
}: {
  commits: readonly CommitCard[];
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
