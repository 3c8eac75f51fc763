// The lines of a log. Renders only the visible ones. While following, it stays at the end; scrolling up stops
// following.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { Empty, Panel } from "../parts/layout.tsx";
import { LogLine } from "./log-line.tsx";
import type { LogRow } from "./rows.ts";

const LINE_HEIGHT = 28;
/** Scroll positions are not exact to the pixel on every screen. */
const AT_END_PX = 24;

export function LogLines({
  rows,
  search,
  isLive,
  isFollowing,
  onFollow,
}: {
  rows: readonly LogRow[];
  search: string;
  isLive: boolean;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => ref.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (at) => rows[at]?.number ?? at,
    overscan: 20,
    paddingStart: 6,
    paddingEnd: 6,
  });
  const height = lines.getTotalSize();
  useEffect(() => {
    if (isFollowing) ref.current?.scrollTo({ top: height });
  }, [isFollowing, height]);
  const lastTop = useRef(0);
  const onScroll = (): void => {
    const box = ref.current;
    if (box === null) return;
    const isUp = box.scrollTop < lastTop.current;
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX;
    lastTop.current = box.scrollTop;
    if (isUp && !isAtEnd && isFollowing) onFollow(false);
    else if (!isUp && isAtEnd && !isFollowing) onFollow(true);
  };
  if (rows.length === 0) return <Empty>No lines match.</Empty>;
  return (
    <Panel className="overflow-hidden">
      <div
        ref={ref}
        role="log"
        aria-label="Log"
        // A screen reader could not keep up with fifty lines a second.
        aria-live="off"
        tabIndex={0}
        onScroll={onScroll}
        className="h-[calc(100dvh-21rem)] min-h-80 overflow-y-auto -outline-offset-2"
      >
        <div className="relative" style={{ height }}>
          {lines.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            return (
              <div
                key={key}
                ref={lines.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                {row && <LogLine row={row} search={search} isLive={isLive} />}
              </div>
            );
          })}
        </div>
      </div>
    </Panel>
  );
}
