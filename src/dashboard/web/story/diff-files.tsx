import { Diff, Hunk, parseDiff, type FileData } from "react-diff-view";
import "react-diff-view/style/index.css";
import "./diff.css";
import { useMemo } from "react";
import type { StoryDiff } from "../../protocol.ts";
import { Icon } from "../parts/icon.tsx";
import { Panel } from "../parts/layout.tsx";
import { count, thousands } from "../words/format.ts";

/** A file with more changed lines than this is opened on demand. */
const MOST_LINES = 400;

export function DiffFiles({ diff }: { diff: StoryDiff }) {
  const files = useMemo(() => parseDiff(diff.diff), [diff.diff]);
  const added = diff.files.reduce((sum, file) => sum + file.added, 0);
  const removed = diff.files.reduce((sum, file) => sum + file.removed, 0);
  return (
    <>
      <p className="figure mb-3 flex gap-3 text-sm text-soft">
        <span>{count(diff.files.length, "file")}</span>
        <span className="text-good">+{thousands(added)}</span>
        <span className="text-bad">−{thousands(removed)}</span>
      </p>
      {diff.isCut && (
        <p className="mb-3 rounded-xl bg-ask-wash px-4 py-2.5 text-sm text-ask">
          It is too large to show whole. The rest is in the story's worktree.
        </p>
      )}
      <div className="space-y-3">
        {files.map((file) => (
          <FileDiff key={`${file.oldPath} ${file.newPath}`} file={file} sizes={diff.files} />
        ))}
      </div>
    </>
  );
}

const NO_FILE = "/dev/null";
const pathOf = ({ newPath, oldPath }: FileData): string =>
  newPath === NO_FILE || newPath === "" ? oldPath : newPath;

function FileDiff({ file, sizes }: { file: FileData; sizes: StoryDiff["files"] }) {
  const path = pathOf(file);
  const { added = 0, removed = 0 } = sizes.find((one) => one.path === path) ?? {};
  const isMoved = file.type === "rename" || file.type === "copy";
  return (
    <Panel className="overflow-hidden">
      <details open={added + removed <= MOST_LINES} className="group">
        <summary
          data-row=""
          className="flex items-center gap-2.5 px-4 py-2.5 text-sm -outline-offset-2 hover:bg-hover"
        >
          <Icon
            name="chevron"
            className="size-3.5 text-faint transition-transform group-open:rotate-90"
          />
          <span className="min-w-0 flex-1 font-mono text-xs">
            {isMoved && `${file.oldPath} → `}
            {path}
          </span>
          {file.type !== "modify" && <span className="text-xs text-faint">{TYPES[file.type]}</span>}
          <span className="figure text-xs text-good">+{added}</span>
          <span className="figure text-xs text-bad">−{removed}</span>
        </summary>
        <div
          className="overflow-x-auto border-t border-line"
          tabIndex={0}
          role="region"
          aria-label={path}
        >
          {file.isBinary || file.hunks.length === 0 ? (
            <p className="px-4 py-3 text-sm text-faint">
              {file.isBinary ? "Not text." : "Nothing in it changed."}
            </p>
          ) : (
            <Diff viewType="unified" diffType={file.type} hunks={file.hunks}>
              {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
            </Diff>
          )}
        </div>
      </details>
    </Panel>
  );
}

const TYPES: Readonly<Record<FileData["type"], string>> = {
  add: "new",
  delete: "removed",
  modify: "changed",
  rename: "renamed",
  copy: "copied",
};
