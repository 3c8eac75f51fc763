// The conflicts of a project, seen from one story or from an epic. Pure.

import { isPartOf, otherSide } from "../../../story/early-warning/conflicts-ahead.ts";
import type { ConflictCard } from "../../protocol/landing.ts";

/** What a story conflicts with. */
export const conflictNames = (
  conflicts: readonly ConflictCard[],
  storyId: string,
): readonly string[] =>
  conflicts
    .filter((conflict) => isPartOf(conflict, storyId))
    .map((conflict) => otherSide(conflict, storyId).name);

export interface Matrix {
  readonly rows: readonly string[];
  /** Every story that one of the rows conflicts with, also outside of the epic, and targets. */
  readonly columns: readonly { readonly kind: "story" | "target"; readonly name: string }[];
  /** Undefined where a row and a column do not conflict. */
  readonly cellAt: (row: string, column: string) => ConflictCard | undefined;
}

/** Of the stories that have a conflict, in the order given. Undefined if none has. */
export function conflictMatrix(
  conflicts: readonly ConflictCard[],
  storyIds: readonly string[],
): Matrix | undefined {
  const rows = storyIds.filter((id) => conflicts.some((conflict) => isPartOf(conflict, id)));
  if (rows.length === 0) return undefined;
  const sides = rows.flatMap((id) =>
    conflicts.filter((one) => isPartOf(one, id)).map((one) => otherSide(one, id)),
  );
  const targets = sides.filter(({ kind }) => kind === "target").map(({ name }) => name);
  const stories = new Set(sides.filter(({ kind }) => kind === "story").map(({ name }) => name));
  const outside = [...stories].filter((name) => !rows.includes(name)).toSorted();
  const inside = rows.filter((name) => stories.has(name));
  return {
    rows,
    columns: [
      ...[...inside, ...outside].map((name) => ({ kind: "story" as const, name })),
      ...[...new Set(targets)].map((name) => ({ kind: "target" as const, name })),
    ],
    cellAt: (row, column) =>
      conflicts.find(
        (conflict) => isPartOf(conflict, row) && otherSide(conflict, row).name === column,
      ),
  };
}

/** The first file without its folders, and how many more there are. */
export function cellText({ files, moreFiles }: Pick<ConflictCard, "files" | "moreFiles">): string {
  const [first = ""] = files;
  const more = files.length - 1 + moreFiles;
  return `${first.slice(first.lastIndexOf("/") + 1)}${more > 0 ? ` +${more}` : ""}`;
}
