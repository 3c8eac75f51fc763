// Resolves a word on the command line to a story or epic: by its id, or by a unique short form (`create` for
// `todo-crud--create`). Reads file names only, not their content.

import { existsSync } from "node:fs";
import { SagaError } from "../../errors.ts";
import { findArchived, findStory, newReading, storyAndEpicIds } from "../../store/project/find.ts";
import { runsFolder, type Layout } from "../../store/project/layout.ts";
import { idProblem, isPoolName } from "../../story/definition/names.ts";
import { didYouMean, nearestNames } from "../../text/did-you-mean.ts";

export type NamedKind = "story" | "epic" | "story-or-epic";

/** The names of arguments that take a story or an epic. */
const KINDS: Readonly<Record<string, NamedKind>> = {
  story: "story",
  stories: "story",
  epic: "epic",
  "story-or-epic": "story-or-epic",
};

export const kindOfArgument = (name: string): NamedKind | undefined => KINDS[name];

/** Returns the full id. An unknown or ambiguous word is returned unchanged: the command reports it. */
export function resolveId(at: Layout, kind: NamedKind, word: string): string {
  const [name = "", ...task] = word.split("/");
  if (kind === "epic" || idProblem("story", name) !== undefined || isKnown(at, name)) return word;
  const { stories, epics } = storyAndEpicIds(at);
  if (kind === "story-or-epic" && epics.includes(name)) return word;
  const active = endingIn(name, stories);
  const found = active.length > 0 ? active : endingIn(name, findArchived(at, newReading()));
  const [only, ...others] = found;
  return only !== undefined && others.length === 0 ? [only, ...task].join("/") : word;
}

/** Whether the word names a story or an epic, in full or in short. */
export const isName = (at: Layout, word: string): boolean =>
  isKnown(at, word) ||
  storyAndEpicIds(at).epics.includes(word) ||
  resolveId(at, "story", word) !== word;

/** A story whose files were deleted still counts: its runs can be shown and its worker stopped. */
const isKnown = (at: Layout, id: string): boolean =>
  isPoolName(id) || findStory(at, id) !== undefined || existsSync(`${runsFolder(at)}/${id}`);

/** The last part of an id; without such an id, its first words: `setup` for `user-auth--setup-db`. */
function endingIn(name: string, ids: readonly string[]): string[] {
  const exact = ids.filter((id) => id.endsWith(`--${name}`));
  if (exact.length > 0) return exact;
  return ids.filter((id) => `--${id}`.includes(`--${name}-`) && !id.startsWith(`${name}--`));
}

export interface NamedWord {
  readonly kind: NamedKind;
  readonly word: string;
}

/** Adds "Did you mean …?" to a not-found error about one of these words. */
export function withSuggestion(
  error: unknown,
  at: Layout,
  words: readonly NamedWord[],
  command: string,
): unknown {
  if (!(error instanceof SagaError) || error.code !== "not-found") return error;
  const about = words.find(({ word }) => idIn(word) === error.missingId);
  const suggestion = about && suggestionFor(at, about, command);
  if (suggestion === undefined) return error;
  const { code, message, hint, problems, missingId } = error;
  return new SagaError(code, message, {
    hint: [suggestion, ...(hint === undefined ? [] : [hint])].join(" "),
    problems,
    missingId,
    cause: error,
  });
}

const idIn = (word: string): string => word.split("/")[0] ?? "";

function suggestionFor(at: Layout, { kind, word }: NamedWord, command: string): string | undefined {
  const name = idIn(word);
  const { stories, epics } = storyAndEpicIds(at);
  if (kind === "story" && epics.includes(name)) {
    const sentence = `${name} is an epic`;
    if (EPIC_COMMANDS.has(command)) return `${sentence}: \`saga epic ${command} ${name}\`.`;
    return EPIC_OPTIONS.has(command)
      ? `${sentence}: \`saga ${command} --epic ${name}\`.`
      : `${sentence}; \`saga show ${name}\` lists its stories.`;
  }
  if (kind === "epic" && stories.includes(name))
    return `${name} is a story: \`saga show ${name}\`.`;
  // The story exists, so the error is about its task.
  if (isKnown(at, name)) return undefined;
  if (kind === "epic") return didYouMean(nearestNames(name, epics));
  const known = kind === "story" ? stories : [...stories, ...epics];
  const short = endingIn(name, stories);
  return didYouMean(short.length > 0 ? short.slice(0, MAX_SUGGESTIONS) : nearestId(name, known));
}

/** Compares the full id first, then its last part, which is the short form. */
function nearestId(name: string, ids: readonly string[]): string[] {
  const whole = nearestNames(name, ids);
  if (whole.length > 0) return whole;
  const parts = new Map(ids.map((id) => [id.split("--").at(-1) ?? id, id]));
  return nearestNames(name, [...parts.keys()]).flatMap((part) => parts.get(part) ?? []);
}

const MAX_SUGGESTIONS = 3;

const EPIC_COMMANDS: ReadonlySet<string> = new Set(["stop"]);

/** Commands on stories that take all stories of an epic with `--epic`. */
const EPIC_OPTIONS: ReadonlySet<string> = new Set(["archive", "unarchive"]);
