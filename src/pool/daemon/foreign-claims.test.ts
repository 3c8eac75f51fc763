import { expect, it } from "vitest";
import { aDeadCard } from "../../../test/support/claims.ts";
import { newFolder } from "../../../test/support/project.ts";
import type { ClaimerRecord } from "../../tasks/claims/claimer-file.ts";
import { newForeignClaims } from "./foreign-claims.ts";

function aLook() {
  const lines: string[] = [];
  let nowMs = 0;
  const { isLeftAlone } = newForeignClaims({
    repository: { commonDir: "/here/.git" },
    uptimeMs: () => nowMs,
    logLine: (sentence) => lines.push(sentence),
  });
  return {
    lines,
    isLeft: (card: ClaimerRecord | undefined, taskId = "1") =>
      isLeftAlone({
        taskId,
        last: card && { name: taskId, fence: 1, record: card, life: "dead" },
      }),
    pass: (minutes: number) => (nowMs += minutes * 60_000),
  };
}

it("a dead claim of this repository, or of an unknown one, is recovered here", () => {
  const { isLeft, lines } = aLook();
  expect(isLeft(aDeadCard({ repository: "/here/.git" }))).toBe(false);
  expect(isLeft(aDeadCard())).toBe(false);
  expect(isLeft(undefined)).toBe(false);
  expect(lines).toEqual([]);
});

it("one of a deleted repository, or of another machine, is recovered too", () => {
  const { path } = newFolder();
  const { isLeft } = aLook();
  expect(isLeft(aDeadCard({ repository: `${path}/gone/.git` }))).toBe(false);
  expect(isLeft(aDeadCard({ repository: path, place: "elsewhere" }))).toBe(false);
});

it("one of another repository is left for ten minutes, which is printed once", () => {
  const { path } = newFolder();
  const { isLeft, lines, pass } = aLook();
  const card = aDeadCard({ repository: path });
  expect(isLeft(card)).toBe(true);
  pass(9);
  expect(isLeft(card)).toBe(true);
  expect(lines).toEqual([
    `task 1 is left to the pool of ${path}, whose worker auto-1 died. To take it over: \`saga task release 1\``,
  ]);
  pass(1);
  expect(isLeft(card)).toBe(false);
});
