import { SagaError } from "../../errors.ts";
import { ENTRY_KINDS, type EntryKind, type JournalEntry } from "../../story/journal.ts";
import type { Build } from "../command.ts";
import { indent, plain, type Paint } from "../output.ts";

type JournalOptions = Readonly<Partial<Record<EntryKind, string>>> & {
  readonly body?: string;
  readonly of?: string;
  readonly open?: boolean;
};

export const build: Build = (shell) =>
  shell.action(
    shell
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
      if (kind === undefined) {
        const { entries, open } = await store.readJournal(storyId);
        const shown = options.open ? open : entries;
        return { json: { entries: shown, open }, text: (paint) => render(shown, paint) };
      }
      const title = options[kind] ?? "";
      if (kinds.length > 1 || title.trim() === "") {
        throw new SagaError("usage", "Add one entry at a time, with a text.");
      }
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

function render(entries: readonly JournalEntry[], paint: Paint): string {
  if (entries.length === 0) return "Nothing here yet.\n";
  return `${entries.map((entry) => renderEntry(entry, paint)).join("\n\n")}\n`;
}

function renderEntry({ kind, at, title, body, blocker }: JournalEntry, paint: Paint): string {
  const name = blocker === undefined ? kind : `${kind} ${blocker}`;
  const colour = kind === "blocker" ? "magenta" : kind === "resolution" ? "green" : "cyan";
  const head = `${paint("dim", at)}  ${paint(colour, name)}  ${paint("bold", plain(title))}`;
  return body === "" ? head : `${head}\n${indent(body)}`;
}
