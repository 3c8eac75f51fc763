import { expect, it } from "vitest";
import { announcedTools, loginIn } from "./probe.ts";

it("a person is logged in, or not, or it is unknown", () => {
  const status = { loggedIn: true, authMethod: "api_key" };
  expect(loginIn(JSON.stringify(status))).toEqual({ isLoggedIn: true, method: "api_key" });
  expect(loginIn('{"loggedIn":false,"authMethod":"none"}')).toMatchObject({ isLoggedIn: false });
  for (const text of ["", "Logged in.", "{}", '{"loggedIn":"yes","authMethod":"x"}']) {
    expect(loginIn(text)).toEqual({ isLoggedIn: undefined });
  }
});

it("the tools of a run are those that its first message announces", () => {
  const init = JSON.stringify({ type: "system", subtype: "init", tools: ["Bash", "TaskList"] });
  const other = JSON.stringify({ type: "system", subtype: "status", tools: ["No"] });
  expect(announcedTools(["a warning", other, init, init].join("\n"))).toEqual(["Bash", "TaskList"]);
  expect(announcedTools(`${other}\n`)).toBeUndefined();
  expect(announcedTools("")).toBeUndefined();
});
