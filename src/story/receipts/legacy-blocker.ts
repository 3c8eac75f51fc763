// Keys for receipts of early versions, which had none: a finding was identified by its message, and an override by
// `rule "file" message`, with `#` for each number. These are the messages of that time. They stay as they are when
// today's messages change.

import type { BlockerFacts } from "./blocker-key.ts";
import type { Finding } from "./receipt.ts";

/** `names` are texts such as `protected "a.yml" It is protected by …`, `check npm test` and `review`. */
export function legacySetAside(names: readonly string[]): (blocker: BlockerFacts) => boolean {
  const known: ReadonlySet<string> = new Set(names.map(keyedName));
  return (blocker) => known.has(nameOf(blocker));
}

/** The key that the same finding would have today. */
export const legacyFindingKey = ({ rule, message }: Pick<Finding, "rule" | "message">): string =>
  keyIn(message) ?? withoutNumbers(rule, message);

function keyedName(name: string): string {
  const { start = "", message = "" } = NAME.exec(name)?.groups ?? {};
  return start.startsWith("check ") ? name : `${start}${keyIn(message) ?? message}`;
}

const NAME = /^(?<start>\S+ (?:"(?:[^"\\]|\\.)*" )?)?(?<message>.*)$/s;

const nameOf = ({ rule, file, key }: BlockerFacts): string =>
  [rule, file === undefined ? "" : JSON.stringify(file), withoutNumbers(rule, key)]
    .filter((part) => part !== "")
    .join(" ");

/** Definitions and checks are written by people, so their numbers count. */
const withoutNumbers = (rule: BlockerFacts["rule"], text: string): string =>
  rule === "definition" || rule === "check" ? text : text.replaceAll(NUMBERS, "#");

const NUMBERS = /\b[0-9a-f]{12}\b|\d+/g;

function keyIn(message: string): string | undefined {
  const [pattern, key] = KEYS.find(([one]) => one.test(message)) ?? [];
  return pattern && key && message.replace(pattern, key);
}

const CHANGES = [
  ["was added", "added"],
  ["was changed", "modified"],
  ["was deleted", "deleted"],
  ["was renamed", "renamed"],
  ["was put in the place of another", "renamed-onto"],
  ["was replaced by another kind of file", "type-changed"],
] as const;

/** From a message to its key. */
const KEYS: readonly (readonly [message: RegExp, key: string])[] = [
  ...CHANGES.flatMap(([words, change]) => [
    [new RegExp(`^It is protected by \`(.+)\`, and ${words}\\.$`, "s"), `${change} $1`] as const,
    [new RegExp(`^It is Saga's, not this story's, and ${words}\\.$`), change] as const,
    [
      new RegExp(`^It ${words}, and is not among the files that the story declares to write\\.$`),
      change,
    ] as const,
  ]),
  [/^It is a link to a place on this machine alone: `(.*)`\.$/s, "absolute $1"],
  [
    /^It is a link that climbs out of folders, so that nobody can tell where it leads: `(.*)`\.$/s,
    "climbing $1",
  ],
  [/^It is a link that leads out of the repository: `(.*)`\.$/s, "outside $1"],
  [/^It is a link into git's own folder: `(.*)`\.$/s, "git $1"],
  [/^It is a submodule that was not there before: .*$/s, "new"],
  [/^.*; the most is .* \(`gate\.(\w+)`\)\.$/s, "$1"],
  [/^It is too large to be searched for secrets: .*$/s, "unsearched"],
  [/^This looks like a secret: (.*)\. It is in the message of the commit \S+\.$/s, "message $1"],
  [/^This looks like a secret: (.*)\. It is in the commit \S+\.$/s, "history $1"],
  [/^This looks like a secret: (.*)\.$/s, "added $1"],
  [/^There are \S+ more of this kind\.$/, "more"],
  [
    /^The check `(.*)` of the task (\S+) was taken away after the story began\.$/s,
    "task-check-removed $2 $1",
  ],
  [/^The check `(.*)` was taken away after the story began\.$/s, "check-removed $1"],
  [/^It needed a (tester|reviewer) when the story began, and does not any more\.$/, "$1-removed"],
  [/^Which files it may change was taken away after the story began\.$/, "write-files-removed"],
  [
    /^`(.*)` came to the files that it may change after the story began\.$/s,
    "write-files-added $1",
  ],
  [
    /^`(.*)` went from the files that it may change after the story began\.$/s,
    "write-exception-removed $1",
  ],
  [/^The task (\S+) was taken away after the story began\.$/, "task-removed $1"],
];
