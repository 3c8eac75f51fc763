import { parseDiff, type FileData } from "react-diff-view";
import "react-diff-view/style/index.css";
import "../diff.css";
import { useMemo } from "react";
import type { StoryDiff } from "../../../protocol/details.ts";
import { Icon } from "../../parts/icon.tsx";
import { Panel } from "../../parts/layout.tsx";
import { count, thousands } from "../../words/format.ts";
import { DiffToolbar, useDiffView } from "../../review/diff-toolbar.tsx";
import { FileDiff, revisionOf, type Reviewing } from "../../review/file-diff.tsx";
import { viewedState } from "../../review/review-notes.ts";
import { pathOf } from "./diff-paths.ts";

/** A file with more changed lines starts closed, and so do the files after this many lines in total. */
const MAX_LINES = 400;
const MAX_OPEN_LINES = 3000;

export function DiffFiles({ diff, reviewing }: { diff: StoryDiff; reviewing: Reviewing }) {
  const { view, canChoose, choose } = useDiffView();
  const files = useMemo(() => parseDiff(diff.diff), [diff.diff]);
  const added = diff.files.reduce((sum, file) => sum + file.added, 0);
  const removed = diff.files.reduce((sum, file) => sum + file.removed, 0);
  const open = initiallyOpen(files, diff.files);
  const shown = new Set(files.map(pathOf));
  const viewed = files.filter(
    (file) => viewedState(reviewing.notes, pathOf(file), revisionOf(file)) === "viewed",
  ).length;
  return (
    <>
      <DiffToolbar
        view={view}
        onChoose={canChoose ? choose : undefined}
        comments={reviewing.canComment ? reviewing.notes.comments.length : undefined}
      >
        <span>{count(diff.files.length, "file")}</span>
        <span className="text-good">+{thousands(added)}</span>
        <span className="text-bad">−{thousands(removed)}</span>
        <span className="text-faint">
          {viewed} of {files.length} viewed
        </span>
      </DiffToolbar>
      {diff.isCut && (
        <p className="mb-3 rounded-xl bg-ask-wash px-4 py-2.5 text-sm text-ask">
          The diff is too large to show in full. See the story's branch for the rest.
        </p>
      )}
      <div className="space-y-3">
        {files.map((file) => (
          <FileDiff
            key={`${file.oldPath} ${file.newPath}`}
            file={file}
            size={sizeOf(file, diff.files)}
            isInitiallyOpen={open.has(file)}
            view={view}
            reviewing={reviewing}
          />
        ))}
        {diff.isCut &&
          diff.files
            .filter(({ path }) => !shown.has(path))
            .map((file) => <LargeFile key={file.path} file={file} />)}
      </div>
    </>
  );
}

const sizeOf = (file: FileData, sizes: StoryDiff["files"]): StoryDiff["files"][number] =>
  sizes.find(({ path }) => path === pathOf(file)) ?? { path: pathOf(file), added: 0, removed: 0 };

/** Rendering all lines of two hundred files would freeze the browser. */
function initiallyOpen(files: readonly FileData[], sizes: StoryDiff["files"]): Set<FileData> {
  const open = new Set<FileData>();
  let remaining = MAX_OPEN_LINES;
  for (const file of files) {
    const { added, removed } = sizeOf(file, sizes);
    const lines = added + removed;
    if (lines > MAX_LINES || lines > remaining) continue;
    open.add(file);
    remaining -= lines;
  }
  return open;
}

function LargeFile({ file: { path, added, removed } }: { file: StoryDiff["files"][number] }) {
  return (
    <Panel className="flex items-center gap-2.5 px-4 py-2.5 text-sm">
      <Icon name="file" className="size-3.5 text-faint" />
      <span className="min-w-0 flex-1 font-mono text-xs break-all">{path}</span>
      <span className="text-xs text-faint">too large to show</span>
      <span className="figure text-xs text-good">+{thousands(added)}</span>
      <span className="figure text-xs text-bad">−{thousands(removed)}</span>
    </Panel>
  );
}
