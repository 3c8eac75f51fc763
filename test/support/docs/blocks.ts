// The blocks of a page, and what its invisible comments say about them. Pure.
//
// A comment in front of a block speaks about that block:
//
//   <!-- scene: a-question -->                      sets the stage first (doc-scenes.ts)
//   <!-- exits 3: saga run api -->                  how a command ends, when not with 0
//   <!-- Ctrl-C at "is running": saga dashboard --> runs until it is ended: started, seen to say that, ended
//   <!-- leaves "Running": saga attach api -->      needs a terminal: in tmux, seen to show that, left with Ctrl-b d
//   <!-- not run (why): npm link -->                the reason is not optional
//   <!-- in the clone -->                           in this repository, instead of the page's own project
//   <!-- file: plan.json -->                        the block is a file of the project
//
// A block of `text` is what the commands of the block before it print: its lines in their order, with `…`
// for what differs from time to time. Every other block needs one of the notes above.

export interface Block {
  /** Of the fence. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly notes: readonly Note[];
}

export type Note =
  | { readonly kind: "scene"; readonly name: string }
  | { readonly kind: "exits"; readonly code: number; readonly command: string }
  | { readonly kind: "ctrl-c"; readonly at: string; readonly command: string }
  | { readonly kind: "leaves"; readonly at: string; readonly command: string }
  | { readonly kind: "not-run"; readonly why: string; readonly command: string }
  | { readonly kind: "clone" }
  | { readonly kind: "file"; readonly path: string };

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let notes: Note[] = [];
  let open: { line: number; language: string; lines: string[]; indent: string } | undefined;
  page.split("\n").forEach((line, index) => {
    const fence = /^(?<indent> *)```(?<language>\S*)$/.exec(line)?.groups;
    if (open) {
      if (fence === undefined) open.lines.push(line.slice(open.indent.length));
      else {
        const { line: at, language, lines } = open;
        blocks.push({ line: at, language, text: lines.join("\n"), notes });
        notes = [];
        open = undefined;
      }
      return;
    }
    if (fence) {
      const { indent = "", language = "" } = fence;
      open = { line: index + 1, language, lines: [], indent };
      return;
    }
    const comment = /^ *<!-- (?<text>.+) -->$/.exec(line)?.groups?.["text"];
    if (comment !== undefined) notes.push(...noteOf(comment));
    else if (line.trim() !== "" && notes.length > 0) {
      throw new Error(`The comment before line ${index + 1} speaks of no block.`);
    }
  });
  if (open) throw new Error(`The block in line ${open.line} has no end.`);
  return blocks;
}

/** Other comments are for people; one that looks almost like a note is an error. */
function noteOf(comment: string): Note[] {
  const [, word = ""] = /^(?<word>[\w-]+)/.exec(comment) ?? [];
  const found = (pattern: RegExp): Record<string, string> => {
    const groups = pattern.exec(comment)?.groups;
    if (!groups) throw new Error(`This comment is not understood: ${comment}`);
    return groups;
  };
  switch (word) {
    case "scene":
      return [{ kind: "scene", name: found(/^scene: (?<name>[\w-]+)$/)["name"] ?? "" }];
    case "exits": {
      const { code, command = "" } = found(/^exits (?<code>\d+): (?<command>.+)$/);
      return [{ kind: "exits", code: Number(code), command }];
    }
    case "Ctrl-C": {
      const { at = "", command = "" } = found(/^Ctrl-C at "(?<at>.+)": (?<command>.+)$/);
      return [{ kind: "ctrl-c", at, command }];
    }
    case "leaves": {
      const { at = "", command = "" } = found(/^leaves "(?<at>.+)": (?<command>.+)$/);
      return [{ kind: "leaves", at, command }];
    }
    case "not": {
      const { why = "", command = "" } = found(/^not run \((?<why>.+)\): (?<command>.+)$/);
      return [{ kind: "not-run", why, command }];
    }
    case "in":
      return [found(/^(?<all>in the clone)$/) && { kind: "clone" }];
    case "file":
      return [{ kind: "file", path: found(/^file: (?<path>\S+)$/)["path"] ?? "" }];
    default:
      return [];
  }
}

export interface Command {
  readonly line: number;
  readonly text: string;
  /** What the block says about it. */
  readonly notes: readonly Note[];
}

/** One by one; a command over several lines is one. */
export function commandsOf(block: Block, isWhole: (text: string) => boolean): Command[] {
  const found: Omit<Command, "notes">[] = [];
  let begun: { line: number; text: string } | undefined;
  block.text.split("\n").forEach((line, index) => {
    if (!begun && /^\s*(?:#|$)/.test(line)) return;
    begun = begun
      ? { line: begun.line, text: `${begun.text}\n${line}` }
      : { line: block.line + 1 + index, text: line };
    if (!isWhole(begun.text)) return;
    found.push(begun);
    begun = undefined;
  });
  if (begun) throw new Error(`The command in line ${begun.line} has no end: ${begun.text}`);
  const applied = block.notes.flatMap((note) => {
    if (!("command" in note)) return [];
    const about = meantBy(note.command, found);
    if (about.length > 0) return [{ note, about }];
    throw new Error(`No command in line ${block.line} is \`${note.command}\`.`);
  });
  return found.map((command) => ({
    ...command,
    notes: applied.flatMap(({ note, about }) => (about.includes(command) ? [note] : [])),
  }));
}

/** That command, or those that start with it. */
function meantBy<T extends { readonly text: string }>(given: string, commands: readonly T[]): T[] {
  const exact = commands.filter(({ text }) => text.replace(/ +#.*$/, "") === given);
  return exact.length > 0 ? exact : commands.filter(({ text }) => text.startsWith(given));
}

/** The first shown line that was not printed in its place. */
export function notPrinted(shown: string, printed: string): string | undefined {
  const lines = printed.split("\n").map(evenly);
  let from = 0;
  for (const line of shown.split("\n").filter((one) => one.trim() !== "")) {
    const pattern = new RegExp(`^${evenly(line).split("…").map(literal).join(".*")}$`);
    const at = lines.findIndex((one, index) => index >= from && pattern.test(one));
    if (at < 0) return line;
    from = at + 1;
  }
  return undefined;
}

/** How wide a column is depends on what is in it. */
const evenly = (line: string): string => line.trim().replaceAll(/\s+/g, " ");

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
