import { expect, it } from "vitest";
import { lastCommit } from "./reflog.ts";

const NONE = "0".repeat(40);
const line = (from: string, to: string): string =>
  `${from} ${to} Person <p@example.org> 1700000000 +0000\tcommit: work`;

it("names the commit that was checked out before the branch was deleted", () => {
  const log = [line(NONE, "a1"), line("a1", "b2"), line("b2", NONE)].join("\n");
  expect(lastCommit(`${log}\n`)).toBe("b2");
});

it("names none in a log that has none", () => {
  expect(lastCommit("")).toBeUndefined();
  expect(lastCommit("not a log\n")).toBeUndefined();
  expect(lastCommit(line("b2", NONE))).toBeUndefined();
});
