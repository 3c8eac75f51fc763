// All stories, with a filter in the address. Renders only the visible rows.

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { NewButton } from "../define/new-button.tsx";
import { isSameList, useDerived } from "../live/hooks.ts";
import { Select, TextField } from "../parts/field.tsx";
import { Empty, Page, Panel } from "../parts/layout.tsx";
import { STORY_LOOKS } from "../words/states.ts";
import {
  CARD_STATES,
  filterStories,
  readFilter,
  writeFilter,
  type StoryFilter,
} from "./story-filter.ts";
import { StoryLine } from "./story-line.tsx";

const LINE_HEIGHT = 61;

export function StoriesPage() {
  const [parameters] = useSearchParams();
  const [, navigate] = useLocation();
  const filter = readFilter(parameters);
  const ids = useDerived(
    ({ stories }) => filterStories(Object.values(stories), filter).map(({ id }) => id),
    isSameList,
  );
  const total = useDerived(({ stories }) => Object.keys(stories).length);
  const change = (next: Partial<StoryFilter>): void =>
    navigate(`/stories${writeFilter({ ...filter, ...next })}`, { replace: true });
  return (
    <Page
      title="Stories"
      aside={
        <div className="flex flex-wrap items-center gap-3">
          <p className="figure text-sm text-faint" role="status">
            {ids.length === total ? total : `${ids.length} of ${total}`}
          </p>
          <NewButton kind="epic" />
          <NewButton kind="story" />
        </div>
      }
    >
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <TextField
          label="Filter stories"
          isLabelHidden
          type="search"
          placeholder="Filter by title, id or label"
          className="min-w-56 flex-1"
          value={filter.search}
          onChange={(event) => change({ search: event.target.value })}
        />
        <StateSelect value={filter.state} onChange={(state) => change({ state })} />
      </div>
      {ids.length > 0 ? (
        <StoryList ids={ids} />
      ) : (
        <Empty>{total === 0 ? "No stories yet." : "No stories match."}</Empty>
      )}
    </Page>
  );
}

function StateSelect({
  value,
  onChange,
}: {
  value: StoryFilter["state"];
  onChange: (state: StoryFilter["state"]) => void;
}) {
  return (
    <Select
      label="State"
      value={value}
      options={[
        { value: "all", word: "All states" },
        { value: "needs-you", word: "Needs you" },
        ...CARD_STATES.map((state) => ({
          value: state,
          word: `${STORY_LOOKS[state].word}${state === "in-progress" ? " (old format)" : ""}`,
        })),
      ]}
      onChange={onChange}
    />
  );
}

function StoryList({ ids }: { ids: readonly string[] }) {
  const ref = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(ref.current?.offsetTop ?? 0), []);
  const lines = useWindowVirtualizer({
    count: ids.length,
    estimateSize: () => LINE_HEIGHT,
    overscan: 12,
    scrollMargin: top,
  });
  return (
    <Panel className="@container overflow-hidden">
      <ul ref={ref} className="relative" style={{ height: lines.getTotalSize() }}>
        {lines.getVirtualItems().map(({ index, start, key }) => (
          <li
            key={key}
            aria-setsize={ids.length}
            aria-posinset={index + 1}
            className="absolute inset-x-0 border-b border-line"
            style={{ height: LINE_HEIGHT, transform: `translateY(${start - top}px)` }}
          >
            <StoryLine id={ids[index] ?? ""} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
