// Where a rehearsal leaves its mark: in a file that the story declares to write, if possible one that is
// not there yet. What a person wrote is changed only where nothing else is declared, and by an empty line.

import { extname } from "node:path";
import { newMatcher } from "../gate/globs.ts";
import type { RehearsalStep } from "./steps.ts";

export interface ProofPlace {
  /** What the task declares, then what the story does; nothing when neither says. */
  readonly globs: readonly string[] | undefined;
  /** What is there: the text of a file. */
  readonly look: (path: string) => { readonly text: string } | "folder" | undefined;
}

export const ANYWHERE: ProofPlace = { globs: undefined, look: () => undefined };

export function proofOf(taskId: string, { globs, look }: ProofPlace): readonly RehearsalStep[] {
  const isDeclared = newMatcher(globs ?? []);
  const places = (globs ?? [])
    .map((glob) => placeIn(glob, `rehearsal-${taskId}`, look))
    .filter((path) => isDeclared(path) !== undefined)
    .map((path) => ({ path, found: look(path) }));
  const free = places.find(({ found }) => found === undefined);
  if (free) return [newFile(free.path, taskId)];
  for (const { path, found } of places) {
    if (found === undefined || found === "folder") continue;
    const read = { tool: "Read", input: { file_path: path } };
    return [read, { write: path, content: `${found.text}\n` }];
  }
  return [newFile(`rehearsal/${taskId}.md`, taskId)];
}

/** A sentence would be an error in a file of code, and the project's checks would find it. */
const newFile = (path: string, taskId: string): RehearsalStep => ({
  write: path,
  content: FOR_WORDS.has(extname(path)) ? `The rehearsal of ${taskId} was here.\n` : "\n",
});

const FOR_WORDS: ReadonlySet<string> = new Set(["", ".md", ".txt"]);

/** A path that the glob may mean; whether it does is for the matcher to say. */
function placeIn(glob: string, name: string, look: ProofPlace["look"]): string {
  const body = glob.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "/**");
  if (!/[*?{]/.test(body)) {
    const found = look(body);
    const isFolder = found === undefined ? extname(body) === "" : found === "folder";
    return isFolder ? `${body}/${name}.md` : body;
  }
  const segments = body.split("/");
  return segments
    .flatMap((segment, index) => {
      if (segment !== "**") return [fill(segment, name)];
      return index === segments.length - 1 ? [`${name}.md`] : [];
    })
    .join("/");
}

const fill = (segment: string, name: string): string =>
  segment
    .replaceAll(/\{(?<first>[^,}]*)[^}]*\}/g, "$<first>")
    .replace(/\*+/, name)
    .replaceAll("*", "")
    .replaceAll("?", "x");
