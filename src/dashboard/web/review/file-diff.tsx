// One file of a diff: its lines, a mark that it was viewed, and comments.

import {
  Diff,
  findChangeByNewLineNumber,
  findChangeByOldLineNumber,
  getChangeKey,
  Hunk,
  isDelete,
  isInsert,
  type ChangeData,
  type FileData,
  type HunkData,
  type HunkTokens,
} from "react-diff-view";
import { useEffect, useState, type ReactNode } from "react";
import type { StoryDiff } from "../../protocol/details.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Panel } from "../parts/layout.tsx";
import { unquoted } from "../story/diff/diff-paths.ts";
import { CommentCard, CommentForm } from "./comment-box.tsx";
import { viewedState, withComment, withoutComment, withViewed } from "./review-notes.ts";
import type { ChangeNotes, ReviewComment, ReviewNotes } from "./review-notes.ts";
import type { DiffView } from "./diff-toolbar.tsx";
import { languageOf } from "./language.ts";

export interface Reviewing {
  readonly notes: ReviewNotes;
  readonly onChange: ChangeNotes;
  /** The story's last commit. */
  readonly tip: string | undefined;
  readonly canComment: boolean;
}

interface FileDiffProps {
  readonly file: FileData;
  readonly size: StoryDiff["files"][number];
  readonly isInitiallyOpen: boolean;
  readonly view: DiffView;
  readonly reviewing: Reviewing;
}

export function FileDiff({ file, size, isInitiallyOpen, view, reviewing }: FileDiffProps) {
  const { path, added, removed } = size;
  const { notes, onChange, tip, canComment } = reviewing;
  const state = viewedState(notes, path, revisionOf(file));
  const [isOpen, setOpen] = useState(isInitiallyOpen && state !== "viewed");
  const [draft, setDraft] = useState<Draft>();
  const isMoved = file.type === "rename" || file.type === "copy";
  const mark = (isViewed: boolean): void => {
    onChange((before) =>
      withViewed(before, path, isViewed ? { revision: revisionOf(file), tip } : undefined),
    );
    setOpen(!isViewed);
  };
  const startComment = (next: Draft): void => {
    setDraft(next);
    setOpen(true);
  };
  return (
    <Panel className="overflow-hidden">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm">
        <button
          type="button"
          data-row=""
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 basis-56 items-center gap-2.5 py-0.5 text-left"
        >
          <Icon
            name="chevron"
            className={`size-3.5 text-faint transition-transform ${isOpen ? "rotate-90" : ""}`}
          />
          <span className="min-w-0 font-mono text-xs break-all">
            {isMoved && `${unquoted(file.oldPath)} → `}
            {path}
          </span>
        </button>
        {file.type !== "modify" && <span className="text-xs text-faint">{TYPES[file.type]}</span>}
        <span className="figure text-xs text-good">+{added}</span>
        <span className="figure text-xs text-bad">−{removed}</span>
        {state === "changed" && (
          <span className="rounded-full bg-ask-wash px-2 py-0.5 text-2xs font-medium text-ask">
            Changed since you viewed it
          </span>
        )}
        {canComment && (
          <Button
            look="quiet"
            className="h-7 text-xs"
            aria-label={`Comment on ${path}`}
            onClick={() => startComment({ side: "new" })}
          >
            Comment
          </Button>
        )}
        <label className="flex items-center gap-1.5 text-xs text-soft">
          <input
            type="checkbox"
            aria-label={`Viewed ${path}`}
            checked={state === "viewed"}
            onChange={(event) => mark(event.target.checked)}
          />
          Viewed
        </label>
      </div>
      {isOpen && (
        <FileLines
          file={file}
          path={path}
          view={view}
          reviewing={reviewing}
          draft={draft}
          onDraft={startComment}
          onEnd={() => setDraft(undefined)}
        />
      )}
    </Panel>
  );
}

/** A comment that is being written. Without a key it is about the whole file. */
interface Draft {
  readonly key?: string;
  readonly line?: number;
  readonly side: "old" | "new";
  readonly code?: string;
}

/** The git object of its content. A file that was only renamed has none. */
export const revisionOf = ({ newRevision, newPath, newMode }: FileData): string =>
  newRevision || `${newPath} ${newMode}`;

function FileLines({
  file,
  path,
  view,
  reviewing: { notes, onChange, canComment },
  draft,
  onDraft,
  onEnd,
}: {
  file: FileData;
  path: string;
  view: DiffView;
  reviewing: Reviewing;
  draft: Draft | undefined;
  onDraft: (draft: Draft) => void;
  onEnd: () => void;
}) {
  const tokens = useTokens(path, file.hunks);
  const own = notes.comments.filter((comment) => comment.file === path);
  const card = (comment: ReviewComment): ReactNode => (
    <CommentCard
      key={comment.id}
      comment={comment}
      onRemove={() => onChange((before) => withoutComment(before, comment.id))}
    />
  );
  const form = draft && (
    <CommentForm
      label={draft.line === undefined ? `Comment on ${path}` : `Comment on line ${draft.line}`}
      hasLine={draft.line !== undefined}
      onCancel={onEnd}
      onAdd={(text, line = draft.line) => {
        const { side, code = codeAt(file, line) } = draft;
        const id = crypto.randomUUID();
        onChange((before) => withComment(before, { id, file: path, line, side, code, text }));
        onEnd();
      }}
    />
  );
  const placed = own.map((comment) => ({ comment, key: keyOf(file, comment) }));
  const keys = new Set([...placed.map(({ key }) => key), draft?.key]);
  const widgets = Object.fromEntries(
    [...keys].flatMap((key) =>
      key === undefined
        ? []
        : [
            [
              key,
              <div key={key}>
                {placed.filter((one) => one.key === key).map(({ comment }) => card(comment))}
                {draft?.key === key && form}
              </div>,
            ] as const,
          ],
    ),
  );
  return (
    <div className="border-t border-line">
      {draft && draft.key === undefined && form}
      {placed.filter(({ key }) => key === undefined).map(({ comment }) => card(comment))}
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={path}>
        {file.hunks.length === 0 ? (
          <p className="px-4 py-3 text-sm text-faint">{withoutLines(file)}</p>
        ) : (
          <Diff
            viewType={view}
            diffType={file.type}
            hunks={file.hunks}
            tokens={tokens ?? null}
            widgets={widgets}
            className={canComment ? "can-comment" : ""}
            gutterEvents={
              canComment ? { onClick: ({ change }) => change && onDraft(draftOf(change)) } : {}
            }
          >
            {(hunks) => hunks.map((hunk) => <Hunk key={hunk.content} hunk={hunk} />)}
          </Diff>
        )}
      </div>
    </div>
  );
}

/** Colouring more lines at once would be felt. */
const MAX_LINES = 3000;

/** Undefined until the highlighter is loaded, and for files that are shown without colours. */
function useTokens(path: string, hunks: readonly HunkData[]): HunkTokens | undefined {
  const [tokens, setTokens] = useState<HunkTokens>();
  useEffect(() => {
    let isGone = false;
    const lines = hunks.reduce((sum, { changes }) => sum + changes.length, 0);
    if (lines > MAX_LINES) return undefined;
    void import("./highlight.ts").then(({ highlightHunks }) => {
      if (!isGone) setTokens(highlightHunks(hunks, languageOf(path)));
    });
    return () => {
      isGone = true;
    };
  }, [path, hunks]);
  return tokens;
}

function draftOf(change: ChangeData): Draft {
  const key = getChangeKey(change);
  const code = change.content;
  if (isDelete(change)) return { key, code, side: "old", line: change.lineNumber };
  const line = isInsert(change) ? change.lineNumber : change.newLineNumber;
  return { key, code, side: "new", line };
}

/** Undefined if the line is no longer part of the diff: the comment is then shown above it. */
function keyOf({ hunks }: FileData, { line, side }: ReviewComment): string | undefined {
  if (line === undefined) return undefined;
  const find = side === "old" ? findChangeByOldLineNumber : findChangeByNewLineNumber;
  const change = find(hunks, line);
  return change && getChangeKey(change);
}

const codeAt = ({ hunks }: FileData, line: number | undefined): string | undefined =>
  line === undefined ? undefined : findChangeByNewLineNumber(hunks, line)?.content;

/** The library cannot tell a new image from a file whose mode changed. */
const withoutLines = ({ type }: FileData): string =>
  type === "rename" || type === "copy"
    ? "Only the name changed."
    : "No lines to show: the file is binary or empty, or only its mode changed.";

const TYPES: Readonly<Record<FileData["type"], string>> = {
  add: "new",
  delete: "removed",
  modify: "changed",
  rename: "renamed",
  copy: "copied",
};
