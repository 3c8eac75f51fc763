import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { layoutOf } from "./layout.ts";
import { loadPromptTemplate, requirePromptTemplate } from "./worker-prompt.ts";

it("a project needs no template", () => {
  expect(loadPromptTemplate(layoutOf(newProject().path))).toEqual({ problems: [] });
});

it("a template with an unknown placeholder is a problem, and refused when it is needed", () => {
  const project = newProject();
  project.write(".saga/worker-prompt.md", "Do {{this}}.\n");
  const at = layoutOf(project.path);
  const { template, problems } = loadPromptTemplate(at);
  expect(template).toBeUndefined();
  expect(problems).toMatchObject([{ severity: "error" }]);
  expect(() => requirePromptTemplate(at)).toThrow("worker-prompt.md cannot be used:");
});
