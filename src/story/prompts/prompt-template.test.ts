import { describe, expect, it } from "vitest";
import {
  DEFAULT_TEMPLATE,
  PLACEHOLDERS,
  renderTemplate,
  templateProblem,
  type PromptValues,
} from "./prompt-template.ts";

const values: PromptValues = {
  storyId: "add-login",
  title: "Add login",
  description: "A form.",
  guidance: undefined,
  doneWhen: " ",
  avoid: undefined,
  answers: undefined,
  feedback: undefined,
  notes: undefined,
  rules: "Touch nothing.",
};

describe("a template", () => {
  it("is filled with the story's texts", () => {
    expect(renderTemplate("# {{ title }} ({{storyId}})\n\n{{rules}}", values)).toBe(
      "# Add login (add-login)\n\nTouch nothing.",
    );
  });

  it("leaves out a paragraph whose placeholders are all empty, and keeps one with a filled one", () => {
    const template =
      "Guidance: {{guidance}}\n\nDone: {{doneWhen}}\n\n{{title}}{{avoid}}\n\n{{rules}}";
    expect(renderTemplate(template, values)).toBe("Add login\n\nTouch nothing.");
  });

  it("may add to the default", () => {
    const rendered = renderTemplate("{{default}}\n\nRun the linter.", values);
    expect(rendered).toBe(`${renderTemplate(DEFAULT_TEMPLATE, values)}\n\nRun the linter.`);
  });

  it.each(["answers", "feedback", "rules"] as const)("cannot leave out %s", (name) => {
    const rendered = renderTemplate("Do it.", { ...values, rules: "", [name]: "Said to you." });
    expect(rendered).toBe("Do it.\n\nSaid to you.");
  });

  it("starts after the comment for people who edit it", () => {
    const template = "<!--\n{{title}}\n\n{{rules}}\n-->\n\n{{title}}\n\n{{rules}}\n";
    expect(renderTemplate(template, values)).toBe("Add login\n\nTouch nothing.");
  });

  it("treats braces behind a backslash, and the story's texts, as plain text", () => {
    const hostile = { ...values, title: "Use {{rules}} and $& and $1" };
    expect(renderTemplate("\\{{title}} {{title}}\n\n{{rules}}", hostile)).toBe(
      "{{title}} Use {{rules}} and $& and $1\n\nTouch nothing.",
    );
  });
});

describe("a problem of a template", () => {
  it("is an unknown placeholder, with its line and the ones that exist", () => {
    expect(templateProblem("# {{title}}\n\n{{tilte}}")).toEqual({
      line: 3,
      message: "{{tilte}} is not a placeholder.",
      fix: expect.stringContaining(Object.keys(PLACEHOLDERS).join(", ")) as string,
    });
  });

  it.each([DEFAULT_TEMPLATE, "", "\\{{tilte}}", "{ {x} }"])("is not in %j", (template) => {
    expect(templateProblem(template)).toBeUndefined();
  });
});
