import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canMount, fill, mounted } from "../../../test/support/disk.ts";
import { newFolder } from "../../../test/support/project.ts";
import { leaveEnvironment, takeEnvironment } from "./session-environment.ts";

const env = {
  PATH: "/bin",
  HOME: "/home/me",
  ANTHROPIC_API_KEY: "key",
  GH_TOKEN: "token",
  SSH_AUTH_SOCK: "/run/agent",
  AWS_SECRET_ACCESS_KEY: "foreign",
  DATABASE_URL: "foreign",
  NODE_OPTIONS: "--require=foreign",
};
const newFile = (): string => join(newFolder().path, "saga-a.env");

describe("the environment of a session", () => {
  it("is what the worker needs, and no secret of another program", () => {
    const file = newFile();
    leaveEnvironment(file, env, []);
    expect(readFileSync(file, "utf8")).not.toContain("foreign");
    const { PATH, HOME, ANTHROPIC_API_KEY, GH_TOKEN, SSH_AUTH_SOCK } = env;
    expect(takeEnvironment(file)).toEqual({
      PATH,
      HOME,
      ANTHROPIC_API_KEY,
      GH_TOKEN,
      SSH_AUTH_SOCK,
    });
  });

  it("holds what the settings let through", () => {
    const file = newFile();
    leaveEnvironment(file, env, ["DATABASE_URL", "NOT_THERE"]);
    expect(takeEnvironment(file)).toMatchObject({ DATABASE_URL: "foreign" });
  });

  it("keeps values as they are", () => {
    const file = newFile();
    const value = `two\nlines; "quoted" ü \\ $HOME`;
    leaveEnvironment(file, { ANTHROPIC_CUSTOM_HEADERS: value }, []);
    expect(takeEnvironment(file)).toEqual({ ANTHROPIC_CUSTOM_HEADERS: value });
  });

  it("is for its owner's eyes only, whatever the process's usual mode", () => {
    const file = newFile();
    const before = process.umask(0);
    try {
      leaveEnvironment(file, env, []);
    } finally {
      process.umask(before);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is gone as soon as it is read, and is not there twice", () => {
    const file = newFile();
    leaveEnvironment(file, env, []);
    takeEnvironment(file);
    expect(existsSync(file)).toBe(false);
    expect(() => takeEnvironment(file)).toThrow(
      expect.objectContaining({
        code: "not-found",
        hint: expect.stringContaining("saga run") as string,
      }) as Error,
    );
  });

  it.each(["", "{", "[]", '{"PATH":5}'])("that makes no sense is gone as well: %j", (text) => {
    const file = newFile();
    writeFileSync(file, text);
    expect(() => takeEnvironment(file)).toThrow(`There is no environment in ${file}.`);
    expect(existsSync(file)).toBe(false);
  });

  it("is never put into a file that someone else has made", () => {
    const file = newFile();
    writeFileSync(file, "theirs");
    expect(() => leaveEnvironment(file, env, [])).toThrow(
      expect.objectContaining({ code: "not-writable" }) as Error,
    );
    expect(readFileSync(file, "utf8")).toBe("theirs");
  });

  it.runIf(canMount)("leaves no half of it on a full disk", () => {
    const disk = mounted(64);
    fill(disk, 0);
    const file = join(disk, "saga-a.env");
    expect(() => leaveEnvironment(file, { ...env, PATH: "x".repeat(100_000) }, [])).toThrow(
      expect.objectContaining({ code: "disk-full" }) as Error,
    );
    expect(readdirSync(disk)).toEqual(["filler"]);
  });
});
