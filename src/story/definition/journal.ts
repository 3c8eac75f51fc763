// The journal of a story: decisions, diversions from the plan, blockers and their resolutions, feedback, notes
// of people to the agent, receipts.
// It is markdown that people read and may edit. Entries are second-level headings of this exact form; everything else
// is text:
//
//   ## 2026-11-15T21:48:00.000Z Blocker b1: Which database?
//
// An entry that Saga looks up later has a key (`journal-key.ts`) in a comment below its heading:
//
//   <!-- saga: split form -->

import type { Problem } from "../../errors.ts";
import type { EntryKey } from "./journal-key.ts";

export const ENTRY_KINDS = [
  "decision",
  "diversion",
  "blocker",
  "resolution",
  "feedback",
  "note",
  "receipt",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface JournalEntry {
  readonly kind: EntryKind;
  readonly at: string;
  readonly title: string;
  readonly body: string;
  /** The number of a blocker, or of the blocker that a resolution answers. */
  readonly blocker?: string | undefined;
  /** Identifies an entry of Saga's own, whatever its title says. Entries of people and agents have no key. */
  readonly key?: string | undefined;
  readonly line: number;
}

export interface NewEntry extends Pick<JournalEntry, "kind" | "at" | "title" | "body" | "blocker"> {
  readonly key?: EntryKey | undefined;
}

export interface Journal {
  readonly entries: readonly JournalEntry[];
  /** Blockers without a resolution. */
  readonly open: readonly JournalEntry[];
}

const HEADING =
  /^## (?<at>\d{4}-\d\d-\d\dT[\d:.]+Z) (?<kind>Decision|Diversion|Blocker|Resolution|Feedback|Note|Receipt)(?: (?<blocker>b\d+))?: (?<title>.+)$/;

export function parseJournal(text: string): Journal {
  const entries: JournalEntry[] = [];
  let body: string[] = [];
  const finish = (): void => {
    const last = entries.pop();
    if (last) entries.push({ ...last, ...keyAndBody(body.join("\n").trim()) });
    body = [];
  };
  text.split(/\r?\n/).forEach((content, index) => {
    // Most lines are not headings: without one, a hook script does not spend time compiling the expression.
    const heading = content.startsWith("## ") ? HEADING.exec(content)?.groups : undefined;
    if (!heading) {
      body.push(content);
      return;
    }
    finish();
    entries.push({
      kind: (heading["kind"] ?? "").toLowerCase() as EntryKind,
      at: heading["at"] ?? "",
      title: heading["title"] ?? "",
      body: "",
      blocker: heading["blocker"],
      line: index + 1,
    });
  });
  finish();
  const resolved = new Set(
    entries.filter((entry) => entry.kind === "resolution").map((entry) => entry.blocker),
  );
  const open = entries.filter(({ kind, blocker }) => kind === "blocker" && !resolved.has(blocker));
  return { entries, open };
}

function keyAndBody(text: string): Pick<JournalEntry, "key" | "body"> {
  const [line, key] = KEY.exec(text) ?? [""];
  return { ...(key !== undefined && { key }), body: unescape(text.slice(line.length)) };
}

const KEY = /^<!-- saga: ([\w .-]+) -->\s*/;

/** The number for the next blocker: one more than the highest. */
export function nextBlocker(journal: Journal): string {
  const numbers = journal.entries.map(({ blocker }) => Number(blocker?.slice(1) ?? 0));
  return `b${Math.max(0, ...numbers) + 1}`;
}

export function appendEntry(text: string, storyTitle: string, entry: NewEntry): string {
  const before = text.trim() === "" ? `# Journal: ${storyTitle}` : text.trimEnd();
  const name = `${entry.kind.charAt(0).toUpperCase()}${entry.kind.slice(1)}`;
  const blocker = entry.blocker === undefined ? "" : ` ${entry.blocker}`;
  const heading = `## ${entry.at} ${name}${blocker}: ${oneLine(entry.title)}`;
  const key = entry.key === undefined ? "" : `<!-- saga: ${entry.key} -->`;
  const parts = [before, heading, key, escape(entry.body.trim())];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Finds blockers and resolutions that an edit by hand has made ambiguous. */
export function checkJournal(file: string, { entries }: Journal): Problem[] {
  const blockers = entries.filter(({ kind }) => kind === "blocker");
  const problem = (entry: JournalEntry, message: string, fix: string): Problem => ({
    file,
    line: entry.line,
    severity: "error",
    message,
    fix,
  });
  return entries.flatMap((entry) => {
    if (entry.kind === "blocker" && entry.blocker === undefined) {
      return [problem(entry, "This blocker has no number.", "Write it as `Blocker b1: …`.")];
    }
    if (
      entry.kind === "blocker" &&
      blockers.find((one) => one.blocker === entry.blocker) !== entry
    ) {
      return [
        problem(entry, `The number ${entry.blocker} is used by two blockers.`, "Renumber one."),
      ];
    }
    if (entry.kind === "resolution" && !blockers.some((one) => one.blocker === entry.blocker)) {
      const message =
        entry.blocker === undefined
          ? "This resolution names no blocker."
          : `This resolves ${entry.blocker}, which is not in the journal.`;
      return [problem(entry, message, "Name a blocker of this journal: `Resolution b1: …`.")];
    }
    return [];
  });
}

/** Without a title the heading would not be recognised, and a blocker would be lost. */
const oneLine = (title: string): string => title.replaceAll(/\s+/g, " ").trim() || "(untitled)";

// A line of text that looks like one of our headings or keys must not become one.
const escape = (body: string): string => body.replaceAll(/^(?=\\*(?:## \d|<!-- saga: ))/gm, "\\");
const unescape = (body: string): string => body.replaceAll(/^\\(?=\\*(?:## \d|<!-- saga: ))/gm, "");
