// What the programs that agents use on files change, told from their arguments. One that is not here,
// or that only reads, changes nothing that this guard knows of.

import { argumentsOf, type Arguments, type Words } from "./arguments.ts";

export interface Change {
  /** The path, as a word of the command. */
  readonly word: string;
  readonly how: How;
}

export type How =
  /** Written there, or into it where it is a folder. */
  | "at"
  /** Everything below is changed as well. */
  | "below"
  /** It is taken away, with everything below; of a link, the link. */
  | "gone";

/** The changes that a program makes, as far as it is one of those below. */
export function changesOf(program: string, args: Words): readonly Change[] {
  const [valued, rule] = PROGRAMS.get(program) ?? [];
  if (valued === undefined || rule === undefined) return [];
  const [first = "", ...rest] = args;
  // The letters of `tar` are options with or without a dash.
  const words = program === "tar" ? [first.replace(/^-?/, "-"), ...rest] : args;
  return rule(argumentsOf(words, valued), program);
}

export const changes = (words: Words, how: How = "at"): readonly Change[] =>
  words.map((word) => ({ word, how }));

type Rule = (given: Arguments, program: string) => readonly Change[];

/** From some places to the last, or into the folder of an option. */
const copied: Rule = ({ operands, has, values }, program) => {
  const folders = values("t", "target-directory");
  const isFolder = folders.length > 0;
  const target = isFolder ? folders : operands.slice(1).slice(-1);
  if (program === "mv") {
    return [...changes(isFolder ? operands : operands.slice(0, -1), "gone"), ...changes(target)];
  }
  if (program === "install" && has("d", "directory")) return changes(operands);
  return changes(program === "ln" && operands.length === 1 ? orHere(target) : target);
};

const orHere = (words: Words): Words => (words.length > 0 ? words : ["."]);

/** A place on another machine. */
const isLocal = (word: string): boolean => !/^[^/]*:/.test(word);

/** Files are changed in place; the script comes before them, unless an option has it. */
const inPlace: Rule = ({ operands, has }) => {
  if (!has("i", "in-place")) return [];
  // Where `-i` wants a suffix, an empty word is that.
  const files = operands[0] === "" ? operands.slice(1) : operands;
  return changes(has("e", "E", "f", "expression", "file") ? files : files.slice(1));
};

/** `chmod -x` has its mode among the options. */
const owned: Rule = ({ operands, has }) =>
  changes(
    has("reference", "r", "w", "x", "X", "s", "t") ? operands : operands.slice(1),
    has("R", "recursive") ? "below" : "at",
  );

const packed: Rule = ({ has, values }) => {
  if (has("x", "extract")) return changes(orHere(values("C", "directory")));
  return changes(has("c", "r", "u", "create") ? values("f", "file").filter(isLocal) : []);
};

/** Programs, their options that take a word, as far as it matters, and what they change. */
const RULES: readonly (readonly [programs: string, valued: string, rule: Rule])[] = [
  ["rm rmdir unlink", "", ({ operands }) => changes(operands, "gone")],
  ["mkdir mkfifo touch truncate tee sponge shred", "r", ({ operands }) => changes(operands)],
  ["cp mv ln install", "t target-directory", copied],
  [
    "rsync scp",
    "e exclude",
    ({ operands, has }) =>
      changes(operands.slice(1).slice(-1).filter(isLocal), has("delete") ? "below" : "at"),
  ],
  [
    "dd",
    "",
    ({ operands }) =>
      changes(operands.filter((word) => word.startsWith("of=")).map((word) => word.slice(3))),
  ],
  ["sed", "i? e f expression file", inPlace],
  ["perl ruby", "+ i? e E I M m F", inPlace],
  ["chmod chown chgrp", "", owned],
  ["tar", "C f directory file", packed],
  [
    "unzip",
    "d",
    ({ has, values }) => changes(has("l", "t", "p", "Z", "v") ? [] : orHere(values("d"))),
  ],
  [
    "patch",
    "d o i p directory output",
    ({ operands, values }) =>
      changes([
        ...orHere(values("d", "directory")),
        ...values("o", "output"),
        ...operands.slice(0, 1),
      ]),
  ],
  [
    "curl",
    "A b d e F H o u w X output output-dir",
    ({ has, values }) =>
      changes([...values("o", "output", "output-dir"), ...(has("O", "remote-name") ? ["."] : [])]),
  ],
  [
    "wget",
    "O P output-document directory-prefix",
    ({ values }) => changes(orHere(values("O", "P", "output-document", "directory-prefix"))),
  ],
];

export const PROGRAMS: ReadonlyMap<string, readonly [valued: string, rule: Rule]> = new Map(
  RULES.flatMap(([programs, ...rule]) =>
    programs.split(" ").map((program) => [program, rule] as const),
  ),
);
