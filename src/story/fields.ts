// The fields that the formats of story, epic and task share.

import * as z from "zod";
import { idFault, idPattern, MAX_ID_LENGTH, type IdKind } from "./names.ts";

export const STATUSES = ["pending", "in_progress", "completed"] as const;
export const status = z.enum(STATUSES);
export type Status = z.infer<typeof status>;

export const DEFAULT_PRIORITY = 3;

const id = (kind: IdKind) =>
  z
    .string()
    .superRefine((value, context) => {
      const fault = idFault(kind, value);
      if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    })
    .meta({
      description: `The id of ${kind === "epic" ? "an" : "a"} ${kind}; also its file name.`,
      // The same rules once more, for editors.
      pattern: idPattern(kind),
      maxLength: MAX_ID_LENGTH,
    });

export const epicId = id("epic");
export const storyId = id("story");
export const taskId = id("task");

// oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Shown in lists, commit subjects and terminals: one line, nothing that moves a cursor. */
export const oneLine = z
  .string()
  .max(200, "is longer than 200 characters")
  .refine((text) => text.trim() !== "", "is empty")
  .refine((text) => !CONTROL.test(text), "holds a line break or control character");

export const prose = z.string().refine((text) => text.trim() !== "", "is empty");

/** Globs are matched from the top of the worktree and never leave it. */
export const glob = z
  .string()
  .refine((text) => text.trim() !== "", "is empty")
  .refine((text) => !text.startsWith("/") && !text.startsWith("~"), "is not inside the project")
  .refine((text) => !text.split(/[/\\]/).includes(".."), "climbs out of the project");

/** A command line as a person types it, run by `sh -c` in the worktree. */
export const check = z.string().refine((text) => text.trim() !== "", "is empty");

/** TOML bare keys, because the context file names its sections by label. */
export const label = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, "may only hold letters, digits, dashes and underscores");

export const priority = z.int("must be a whole number").min(0).max(4);

/** What git itself refuses in the name of a branch. */
const NO_BRANCH =
  // oxlint-disable-next-line no-control-regex -- control characters are among it
  /^-|^\/|\/$|\/\/|\.\.|@\{|^@$|\.$|(?:^|\/)\.|\.lock(?:\/|$)|[\u0000-\u0020~^:?*[\\\u007f]/;
export const branch = z
  .string()
  .refine((text) => text !== "" && !NO_BRANCH.test(text), "is not a branch name");

/** A page on a forge, or a record of the embedded one. */
export const pullRequest = z
  .string()
  .regex(/^(?:https?:\/\/\S+|local\/\d+)$/, "is neither a web address nor `local/<number>`");

export const idList = (kind: IdKind) =>
  z.array(id(kind)).superRefine((ids, context) => {
    for (const index of repeatsIn(ids)) {
      context.addIssue({ code: "custom", path: [index], message: `lists ${ids[index]} twice` });
    }
  });

/** Where something stands that stood before. */
export function repeatsIn(ids: readonly string[]): number[] {
  const seen = new Set<string>();
  return ids.flatMap((one, index) => {
    if (seen.has(one)) return [index];
    seen.add(one);
    return [];
  });
}
