// Colours the lines of a diff by their language, and marks what changed within a line. Loaded after the diff is shown.

import { markEdits, tokenize, type HunkData, type HunkTokens } from "react-diff-view";
import { refractor } from "refractor/core";
import bash from "refractor/bash";
import c from "refractor/c";
import cpp from "refractor/cpp";
import csharp from "refractor/csharp";
import css from "refractor/css";
import go from "refractor/go";
import java from "refractor/java";
import javascript from "refractor/javascript";
import json from "refractor/json";
import jsx from "refractor/jsx";
import kotlin from "refractor/kotlin";
import markdown from "refractor/markdown";
import markup from "refractor/markup";
import php from "refractor/php";
import python from "refractor/python";
import ruby from "refractor/ruby";
import rust from "refractor/rust";
import scss from "refractor/scss";
import sql from "refractor/sql";
import swift from "refractor/swift";
import toml from "refractor/toml";
import tsx from "refractor/tsx";
import typescript from "refractor/typescript";
import yaml from "refractor/yaml";

for (const grammar of [
  bash,
  c,
  cpp,
  csharp,
  css,
  go,
  java,
  javascript,
  json,
  jsx,
  kotlin,
  markdown,
  markup,
  php,
  python,
  ruby,
  rust,
  scss,
  sql,
  swift,
  toml,
  tsx,
  typescript,
  yaml,
]) {
  refractor.register(grammar);
}

/** The library expects the nodes alone, as older versions of the highlighter returned them. */
const highlighter = {
  highlight: (text: string, language: string) => refractor.highlight(text, language).children,
};

/** Undefined if the file cannot be coloured: it is then shown without. */
export function highlightHunks(
  hunks: readonly HunkData[],
  language: string | undefined,
): HunkTokens | undefined {
  const lines = [...hunks];
  const enhancers = [markEdits(lines, { type: "block" })];
  try {
    return language === undefined || !refractor.registered(language)
      ? tokenize(lines, { enhancers })
      : tokenize(lines, { highlight: true, refractor: highlighter, language, enhancers });
  } catch {
    return undefined;
  }
}
