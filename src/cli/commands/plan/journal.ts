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
        "saga journal add-login --open                 only blockers that wait for an answer",
        'saga journal add-login --decision "Use argon2" --body "bcrypt is slower here."',
        'saga journal add-login --resolution "SQLite" --of b1',
      ])
      .argument("<story>", "the id of the story")
      .option("--open", "show only open blockers")
      .option("--decision <text>", "add: something that was decided")
      .option("--diversion <text>", "add: where the work left the plan")
      .option("--blocker <text>", "add: a question that only a person can answer")
      .option("--resolution <text>", "add: the answer to a blocker")
      .option("--of <blocker>", "which blocker is resolved, when several are open")
      .option("--body <text>", "more about it; - reads standard input"),
    async ({ openProject, io }, [storyId = ""], options: JournalOptions) => {
      const store = openProject();
      const kinds = ENTRY_KINDS.filter((kind) => options[kind] !== undefined);
      const [kind] = kinds;
      requireSense(kinds, options);
      if (kind === undefined) {
        const { entries, open } = await store.readJournal(storyId);
        const shown = options.open ? open : entries;
        const nothing = options.open ? "No blocker is open.\n" : "Nothing here yet.\n";
        return {
          json: { entries: shown, open },
          text: (paint) => (shown.length === 0 ? nothing : render(shown, paint)),
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

/** Nothing that was said is forgotten: what does not go together is refused. */
function requireSense(kinds: readonly EntryKind[], options: JournalOptions): void {
  const [kind] = kinds;
  const fault =
    kinds.length > 1
      ? `${kinds.map((one) => `--${one}`).join(" and ")} do not go together.`
      : kind !== undefined && (options[kind] ?? "").trim() === ""
        ? `--${kind} needs a text.`
        : options.of !== undefined && kind !== "resolution"
          ? "--of goes with --resolution only."
          : options.body !== undefined && kind === undefined
            ? "--body belongs to no entry."
            : options.open && kind !== undefined
              ? `--open reads, and --${kind} adds.`
              : undefined;
  if (fault === undefined) return;
  throw new SagaError("usage", fault, {
    hint: "Add one entry at a time; `saga journal --help` shows how.",
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
