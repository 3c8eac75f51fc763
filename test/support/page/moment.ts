// The fixed time of the fixture's project: the afternoon of a working day.

export const FIXTURE_NOW = Date.parse("2026-11-16T15:24:00.000Z");

export const before = (minutes: number): string =>
  new Date(FIXTURE_NOW - minutes * 60_000).toISOString();

export const runIdAt = (minutes: number): string =>
  `${before(minutes).replaceAll(/[-:.]/g, "")}-7f3a`;
