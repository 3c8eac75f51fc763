// The default prompt as a file of the plugin: people copy it to change it.

import { DEFAULT_TEMPLATE, PLACEHOLDERS } from "../../src/story/prompts/prompt-template.ts";

export const workerPromptPage = (): string =>
  [
    "<!--",
    "What a headless run of a story is told, unless the project has `.saga/worker-prompt.md`. Made by `npm run reference`: change a copy.",
    "A paragraph whose placeholders are all empty is left out, and so is this comment. {{answers}}, {{feedback}} and {{rules}} are added where a template lacks them.",
    "",
    ...Object.entries(PLACEHOLDERS).map(([name, about]) => `{{${name}}}: ${about}`),
    "-->",
    "",
    DEFAULT_TEMPLATE,
  ].join("\n");
