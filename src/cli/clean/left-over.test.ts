import { expect, it } from "vitest";
import { isLeftOver, type SeenSessions, type SessionFile } from "./left-over.ts";

const MS = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const nothingSeen: SeenSessions = {
  living: new Set(),
  ended: new Set(),
  idleStories: new Set(),
  idleEpics: new Set(),
};

const fileOf = (session: string, ageMs = MINUTE_MS): SessionFile => ({
  path: `/tmp/saga-sessions/${session}.out`,
  isEnvironment: false,
  session,
  ageMs,
});

const login = `saga-story-add-login-${MS}`;
const shop = `saga-epic-shop-${MS}`;

it("keeps the file of a session that runs, whatever else is known of it", () => {
  const seen = { ...nothingSeen, living: new Set([login]), ended: new Set([login]) };
  expect(isLeftOver(fileOf(login, 2 * DAY_MS), seen)).toBe(false);
});

it("takes the file of a session that has ended at once", () => {
  expect(isLeftOver(fileOf(login, 0), { ...nothingSeen, ended: new Set([login]) })).toBe(true);
});

it("takes what may be another project's only after a day", () => {
  expect(isLeftOver(fileOf(login), nothingSeen)).toBe(false);
  expect(isLeftOver(fileOf(login, DAY_MS + 1), nothingSeen)).toBe(true);
});

it("waits for a session whose file is there before it is", () => {
  const idle = { idleStories: new Set(["add-login"]), idleEpics: new Set(["shop"]) };
  const seen = { ...nothingSeen, ...idle };
  const early = [login, shop, `saga-auto-1-${MS}`].map((session) => fileOf(session, 1_000));
  expect(early.filter((file) => isLeftOver(file, seen))).toEqual([]);
  const later = early.map((file) => ({ ...file, ageMs: MINUTE_MS }));
  expect(later.filter((file) => isLeftOver(file, seen))).toEqual(later);
});

it("takes an environment that nobody has read, whosever it is", () => {
  const environment = { ...fileOf(login), isEnvironment: true };
  expect(isLeftOver(environment, nothingSeen)).toBe(true);
  expect(isLeftOver({ ...environment, ageMs: 1_000 }, nothingSeen)).toBe(false);
});

it("takes what a pool's workers have said, and leaves its daemon's words to a person", () => {
  expect(isLeftOver(fileOf(`saga-auto-1-${MS}`), nothingSeen)).toBe(true);
  expect(isLeftOver(fileOf(`saga-auto-daemon-${MS}`), nothingSeen)).toBe(false);
});
