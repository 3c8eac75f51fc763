// The shipped skills of the plugin: their front matter, their steps, and every command they name.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./programs.ts";

export const pluginFolder = join(root, "plugin");

export interface Skill {
  readonly name: string;
  readonly head: string;
  readonly body: string;
}

export interface SkillStep {
  /** The heading of its section, without the number. */
  readonly heading: string;
  /** A block of shell; undefined if a section has none. */
  readonly command: string | undefined;
}

export const skills: readonly Skill[] = readdirSync(join(pluginFolder, "skills")).map((name) => {
  const text = readFileSync(join(pluginFolder, "skills", name, "SKILL.md"), "utf8");
  const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
  return { name, head, body };
});

export function skillNamed(name: string): Skill {
  const skill = skills.find((one) => one.name === name);
  if (!skill) throw new Error(`There is no skill ${name}.`);
  return skill;
}

/** The numbered sections of a skill with their commands, in the order in which they are done. */
export const stepsIn = (body: string): SkillStep[] =>
  body
    .split(/^## /m)
    .filter((section) => /^\d+\. /.test(section))
    .flatMap((section): SkillStep[] => {
      const heading = /^\d+\. (?<heading>.*)$/m.exec(section)?.groups?.["heading"] ?? "";
      const commands = [...section.matchAll(/^```sh\n(?<command>.*?)\n```$/gms)];
      return commands.length === 0
        ? [{ heading, command: undefined }]
        : commands.map(({ groups }) => ({ heading, command: groups?.["command"] ?? "" }));
    });

/** Every `saga …` in code of the body, and in the rules of the head, without the word itself. */
export function sagaCommandsIn({ head, body }: Skill): string[] {
  const rules = [...head.matchAll(/Bash\((?<code>.*)\)/g)];
  const blocks = [...body.matchAll(/^```sh\n(?<code>.*?)\n```$/gms)];
  const spans = [...body.replaceAll(/^```.*?^```$/gms, "").matchAll(/`(?<code>[^`]+)`/g)];
  return [...rules, ...blocks, ...spans]
    .flatMap(({ groups }) => (groups?.["code"] ?? "").replace(/:\*$/, "").split(/\n|&&|\|\|?|;/))
    .map((code) => code.trim().replace(/^npx --no-install /, ""))
    .filter((code) => /^saga [a-z-]/.test(code))
    .map((code) => code.replace(/^saga /, ""));
}

/** Options that the text names by themselves, beside the command they belong to. */
export const optionsIn = ({ body }: Skill): string[] =>
  [...body.matchAll(/`(?<option>--[a-z-]+)`/g)].map(({ groups }) => groups?.["option"] ?? "");
