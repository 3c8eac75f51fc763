// All stories in columns by what happens to them next. On a narrow screen one column at a time.

import { useRef, useState, type KeyboardEvent } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { NewButton } from "../define/new-button.tsx";
import { useDerived, useHasSnapshot } from "../live/hooks.ts";
import { Empty } from "../parts/layout.tsx";
import { Select } from "../parts/field.tsx";
import { BoardColumn, ColumnHead } from "./board-column.tsx";
import { nextPlace } from "./card-grid.ts";
import { COLUMN_WORDS, COLUMNS, type Column } from "./columns.ts";
import {
  columnCounts,
  GROUPINGS,
  lanesOf,
  readGrouping,
  type Grouping,
  type BoardLane,
} from "./lanes.ts";

const GROUPING_WORDS: Readonly<Record<Grouping, string>> = {
  none: "No groups",
  epic: "By epic",
  label: "By label",
  priority: "By priority",
};

export function BoardPage() {
  const [parameters] = useSearchParams();
  const [, navigate] = useLocation();
  const by = readGrouping(parameters.get("by"));
  const lanes = useDerived((entities) => lanesOf(entities, by), isSameBoard);
  const hasSnapshot = useHasSnapshot();
  return (
    <div className="w-full px-4 pt-5 pb-24 md:px-8 md:pt-8 md:pb-12">
      <header className="mb-5 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1 className="text-[1.4667rem] leading-tight font-semibold tracking-[-0.018em]">Board</h1>
        <div className="flex items-center gap-2">
          <Select
            label="Group"
            value={by}
            options={GROUPINGS.map((value) => ({ value, word: GROUPING_WORDS[value] }))}
            onChange={(next) => navigate(next === "none" ? "/board" : `/board?by=${next}`)}
          />
          <NewButton kind="story" />
        </div>
      </header>
      {lanes.length > 0 ? <Lanes lanes={lanes} /> : hasSnapshot && <Empty>No stories yet.</Empty>}
    </div>
  );
}

const isSameBoard = (one: readonly BoardLane[], other: readonly BoardLane[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function Lanes({ lanes }: { lanes: readonly BoardLane[] }) {
  const ref = useRef<HTMLDivElement>(null);
  const counts = columnCounts(lanes);
  // On a narrow screen: the first column that a person has something to do in.
  const [chosen, setChosen] = useState<Column>();
  const shown = chosen ?? FIRST_LOOK.find((column) => counts[column] > 0) ?? "ready";
  return (
    <>
      <ColumnTabs counts={counts} shown={shown} onChoose={setChosen} />
      <div className="md:-mx-8 md:overflow-x-auto md:px-8 md:pb-4">
        <div
          ref={ref}
          role="presentation"
          onKeyDown={(event) => moveFocus(event, ref.current)}
          className="min-w-0 md:min-w-max lg:min-w-0"
        >
          <div className={`${GRID} mb-2 hidden md:grid`} style={columnWidths(counts)}>
            {COLUMNS.map((column) => (
              <ColumnHead key={column} column={column} count={counts[column]} />
            ))}
          </div>
          {lanes.map((lane) => (
            <section key={lane.key} aria-label={lane.title ?? "Stories"} className="mb-6">
              {lane.title !== undefined && <LaneHead lane={lane} shown={shown} />}
              <div className={`${GRID} md:grid`} style={columnWidths(counts)}>
                {COLUMNS.map((column) => (
                  <BoardColumn
                    key={column}
                    column={column}
                    ids={lane.columns[column]}
                    isChosen={column === shown}
                  />
                ))}
              </div>
            </section>
          ))}
        </div>
      </div>
    </>
  );
}

const GRID = "gap-x-3";

const FIRST_LOOK: readonly Column[] = [
  "needs-you",
  "review",
  "running",
  "ready",
  "landing",
  "done",
];

/** An empty column is only as wide as its head. */
const columnWidths = (counts: Readonly<Record<Column, number>>) => ({
  gridTemplateColumns: COLUMNS.map((column) =>
    counts[column] > 0 ? "minmax(10.8rem, 1fr)" : "6.2rem",
  ).join(" "),
});

function LaneHead({ lane, shown }: { lane: BoardLane; shown: Column }) {
  const total = COLUMNS.reduce((sum, column) => sum + lane.columns[column].length, 0);
  return (
    <h2
      className={`mb-2 flex items-baseline gap-2 border-t border-line pt-3 text-sm font-semibold ${lane.columns[shown].length === 0 ? "max-md:hidden" : ""}`}
    >
      {lane.href === undefined ? (
        lane.title
      ) : (
        <Link href={lane.href} className="hover:text-accent">
          {lane.title}
        </Link>
      )}
      <span className="figure text-xs font-normal text-faint">{total}</span>
    </h2>
  );
}

/** On a narrow screen only one column is shown. */
function ColumnTabs({
  counts,
  shown,
  onChoose,
}: {
  counts: Readonly<Record<Column, number>>;
  shown: Column;
  onChoose: (column: Column) => void;
}) {
  return (
    <div
      role="group"
      aria-label="Column"
      className="-mx-4 mb-4 flex gap-2 overflow-x-auto px-4 pb-1 md:hidden"
    >
      {COLUMNS.map((column) => (
        <button
          key={column}
          type="button"
          aria-pressed={column === shown}
          onClick={() => onChoose(column)}
          className="flex h-9 shrink-0 items-center gap-1.5 rounded-full border border-line bg-surface px-3 text-sm text-soft aria-pressed:border-accent aria-pressed:bg-accent-wash aria-pressed:font-medium aria-pressed:text-accent"
        >
          {COLUMN_WORDS[column]}
          <span className="figure text-xs">{counts[column]}</span>
        </button>
      ))}
    </div>
  );
}

/** The arrow keys move between cards. Not while a button or menu of a card has the focus. */
function moveFocus(event: KeyboardEvent, board: HTMLElement | null): void {
  if (board === null || !(event.target instanceof HTMLElement)) return;
  if (event.target.dataset["card"] === undefined) return;
  const grid = [...board.querySelectorAll("section")].map((lane) =>
    [...lane.querySelectorAll("[data-column]")].map((column) => [
      ...column.querySelectorAll<HTMLElement>("[data-card]"),
    ]),
  );
  for (const [lane, columns] of grid.entries()) {
    for (const [column, cards] of columns.entries()) {
      const card = cards.indexOf(event.target);
      if (card === -1) continue;
      const sizes = grid.map((one) => one.map((cardsOf) => cardsOf.length));
      const next = nextPlace({ lane, column, card }, event.key, sizes);
      if (next === undefined) return;
      event.preventDefault();
      grid[next.lane]?.[next.column]?.[next.card]?.focus();
      return;
    }
  }
}
