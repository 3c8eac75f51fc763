import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { count } from "../words/format.ts";
import { STORY_LOOKS, type Look } from "../words/states.ts";
import { BoardCard } from "./board-card.tsx";
import { COLUMN_WORDS, type Column } from "./columns.ts";

const LOOKS: Readonly<Record<Column, Look>> = {
  ready: STORY_LOOKS.ready,
  running: STORY_LOOKS.running,
  "needs-you": STORY_LOOKS.blocked,
  review: STORY_LOOKS.review,
  landing: { word: "Landing", tone: "active", mark: "half" },
  done: STORY_LOOKS.completed,
};

/** The rest is shown on request: hundreds of finished stories would hide the others. */
const MAX_SHOWN = 25;

export function ColumnHead({ column, count: size }: { column: Column; count: number }) {
  return (
    <div className="flex items-center gap-2 px-1 text-[0.8667rem] font-semibold whitespace-nowrap">
      <span aria-hidden="true" className="contents">
        <StateMark look={LOOKS[column]} />
      </span>
      {COLUMN_WORDS[column]}
      <span className="figure text-xs font-normal text-faint">{size}</span>
    </div>
  );
}

export function BoardColumn({
  column,
  ids,
  isChosen,
}: {
  column: Column;
  ids: readonly string[];
  /** On a narrow screen only this column is shown. */
  isChosen: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? ids : ids.slice(0, MAX_SHOWN);
  const hidden = ids.length - shown.length;
  return (
    <div
      data-column={column}
      className={`min-w-0 rounded-xl md:block md:bg-sunken md:p-1.5 ${isChosen ? "" : "hidden"}`}
    >
      <ul aria-label={COLUMN_WORDS[column]} className="space-y-2 md:min-h-8">
        {shown.map((id) => (
          <li key={id}>
            <BoardCard id={id} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button look="quiet" className="mt-1.5 w-full" onClick={() => setWhole(true)}>
          Show {count(hidden, "more story", "more stories")}
        </Button>
      )}
    </div>
  );
}
