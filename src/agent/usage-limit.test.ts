import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/project.ts";
import type { Environment } from "../machine/processes/environment.ts";
import { endOfLimit, readUsageLimit, recordUsageLimit } from "./usage-limit.ts";

const NOW = Date.UTC(2026, 10, 15, 12);
const usageLimit = { untilMs: NOW + 60_000, reason: "You've hit your 5-hour limit." };

const files = (folder: string): string[] =>
  execFileSync("find", [folder, "-type", "f"], { encoding: "utf8" }).split("\n").filter(Boolean);

const newEnv = (more: Environment = {}): Environment & { readonly HOME: string } => ({
  ...more,
  HOME: newFolder().path,
});

describe("a usage limit", () => {
  it("is unknown until a run reaches it", () => {
    expect(readUsageLimit(newEnv(), NOW, "opus")).toBeUndefined();
  });

  it("is unknown where nothing can be kept", () => {
    const home = newFolder();
    home.write(".local", "a file");
    expect(readUsageLimit({ HOME: home.path }, NOW, "opus")).toBeUndefined();
  });

  it("is known to everyone on the machine until it is over", () => {
    const env = newEnv();
    recordUsageLimit(env, usageLimit);
    expect(readUsageLimit({ ...env }, NOW, "opus")).toEqual(usageLimit);
    expect(readUsageLimit(env, usageLimit.untilMs - 1, "opus")).toEqual(usageLimit);
    expect(readUsageLimit(env, usageLimit.untilMs, "opus")).toBeUndefined();
  });

  it("of some models stops those and no others", () => {
    const env = newEnv();
    recordUsageLimit(env, usageLimit, "opus");
    expect(readUsageLimit(env, NOW, "claude-opus-5-5")).toEqual(usageLimit);
    expect(readUsageLimit(env, NOW, "haiku")).toBeUndefined();
    recordUsageLimit(env, { untilMs: NOW + 1000, reason: "All of them." });
    expect(readUsageLimit(env, NOW, "haiku")).toMatchObject({ reason: "All of them." });
    expect(readUsageLimit(env, NOW, "opus")).toEqual(usageLimit);
  });

  it("of some models also stops runs that use another name for them", () => {
    const env = newEnv();
    recordUsageLimit(env, usageLimit, "opus", "Default");
    expect(readUsageLimit(env, NOW, "default")).toEqual(usageLimit);
    expect(readUsageLimit(env, NOW, "opus")).toEqual(usageLimit);
    expect(readUsageLimit(env, NOW, "sonnet")).toBeUndefined();
  });

  it("is the one that lasts longest", () => {
    const env = newEnv();
    recordUsageLimit(env, usageLimit);
    recordUsageLimit(env, { untilMs: NOW + 120_000, reason: "Longer." });
    recordUsageLimit(env, { untilMs: NOW + 30_000, reason: "Overloaded." });
    expect(readUsageLimit(env, NOW, "opus")).toEqual({ untilMs: NOW + 120_000, reason: "Longer." });
    expect(files(env.HOME)).toHaveLength(1);
  });

  it.each([
    ["key", "ANTHROPIC_API_KEY"],
    ["token", "CLAUDE_CODE_OAUTH_TOKEN"],
    ["service", "ANTHROPIC_BASE_URL"],
    ["login", "CLAUDE_CONFIG_DIR"],
  ])("of one %s is not that of another", (_, name) => {
    const env = newEnv();
    recordUsageLimit({ ...env, [name]: "one" }, usageLimit);
    expect(readUsageLimit({ ...env, [name]: "one" }, NOW, "opus")).toEqual(usageLimit);
    expect(readUsageLimit({ ...env, [name]: "two" }, NOW, "opus")).toBeUndefined();
    expect(readUsageLimit(env, NOW, "opus")).toBeUndefined();
  });

  it("is remembered without any secret", () => {
    const env = newEnv({ ANTHROPIC_API_KEY: "sk-very-secret" });
    recordUsageLimit(env, usageLimit);
    const [file = "", ...others] = files(env.HOME);
    expect(others).toEqual([]);
    expect(file).not.toContain("secret");
    expect(execFileSync("cat", [file], { encoding: "utf8" })).not.toContain("secret");
  });

  it("is kept in the user's state folder", () => {
    const [env, state] = [newEnv(), newFolder().path];
    recordUsageLimit({ ...env, XDG_STATE_HOME: state }, usageLimit);
    expect(files(env.HOME)).toEqual([]);
    expect(files(state)).toHaveLength(1);
    expect(readUsageLimit({ ...env, XDG_STATE_HOME: state }, NOW, "opus")).toEqual(usageLimit);
  });

  it.each(["", "{", "[]", '{"until":"soon","reason":"x"}', '{"until":5}'])(
    "that cannot be read stops no run: %j",
    (text) => {
      const env = newEnv();
      recordUsageLimit(env, usageLimit);
      writeFileSync(files(env.HOME)[0] ?? "", text);
      expect(readUsageLimit(env, NOW, "opus")).toBeUndefined();
    },
  );
});

describe("the end of a usage limit", () => {
  const endAt = (resetsAtMs: number | undefined): number =>
    endOfLimit(resetsAtMs, { nowMs: NOW, pauseMs: 60_000 });

  it("is when the service says", () => {
    expect(endAt(NOW + 7 * 24 * 3600_000)).toBe(NOW + 7 * 24 * 3600_000);
  });

  it.each([
    ["is unknown", undefined],
    ["is over already, by this clock", NOW - 1],
    ["is not a number", NaN],
    ["is in another unit", (NOW + 3600_000) * 1000],
  ])("comes after a pause when it %s", (_, resetsAtMs) => {
    expect(endAt(resetsAtMs)).toBe(NOW + 60_000);
  });
});
