import { SagaError } from "../../../errors.ts";
import {
  ENTRY_KINDS,
  type EntryKind,
  type JournalEntry,
} from "../../../story/definition/journal.ts";
import { receiptWords } from "../../../story/receipts/receipt-text.ts";
import type { Build } from "../../program/command.ts";
import { indent, plain, type Paint } from "../../output/terminal.ts";
import { stampOf } from "../../output/timestamp.ts";

type JournalOptions = Readonly<Partial<Record<EntryKind, string>>> & {
  readonly body?: string;
  readonly of?: string;
  readonly open?: boolean;
};

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("journal", "Read a story's journal, or add an entry to it.", [
        "saga journal add-login",
        "saga journal add-login --open                 only open questions",
        'saga journal add-login --decision "Use argon2" --body "bcrypt is slower here."',
        'saga journal add-login --resolution "SQLite" --of b1',
      ])
      .argument("<story>", "the story")
      .option("--open", "show only open blockers")
      .option("--decision <text>", "add a decision")
      .option("--diversion <text>", "add a deviation from the plan")
      .option("--blocker <text>", "add a question that only a person can answer")
      .option("--resolution <text>", "add the answer to a blocker")
      .option("--of <blocker>", "the blocker that --resolution answers, if several are open")
      .option("--body <text>", "details of the entry; - reads standard input"),
    async ({ openProject, io }, [storyId = ""], options: JournalOptions) => {
      const store = openProject();
      const kinds = ENTRY_KINDS.filter((kind) => options[kind] !== undefined);
      const [kind] = kinds;
      requireConsistentOptions(kinds, options);
      if (kind === undefined) {
        const { entries, open } = await store.readJournal(storyId);
        const shown = options.open ? open : entries;
        const empty = options.open ? "No open blockers.\n" : "The journal is empty.\n";
        return {
          json: { entries: shown, open },
          text: (paint) => (shown.length === 0 ? empty : render(shown, paint)),
        };
      }
      const title = options[kind] ?? "";
      const entry = await store.appendJournal(storyId, {
        kind,
        title,
        at: new Date().toISOString(),
        body: options.body === "-" ? await io.readInput() : (options.body ?? ""),
        blocker: options.of,
      });
      return { json: { entry }, text: (paint) => render([entry], paint) };
    },
  );

/** Refuses combinations of which one option would be ignored. */
function requireConsistentOptions(kinds: readonly EntryKind[], options: JournalOptions): void {
  const [kind] = kinds;
  const problem =
    kinds.length > 1
      ? `${kinds.map((one) => `--${one}`).join(" and ")} cannot be combined.`
      : kind !== undefined && (options[kind] ?? "").trim() === ""
        ? `--${kind} needs a text.`
        : options.of !== undefined && kind !== "resolution"
          ? "--of needs --resolution."
          : options.body !== undefined && kind === undefined
            ? "--body needs an entry to add, such as --decision."
            : options.open && kind !== undefined
              ? `--open and --${kind} cannot be combined.`
              : undefined;
  if (problem === undefined) return;
  throw new SagaError("usage", problem, {
    hint: "Add one entry at a time; see `saga journal --help`.",
  });
}

function render(entries: readonly JournalEntry[], paint: Paint): string {
  return `${entries.map((entry) => renderEntry(entry, paint)).join("\n\n")}\n`;
}

function renderEntry({ kind, at, title, body, blocker }: JournalEntry, paint: Paint): string {
  const name = blocker === undefined ? kind : `${kind} ${blocker}`;
  const colour = kind === "blocker" ? "magenta" : kind === "resolution" ? "green" : "cyan";
  const head = `${paint("dim", stampOf(at, Date.now()))}  ${paint(colour, name)}  ${paint("bold", plain(title))}`;
  const words = kind === "receipt" ? receiptWords(body) : body;
  return words === "" ? head : `${head}\n${indent(words)}`;
}
