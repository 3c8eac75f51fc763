import { expect, it } from "vitest";
import { newLiveEntities } from "./entities.ts";
import type { ProblemCard, ToPage } from "../protocol/messages.ts";

const problem = (message: string): ProblemCard => ({ file: "a.json", message });
const server = { token: "t", version: "1" };

function listening() {
  const entities = newLiveEntities();
  const messages: ToPage[] = [];
  const leave = entities.join((text) => messages.push(JSON.parse(text) as ToPage));
  return { entities, messages, leave };
}

it("sends what has changed, and no message if nothing has", () => {
  const { entities, messages } = listening();
  entities.put("problems", "one", problem("a"));
  entities.flush();
  entities.put("problems", "one", problem("a"));
  entities.flush();
  expect(messages).toEqual([
    {
      type: "change",
      sequence: 1,
      changes: [{ kind: "problems", id: "one", value: problem("a") }],
    },
  ]);
});

it("sends only the last of several changes to an entity", () => {
  const { entities, messages } = listening();
  for (const message of ["a", "b", "c"]) entities.put("problems", "one", problem(message));
  entities.flush();
  expect(messages).toMatchObject([{ changes: [{ value: problem("c") }] }]);
});

it("numbers changes without a gap, starting at the snapshot", () => {
  const { entities, messages } = listening();
  entities.put("problems", "one", problem("a"));
  entities.flush();
  const snapshot = JSON.parse(entities.snapshot(server)) as { sequence: number };
  entities.put("problems", "two", problem("b"));
  entities.flush();
  expect(snapshot.sequence).toBe(1);
  expect(messages.at(-1)).toMatchObject({ sequence: 2 });
});

it("includes everything in a snapshot, and reports removed entities", () => {
  const { entities, messages } = listening();
  entities.putAll(
    "problems",
    new Map([
      ["one", problem("a")],
      ["two", problem("b")],
    ]),
  );
  entities.putAll("problems", new Map([["two", problem("b")]]));
  entities.flush();
  expect(JSON.parse(entities.snapshot(server))).toEqual({
    type: "snapshot",
    sequence: 1,
    ...server,
    entities: {
      stories: {},
      epics: {},
      sessions: {},
      pool: {},
      problems: { two: problem("b") },
      lanes: {},
      fleet: {},
      conflicts: {},
      project: {},
    },
  });
  expect(messages).toMatchObject([{ changes: [{ id: "one", value: null }, { id: "two" }] }]);
});

it("sends nothing to a listener that has left", () => {
  const { entities, messages, leave } = listening();
  leave();
  entities.put("problems", "one", problem("a"));
  entities.flush();
  expect(messages).toEqual([]);
});
