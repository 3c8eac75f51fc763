const GENERATED = "<!-- Made from the code by `npm run reference`; do not edit. -->";

export const page = (title: string, ...parts: readonly string[]): string =>
  `${[GENERATED, `# ${title}`, ...parts].filter((part) => part !== "").join("\n\n")}\n`;

/** Empty without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export const code = (text: string): string => `\`${text}\``;

export const fence = (language: string, text: string): string =>
  `\`\`\`${language}\n${text}\n\`\`\``;

export const bullets = (items: readonly string[]): string =>
  items.map((item) => `- ${item}`).join("\n");

/** Escapes `<placeholders>` outside of code, so that they are not read as HTML. */
export const prose = (text: string): string =>
  text
    .split(/(?<code>`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;")))
    .join("");

const cell = (text: string): string =>
  prose(text)
    .replaceAll("|", String.raw`\|`)
    .replaceAll("\n", " ");
