// Times that update themselves, on one clock for the whole page.

import { useSyncExternalStore } from "react";
import { ago, duration } from "../words/format.ts";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = Date.now();

function watch(listener: () => void): () => void {
  if (listeners.size === 0) nowMs = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const one of listeners) one();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Redraws only if the result changes, so that "2m ago" is drawn once a minute. */
export const useNow = <T,>(read: (nowMs: number) => T): T =>
  useSyncExternalStore(watch, () => read(nowMs));

/** Changes once a minute. */
export const useMinute = (): number => useNow((now) => Math.floor(now / 60_000) * 60_000);

export function Ago({ at }: { at: string }) {
  const text = useNow((now) => ago(at, now));
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="figure whitespace-nowrap">
      {text}
    </time>
  );
}

/** The time since `from`, or until `to`. */
export function Elapsed({ from, to }: { from: string; to?: string | undefined }) {
  const text = useNow((now) =>
    duration((to === undefined ? now : Date.parse(to)) - Date.parse(from)),
  );
  return <span className="figure whitespace-nowrap">{text}</span>;
}
