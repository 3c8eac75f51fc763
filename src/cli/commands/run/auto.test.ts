import { expect, it } from "vitest";
import { newProject } from "../../../../test/support/project.ts";

it.each([
  ["status", /^No pool is running for the task list \S+\. Start one: `saga auto`\.\n$/],
  ["stop", /^No pool is running\.\n$/],
  ["drain", /^No pool is running\.\n$/],
])("auto %s without a pool succeeds, and says that there is none", async (word, text) => {
  const { exitCode, stdout } = await newProject().saga("auto", word);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(text);
});
