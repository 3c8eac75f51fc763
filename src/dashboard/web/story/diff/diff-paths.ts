// Paths of files in git's diffs. Pure.

import type { FileData } from "react-diff-view";

const NO_FILE = "/dev/null";

export function pathOf({ newPath, oldPath }: Pick<FileData, "newPath" | "oldPath">): string {
  return unquoted(newPath === NO_FILE || newPath === "" ? oldPath : newPath);
}

/** Git quotes a path that contains a quote or a tab. The library leaves the closing quote. */
export function unquoted(path: string): string {
  const name = /^\/?(?<name>.*)"$/s.exec(path)?.groups?.["name"];
  if (name === undefined) return path;
  return name.replaceAll(/\\(?<one>["\\tnr])/g, (_, one: string) => ESCAPED[one] ?? one);
}

const ESCAPED: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r" };
