// The prompt of an agent run on a story, with placeholders. The default is shipped as
// `plugin/skills/execute-story/worker-prompt.md`; a project may have its own in `.saga/worker-prompt.md`.

/** The names between `{{` and `}}`, and their meanings. */
export const PLACEHOLDERS = {
  default: "the whole default prompt, for projects that only add to it",
  storyId: "the id of the story",
  title: "its title",
  description: "its description",
  guidance: "how to approach it",
  doneWhen: "when it is done",
  avoid: "what to avoid",
  answers: "questions of earlier runs, with their answers",
  feedback: "what a person wants changed in the finished work",
  notes: "notes of a person to the agent",
  rules: "how to work, and every rule of the gate",
} as const;
export type Placeholder = keyof typeof PLACEHOLDERS;

/** Added even if the template does not name them: an agent must know what it is judged by. */
const ALWAYS_INCLUDED: readonly Placeholder[] = ["answers", "feedback", "notes", "rules"];

export const DEFAULT_TEMPLATE = `You are working on: {{title}}

{{description}}

Guidance: {{guidance}}

Done when: {{doneWhen}}

Avoid: {{avoid}}

{{answers}}

{{feedback}}

{{notes}}

Execute the tasks in the task list using TaskList, TaskGet, and TaskUpdate.

{{rules}}
`;

export type PromptValues = Readonly<Record<Exclude<Placeholder, "default">, string | undefined>>;

/** Leaves out paragraphs whose placeholders are all empty, such as a heading without its text. */
export function renderTemplate(template: string, values: PromptValues): string {
  const body = withoutLeadingComment(template);
  const isDefaultUsed = namesIn(body).includes("default");
  const used = new Set(namesIn(isDefaultUsed ? `${body}${DEFAULT_TEMPLATE}` : body));
  const missing = ALWAYS_INCLUDED.filter((name) => !used.has(name)).map((name) => `{{${name}}}`);
  const all: Readonly<Record<string, string | undefined>> = {
    ...values,
    default: isDefaultUsed ? renderTemplate(DEFAULT_TEMPLATE, values) : undefined,
  };
  return [body, ...missing]
    .join("\n\n")
    .split(/\n[ \t]*\n\s*?(?=\S|$)/)
    .flatMap((paragraph) => filled(paragraph, all) ?? [])
    .join("\n\n")
    .trim();
}

/** The first unknown placeholder, with its line. */
export function templateProblem(
  template: string,
): { readonly line: number; readonly message: string; readonly fix: string } | undefined {
  for (const match of template.matchAll(PLACEHOLDER)) {
    const { escape, name = "" } = match.groups ?? {};
    if (escape !== undefined || Object.hasOwn(PLACEHOLDERS, name)) continue;
    return {
      line: template.slice(0, match.index).split("\n").length,
      message: `{{${name}}} is not a placeholder.`,
      fix: `Use one of ${Object.keys(PLACEHOLDERS).join(", ")}, or write \\{{ for two plain braces.`,
    };
  }
  return undefined;
}

/** `{{name}}`; behind a backslash it is plain text. */
const PLACEHOLDER = /(?<escape>\\)?\{\{\s*(?<name>[^{}]*?)\s*\}\}/g;

const namesIn = (text: string): string[] =>
  [...text.matchAll(PLACEHOLDER)].flatMap(({ groups }) =>
    groups?.["escape"] === undefined ? [groups?.["name"] ?? ""] : [],
  );

function filled(
  paragraph: string,
  values: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const names = namesIn(paragraph);
  if (names.length > 0 && names.every((name) => isEmpty(values[name]))) return undefined;
  // A function, because `$&` in a story's text must not be interpreted.
  return paragraph.replaceAll(PLACEHOLDER, (place, escape: string | undefined, name: string) =>
    escape === undefined ? (values[name] ?? "") : place.slice(1),
  );
}

const isEmpty = (text: string | undefined): boolean => text === undefined || text.trim() === "";

/** The comment is for people who edit the file. */
const withoutLeadingComment = (template: string): string =>
  template.replace(/^\s*<!--.*?-->\s*/s, "").trim();
