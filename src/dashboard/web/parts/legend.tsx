// Explains the colours of bars. Only completed parts are filled; the rest is outlined.

import type { Tone } from "../words/states.ts";

export const TONE_FILL: Readonly<Record<Tone, string>> = {
  idle: "bg-line",
  active: "border border-active-mark bg-accent-wash",
  ask: "border border-ask-mark bg-ask-wash",
  bad: "border border-bad-mark bg-bad-wash",
  good: "bg-good-mark",
};

export interface LegendEntry {
  readonly key: string;
  readonly word: string;
  /** The classes of the colour. */
  readonly fill: string;
}

export function Legend({
  entries,
  className = "",
}: {
  entries: readonly LegendEntry[];
  className?: string;
}) {
  return (
    <ul
      aria-label="Legend"
      className={`flex flex-wrap gap-x-4 gap-y-1 text-xs text-faint ${className}`}
    >
      {entries.map(({ key, word, fill }) => (
        <li key={key} className="inline-flex items-center gap-1.5">
          <span aria-hidden="true" className={`h-1.5 w-3.5 rounded-full ${fill}`} />
          {word}
        </li>
      ))}
    </ul>
  );
}

const STORY_WORDS: Readonly<Record<Tone, string>> = {
  good: "completed",
  active: "running",
  ask: "needs you",
  bad: "failed",
  idle: "to do",
};

/** The stories of an epic, counted by tone. */
export const storyEntries = (tones: readonly (readonly [Tone, number])[]): LegendEntry[] =>
  tones
    .filter(([, count]) => count > 0)
    .map(([tone, count]) => ({
      key: tone,
      word: `${count} ${STORY_WORDS[tone]}`,
      fill: TONE_FILL[tone],
    }));
