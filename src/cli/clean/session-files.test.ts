import { expect, it } from "vitest";
import { isLeftOver, type KnownSessions, type SessionFile } from "./session-files.ts";

const MS = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const nothingKnown: KnownSessions = {
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

it("keeps the file of a running session, whatever else is known", () => {
  const known = { ...nothingKnown, living: new Set([login]), ended: new Set([login]) };
  expect(isLeftOver(fileOf(login, 2 * DAY_MS), known)).toBe(false);
});

it("deletes the file of an ended session at once", () => {
  expect(isLeftOver(fileOf(login, 0), { ...nothingKnown, ended: new Set([login]) })).toBe(true);
});

it("deletes a file that may be another project's only after a day", () => {
  expect(isLeftOver(fileOf(login), nothingKnown)).toBe(false);
  expect(isLeftOver(fileOf(login, DAY_MS + 1), nothingKnown)).toBe(true);
});

it("keeps a new file, because its session may not have started yet", () => {
  const idle = { idleStories: new Set(["add-login"]), idleEpics: new Set(["shop"]) };
  const known = { ...nothingKnown, ...idle };
  const early = [login, shop, `saga-auto-1-${MS}`].map((session) => fileOf(session, 1_000));
  expect(early.filter((file) => isLeftOver(file, known))).toEqual([]);
  const later = early.map((file) => ({ ...file, ageMs: MINUTE_MS }));
  expect(later.filter((file) => isLeftOver(file, known))).toEqual(later);
});

it("deletes an environment that was not read, whatever its project", () => {
  const environment = { ...fileOf(login), isEnvironment: true };
  expect(isLeftOver(environment, nothingKnown)).toBe(true);
  expect(isLeftOver({ ...environment, ageMs: 1_000 }, nothingKnown)).toBe(false);
});

it("deletes the output of pool workers, and keeps the daemon's for a person", () => {
  expect(isLeftOver(fileOf(`saga-auto-1-${MS}`), nothingKnown)).toBe(true);
  expect(isLeftOver(fileOf(`saga-auto-daemon-${MS}`), nothingKnown)).toBe(false);
});
