// The change that a rehearsal makes for a task without scripted steps: a new file among those that the story may write.
// Where only existing files are allowed, it adds an empty line to one.

import { extname } from "node:path";
import { newMatcher } from "../gate/globs.ts";
import type { RehearsalStep } from "./steps.ts";

export interface AllowedFiles {
  /** The allowed files of the task, then of the story. Undefined when neither restricts them. */
  readonly globs: readonly string[] | undefined;
  /** Reads a path. Undefined when it does not exist. */
  readonly look: (path: string) => { readonly text: string } | "folder" | undefined;
}

export const ANYWHERE: AllowedFiles = { globs: undefined, look: () => undefined };

export function defaultSteps(
  taskId: string,
  { globs, look }: AllowedFiles,
): readonly RehearsalStep[] {
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

/** A sentence in a code file would fail the project's checks. */
const newFile = (path: string, taskId: string): RehearsalStep => ({
  write: path,
  content: FOR_WORDS.has(extname(path)) ? `The rehearsal of ${taskId} was here.\n` : "\n",
});

const FOR_WORDS: ReadonlySet<string> = new Set(["", ".md", ".txt"]);

/** A path that probably matches the glob; the caller checks it. */
function placeIn(glob: string, name: string, look: AllowedFiles["look"]): string {
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
