// How large one task may become, and what its agent and the journal read when it comes near or over that.

import type { ChangeSize } from "../../repo/diff/measure-changes.ts";
import type { SizeCeiling } from "../../story/definition/validate.ts";

export type TaskSize = "small" | "near" | "over";

/** From here on the agent is warned. */
const WARN_AT = 0.8;

export function judgeSize(
  { files, lines }: ChangeSize,
  { maxFiles, maxLines }: SizeCeiling,
): TaskSize {
  if (files > maxFiles || lines > maxLines) return "over";
  return files >= maxFiles * WARN_AT || lines >= maxLines * WARN_AT ? "near" : "small";
}

export const grownText = (size: ChangeSize, ceiling: SizeCeiling): string =>
  `The task has grown to ${sizeText(size)}; the ceiling for one task is ${ceilingText(ceiling)}.`;

export const nearCeilingNote = (task: string, size: ChangeSize, ceiling: SizeCeiling): string =>
  `Saga: the task ${task} has changed ${sizeText(size)} so far; the ceiling for one task is ${ceilingText(ceiling)}. Finish only what belongs to it, and complete it. If it grows past the ceiling, you are stopped, the work so far is committed, and the rest becomes new tasks.`;

export const overCeilingNote = (task: string, size: ChangeSize, ceiling: SizeCeiling): string =>
  `Saga: the task ${task} has changed ${sizeText(size)}; the ceiling for one task is ${ceilingText(ceiling)}. It counts, because it was complete when this was noticed; the journal tells the person. Keep the other tasks below the ceiling: one that grows past it is stopped and split.`;

export const overCeilingEntry = (
  task: string,
  size: ChangeSize,
  ceiling: SizeCeiling,
): { readonly title: string; readonly body: string } => ({
  title: `${task} is larger than a task should be`,
  body: `It changed ${sizeText(size)}; the ceiling for one task is ${ceilingText(ceiling)}. It was complete before this was noticed, so it counts. Review it with care.`,
});

const sizeText = ({ files, lines }: ChangeSize): string => `${files} files and ${lines} lines`;

const ceilingText = ({ maxFiles, maxLines }: SizeCeiling): string =>
  sizeText({ files: maxFiles, lines: maxLines });
