// The counts of a diff, and the choice of its view: side by side or unified, and always unified where two columns do not fit.

import { useCallback, useState, useSyncExternalStore, type ReactNode } from "react";
import { Segments } from "../parts/field.tsx";
import { readStored, writeStored } from "../shell/browser-storage.ts";
import { count } from "../words/format.ts";
import { REVIEW_PANEL } from "./review-panel.tsx";

export type DiffView = "unified" | "split";

const VIEWS = [
  { value: "unified", shown: "Unified" },
  { value: "split", shown: "Side by side" },
] as const;

export function DiffToolbar({
  view,
  onChoose,
  comments,
  children,
}: {
  view: DiffView;
  /** Undefined where only one view fits. */
  onChoose: ((view: DiffView) => void) | undefined;
  /** Undefined if the story cannot be reviewed now. */
  comments: number | undefined;
  children: ReactNode;
}) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="figure flex flex-wrap gap-x-3 text-sm text-soft">{children}</p>
      <div className="ml-auto flex items-center gap-3">
        {onChoose && (
          <Segments label="Show lines" value={view} segments={VIEWS} onChange={onChoose} />
        )}
        {comments !== undefined && (
          <a
            href={`#${REVIEW_PANEL}`}
            onClick={(event) => {
              event.preventDefault();
              const panel = document.querySelector(`#${REVIEW_PANEL}`);
              panel?.scrollIntoView({ block: "center" });
              panel?.querySelector("textarea")?.focus({ preventScroll: true });
            }}
            className="text-sm font-medium text-accent hover:underline"
          >
            {comments === 0
              ? "Finish the review"
              : `Finish the review (${count(comments, "comment")})`}
          </a>
        )}
      </div>
    </div>
  );
}

const KEY = "saga-diff-view";
const WIDE = "(min-width: 64rem)";

export function useDiffView(): {
  readonly view: DiffView;
  readonly canChoose: boolean;
  readonly choose: (view: DiffView) => void;
} {
  const [chosen, setChosen] = useState<DiffView>(() =>
    readStored(KEY) === "split" ? "split" : "unified",
  );
  const isWide = useSyncExternalStore(watchWidth, () => matchMedia(WIDE).matches);
  const choose = useCallback((view: DiffView) => {
    writeStored(KEY, view);
    setChosen(view);
  }, []);
  return { view: isWide ? chosen : "unified", canChoose: isWide, choose };
}

function watchWidth(listener: () => void): () => void {
  const query = matchMedia(WIDE);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}
