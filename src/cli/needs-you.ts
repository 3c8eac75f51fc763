// The stories that wait for a person, each with the command that is next.

import type { StoryView } from "../store/overview.ts";
import type { StoryState } from "../story/state.ts";
import { plain, stateMark, stateName, type Paint } from "./output.ts";

const NEXT: Readonly<Partial<Record<StoryState, (id: string) => string>>> = {
  blocked: (id) => `saga resolve ${id} "…"`,
  failed: (id) => `saga logs ${id}`,
  interrupted: (id) => `saga resume ${id}`,
  stalled: (id) => `saga logs ${id} -f`,
  review: (id) => `saga show ${id}`,
};

export const NEEDS_YOU: ReadonlySet<StoryState> = new Set(Object.keys(NEXT) as StoryState[]);

export interface Need {
  readonly id: string;
  readonly state: StoryState;
  /** What it asks, or why it failed. */
  readonly about?: readonly string[] | undefined;
}

export const questionLines = ({ openBlockers }: Pick<StoryView, "openBlockers">): string[] =>
  openBlockers.map(({ blocker, title }) => `${blocker}: ${plain(title)}`);

export function needLines(needs: readonly Need[], paint: Paint): string[] {
  const widest = (texts: readonly string[]): number =>
    Math.max(...texts.map(({ length }) => length));
  const idWidth = widest(needs.map(({ id }) => id));
  const stateWidth = widest(needs.map(({ state }) => state));
  return needs.flatMap(({ id, state, about = [] }) => {
    const next = paint("dim", NEXT[state]?.(id) ?? "");
    const name = stateName(state, paint, stateWidth);
    return [
      `  ${stateMark(state, paint)} ${id.padEnd(idWidth)}  ${name}  ${next}`,
      ...about.map((line) => `      ${line}`),
    ];
  });
}
