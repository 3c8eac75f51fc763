// The language of a file by its name, as the highlighter calls it. Pure.

const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  typescript: ["ts", "mts", "cts"],
  tsx: ["tsx"],
  javascript: ["js", "mjs", "cjs"],
  jsx: ["jsx"],
  json: ["json", "jsonc", "webmanifest"],
  css: ["css"],
  scss: ["scss"],
  markup: ["html", "htm", "xml", "svg", "vue", "svelte"],
  markdown: ["md", "mdx", "markdown"],
  python: ["py", "pyi"],
  go: ["go"],
  rust: ["rs"],
  java: ["java"],
  kotlin: ["kt", "kts"],
  swift: ["swift"],
  ruby: ["rb", "rake"],
  php: ["php"],
  c: ["c", "h"],
  cpp: ["cc", "cpp", "cxx", "hpp", "hh"],
  csharp: ["cs"],
  bash: ["sh", "bash", "zsh"],
  yaml: ["yml", "yaml"],
  toml: ["toml"],
  sql: ["sql"],
};

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([language, extensions]) =>
    extensions.map((extension) => [extension, language] as const),
  ),
);

/** Undefined if it is shown without colours. */
export function languageOf(path: string): string | undefined {
  const name = path.split("/").at(-1) ?? "";
  if (/^(?:Dockerfile|Makefile)/i.test(name)) return "bash";
  return BY_EXTENSION.get(name.split(".").at(-1)?.toLowerCase() ?? "");
}
