import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { defaults } from "../../test/support/default-settings.ts";
import { aReceipt } from "../../test/support/receipts.ts";
import { newRepository } from "../../test/support/repository.ts";
import { judgeCommit, whyNotPassed, type GateWork } from "./story-gate.ts";

const finding = {
  rule: "secret",
  file: "a.ts",
  key: "added AWS key",
  message: "Looks like a secret.",
} as const;

it("a gate that passed has no reason", () => {
  expect(
    whyNotPassed([aReceipt({}), aReceipt({ gate: "check", command: "npm test" })]),
  ).toBeUndefined();
});

it("the first failure is the reason", () => {
  const check = aReceipt({ gate: "check", command: "npm test", isPassed: false, how: "exit 1" });
  const later = aReceipt({ gate: "review", isPassed: false, how: "no" });
  expect(whyNotPassed([aReceipt({}), check, later])).toBe("The check `npm test` failed (exit 1).");
});

it("names the first of several findings, and how many more there are", () => {
  const one = aReceipt({ isPassed: false, findings: [finding] });
  const three = aReceipt({ isPassed: false, findings: [finding, finding, finding] });
  expect(whyNotPassed([one])).not.toContain("more");
  expect(whyNotPassed([three])).toMatch(/Looks like a secret\. \(and 2 more\)$/);
});

it("a gate without findings says how it ended", () => {
  expect(
    whyNotPassed([aReceipt({ gate: "test", isPassed: false, how: "no verdict in time" })]),
  ).toBe("No approval from the tester: no verdict in time.");
});

it("a commit is not checked out if its checks passed on the same code before", async () => {
  const { work, commit, runs } = await checkedProject();
  expect(await judgeCommit(work, commit)).toMatchObject([{ isPassed: true }]);
  const [again] = await judgeCommit({ ...work, mayReuse: true }, commit);
  expect(again).toMatchObject({ isPassed: true, command: work.story.checks[0] });
  expect(runs()).toBe(1);
  await judgeCommit(work, commit);
  expect(runs()).toBe(2);
});

it("tester and reviewer still get a checkout", async () => {
  const { work, commit, runs } = await checkedProject();
  await judgeCommit(work, commit);
  const inspect = async (folder: string): Promise<[]> => {
    expect(existsSync(join(folder, "src/main.ts"))).toBe(true);
    return [];
  };
  await judgeCommit({ ...work, mayReuse: true, inspect }, commit);
  expect(runs()).toBe(1);
  expect.assertions(2);
});

/** Its check logs each run. */
async function checkedProject(): Promise<{ work: GateWork; commit: string; runs: () => number }> {
  const test = newRepository();
  const log = join(test.path, "../suite.log");
  const work = {
    repository: await test.open(),
    settings: defaults,
    env: test.env,
    now: Date.now,
    story: { id: "add-login", checks: [`echo run >> '${log}'`], writeFiles: undefined },
    tasks: [],
  };
  const runs = (): number => readFileSync(log, "utf8").split("\n").length - 1;
  return { work, commit: test.git("rev-parse", "HEAD"), runs };
}
