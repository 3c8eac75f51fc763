// The arguments of a program, told apart as most programs do, and the command that is in those of a
// program which only starts another.

import { UNKNOWN } from "./words.ts";

export type Words = readonly string[];

export interface Arguments {
  readonly operands: Words;
  /** Whether one of these options was given. */
  readonly has: (...names: string[]) => boolean;
  readonly values: (...names: string[]) => Words;
}

/**
 * `valued` names the options that take the next word; those with a `?` take only what is written
 * together with them. With `+` among them, the first operand ends the options.
 */
export function argumentsOf(args: Words, valued: string): Arguments {
  const takes = new Set(valued.split(" "));
  const options: (readonly [name: string, value: string])[] = [];
  let operands: Words = [];
  const found: string[] = [];
  for (let next = 0; next < args.length; next++) {
    const arg = args[next] ?? "";
    const isOperand = !/^-./.test(arg);
    if (arg === "--" || (isOperand && takes.has("+"))) {
      operands = args.slice(isOperand ? next : next + 1);
      break;
    }
    if (isOperand) found.push(arg);
    const [, name = "", value] = /^--([^=]+)=?(.+)?/s.exec(arg) ?? [];
    if (name !== "") options.push([name, value ?? (takes.has(name) ? (args[++next] ?? "") : "")]);
    else if (!isOperand) {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg[at] ?? "";
        const rest = arg.slice(at + 1);
        const isValued = takes.has(letter);
        options.push([letter, rest === "" && isValued ? (args[++next] ?? "") : rest]);
        if (isValued || takes.has(`${letter}?`)) break;
      }
    }
  }
  const named = (names: Words) => options.filter(([name]) => names.includes(name));
  return {
    operands: [...found, ...operands],
    has: (...names) => named(names).length > 0,
    values: (...names) => named(names).map(([, value]) => value),
  };
}

/** Programs that only start another, each with the options of its own that take a word. */
const WRAPPERS: ReadonlyMap<string, string> = new Map(
  "sudo u g,doas u,env u C,command,builtin,exec a,nohup,setsid,time f o,timeout s k,nice n,stdbuf i o e,xargs I L n P d s a"
    .split(",")
    .map((wrapper) => [wrapper.split(" ")[0] ?? "", wrapper]),
);

/** The command that a wrapper starts, as far as its own words tell. */
export function wrappedIn(program: string, args: Words): Words | undefined {
  const valued = WRAPPERS.get(program);
  if (valued === undefined) return undefined;
  const { operands, values } = argumentsOf(args, `+ ${valued}`);
  // Before it stands the time that `timeout` gives it.
  const inner = operands.slice(program === "timeout" ? 1 : 0);
  if (program !== "xargs") return inner;
  const [place] = values("I");
  // What it reads becomes arguments: at the end, or where its placeholder stands.
  if (place === undefined) return [...inner, UNKNOWN];
  return inner.map((word) => word.replaceAll(place || UNKNOWN, UNKNOWN));
}
