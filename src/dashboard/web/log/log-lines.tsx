// The lines of a log. Only those in sight are in the page. It stays at the end while it follows, and stops
// following as soon as a person scrolls up.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { Nothing, Panel } from "../parts/layout.tsx";
import { LogLine } from "./log-line.tsx";
import type { LogRow } from "./rows.ts";

const LINE_HEIGHT = 28;
/** A scroll position is not exact to the pixel on every screen. */
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
  if (rows.length === 0) return <Nothing>No lines match.</Nothing>;
  return (
    <Panel className="overflow-hidden">
      <div
        ref={ref}
        role="log"
        aria-label="Log"
        // Fifty lines a second would be read out without an end.
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
