import { Diff, Hunk, parseDiff, type FileData } from "react-diff-view";
import "react-diff-view/style/index.css";
import "../diff.css";
import { useMemo, useState } from "react";
import type { StoryDiff } from "../../../protocol/details.ts";
import { Icon } from "../../parts/icon.tsx";
import { Panel } from "../../parts/layout.tsx";
import { count, thousands } from "../../words/format.ts";
import { pathOf, unquoted } from "./diff-paths.ts";

/** A file with more changed lines starts closed, and so do the files after this many lines in total. */
const MAX_LINES = 400;
const MAX_OPEN_LINES = 3000;

export function DiffFiles({ diff }: { diff: StoryDiff }) {
  const files = useMemo(() => parseDiff(diff.diff), [diff.diff]);
  const added = diff.files.reduce((sum, file) => sum + file.added, 0);
  const removed = diff.files.reduce((sum, file) => sum + file.removed, 0);
  const open = initiallyOpen(files, diff.files);
  const shown = new Set(files.map(pathOf));
  return (
    <>
      <p className="figure mb-3 flex gap-3 text-sm text-soft">
        <span>{count(diff.files.length, "file")}</span>
        <span className="text-good">+{thousands(added)}</span>
        <span className="text-bad">−{thousands(removed)}</span>
      </p>
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

interface FileDiffProps {
  readonly file: FileData;
  readonly size: StoryDiff["files"][number];
  readonly isInitiallyOpen: boolean;
}

function FileDiff({ file, size: { path, added, removed }, isInitiallyOpen }: FileDiffProps) {
  const [isOpen, setOpen] = useState(isInitiallyOpen);
  const isMoved = file.type === "rename" || file.type === "copy";
  return (
    <Panel className="overflow-hidden">
      <details
        open={isOpen}
        onToggle={(event) => setOpen(event.currentTarget.open)}
        className="group"
      >
        <summary
          data-row=""
          className="flex items-center gap-2.5 px-4 py-2.5 text-sm -outline-offset-2 hover:bg-hover"
        >
          <Icon
            name="chevron"
            className="size-3.5 text-faint transition-transform group-open:rotate-90"
          />
          <span className="min-w-0 flex-1 font-mono text-xs break-all">
            {isMoved && `${unquoted(file.oldPath)} → `}
            {path}
          </span>
          {file.type !== "modify" && <span className="text-xs text-faint">{TYPES[file.type]}</span>}
          <span className="figure text-xs text-good">+{added}</span>
          <span className="figure text-xs text-bad">−{removed}</span>
        </summary>
        {isOpen && <FileLines file={file} path={path} />}
      </details>
    </Panel>
  );
}

function FileLines({ file, path }: { file: FileData; path: string }) {
  return (
    <div
      className="overflow-x-auto border-t border-line"
      tabIndex={0}
      role="region"
      aria-label={path}
    >
      {file.hunks.length === 0 ? (
        <p className="px-4 py-3 text-sm text-faint">{withoutLines(file)}</p>
      ) : (
        <Diff viewType="unified" diffType={file.type} hunks={file.hunks}>
          {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
        </Diff>
      )}
    </div>
  );
}

/** The library cannot tell a new image from a file whose mode changed. */
const withoutLines = ({ type }: FileData): string =>
  type === "rename" || type === "copy"
    ? "Only the name changed."
    : "No lines to show: the file is binary or empty, or only its mode changed.";

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

const TYPES: Readonly<Record<FileData["type"], string>> = {
  add: "new",
  delete: "removed",
  modify: "changed",
  rename: "renamed",
  copy: "copied",
};
