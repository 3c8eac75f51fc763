// What the common file programs change, by their arguments. A program that is missing here passes.

export interface ShellChange {
  /** A path, as a word of the command. */
  readonly word: string;
  /** Removed with everything below it; of a link, the link alone. */
  readonly isRemoval: boolean;
}

export const written = (words: readonly string[]): readonly ShellChange[] =>
  words.map((word) => ({ word, isRemoval: false }));

const removed = (words: readonly string[]): readonly ShellChange[] =>
  words.map((word) => ({ word, isRemoval: true }));

export function changesOf(program: string, args: readonly string[]): readonly ShellChange[] {
  switch (program) {
    case "rm":
    case "rmdir":
    case "unlink":
      return removed(parseArguments(args, "").operands);
    case "mkdir":
    case "touch":
    case "truncate":
    case "tee":
      return written(parseArguments(args, "m r s").operands);
    case "cp":
    case "mv":
    case "ln":
    case "install":
    case "rsync":
      return copied(program, parseArguments(args, "m t e target-directory exclude"));
    case "chmod":
    case "chown":
      return written(args.filter((arg) => !arg.startsWith("-")).slice(1));
    case "sed":
    case "perl":
      return editedInPlace(program, parseArguments(args, "e f expression file"));
    case "find":
      return found(args);
    default:
      return [];
  }
}

function copied(program: string, { operands, values }: Arguments): readonly ShellChange[] {
  const folders = values("t", "target-directory");
  const sources = folders.length > 0 ? operands : operands.slice(0, -1);
  const targets = folders.length > 0 ? folders : operands.slice(1).slice(-1);
  // A target on another machine: `host:folder`.
  const local = targets.filter((word) => !/^[^/]*:/.test(word));
  return [...(program === "mv" ? removed(sources) : []), ...written(local)];
}

function editedInPlace(program: string, { operands, has }: Arguments): readonly ShellChange[] {
  const hasScript = has("e", "f", "expression", "file");
  if (!has("i", "in-place") || (program === "perl" && !hasScript)) return [];
  // On a Mac, `-i ''` asks for no backup.
  const files = operands[0] === "" ? operands.slice(1) : operands;
  return written(hasScript ? files : files.slice(1));
}

const FIND_CHANGES = /^(?:-delete|rm|mv|sed|chmod)$/;

function found(args: readonly string[]): readonly ShellChange[] {
  const tests = args.findIndex((arg) => /^[-(!]/.test(arg));
  const changes = tests >= 0 && args.slice(tests).some((arg) => FIND_CHANGES.test(arg));
  return changes ? written(args.slice(0, tests)) : [];
}

export interface Arguments {
  readonly operands: readonly string[];
  readonly has: (...options: string[]) => boolean;
  readonly values: (...options: string[]) => readonly string[];
}

/** `valued` names the options that take the next word as their value. */
export function parseArguments(args: readonly string[], valued: string): Arguments {
  const takesValue = new Set(valued.split(" "));
  const options: (readonly [name: string, value: string])[] = [];
  const operands: string[] = [];
  let isAfterOptions = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const long = /^--([^=]+)=?(.*)$/s.exec(arg);
    if (isAfterOptions || !/^-./.test(arg)) operands.push(arg);
    else if (arg === "--") isAfterOptions = true;
    else if (long) addOption(long[1] ?? "", long[2] ?? "");
    else
      for (let letter = 1; letter < arg.length; letter++) {
        const isValued = takesValue.has(arg[letter] ?? "");
        addOption(arg[letter] ?? "", isValued ? arg.slice(letter + 1) : "");
        if (isValued) break;
      }

    function addOption(name: string, value: string): void {
      options.push([name, value === "" && takesValue.has(name) ? (args[++at] ?? "") : value]);
    }
  }
  const named = (names: readonly string[]) => options.filter(([name]) => names.includes(name));
  return {
    operands,
    has: (...names) => named(names).length > 0,
    values: (...names) => named(names).map(([, value]) => value),
  };
}
