import { expect, it } from "vitest";
import { newProject } from "../../../test/support/project.ts";
import { parseQuery } from "../../story/search/query.ts";
import { layoutOf } from "../project/layout.ts";
import { readMatchingEvents } from "./search-logs.ts";

const line = (text: string): string =>
  `${JSON.stringify({ at: "2026-11-15T21:48:00.000Z", type: "agent.said", text })}\n`;

function newLogs() {
  const project = newProject();
  const events = (story: string, run: string, ...texts: string[]): void =>
    void project.write(`.saga/runs/${story}/${run}/events.jsonl`, texts.map(line).join(""));
  events("b", "20261115T214800123Z-1a2b", "needle 1", "hay", "needle 2");
  events("a", "20261116T214800123Z-1a2b", "needle 3");
  events("auto-1", "20261114T214800123Z-1a2b", "needle 0");
  return layoutOf(project.path);
}

it("yields matching lines of all runs, newest run first, in each the newest line first", () => {
  const found = [...readMatchingEvents(newLogs(), parseQuery("needle"))];
  expect(found.map(({ story, event }) => [story, event["text"]])).toEqual([
    ["a", "needle 3"],
    ["b", "needle 2"],
    ["b", "needle 1"],
    ["auto-1", "needle 0"],
  ]);
});

it("ends when it is stopped, and says that logs are missing", () => {
  const reader = readMatchingEvents(newLogs(), parseQuery("needle"), AbortSignal.abort());
  expect(reader.next()).toEqual({ done: true, value: { isCut: true } });
});
