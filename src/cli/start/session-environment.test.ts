import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canMount, fill, mounted } from "../../../test/support/disk.ts";
import { newFolder } from "../../../test/support/project.ts";
import { writeEnvironment, takeEnvironment } from "./session-environment.ts";

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
  it("has what the worker needs, and no secrets of other programs", () => {
    const file = newFile();
    writeEnvironment(file, env, []);
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

  it("has the variables that the settings pass on", () => {
    const file = newFile();
    writeEnvironment(file, env, ["DATABASE_URL", "NOT_THERE"]);
    expect(takeEnvironment(file)).toMatchObject({ DATABASE_URL: "foreign" });
  });

  it("keeps values as they are", () => {
    const file = newFile();
    const value = `two\nlines; "quoted" ü \\ $HOME`;
    writeEnvironment(file, { ANTHROPIC_CUSTOM_HEADERS: value }, []);
    expect(takeEnvironment(file)).toEqual({ ANTHROPIC_CUSTOM_HEADERS: value });
  });

  it("is readable by its owner only, whatever the umask", () => {
    const file = newFile();
    const before = process.umask(0);
    try {
      writeEnvironment(file, env, []);
    } finally {
      process.umask(before);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is deleted when read, so it cannot be read twice", () => {
    const file = newFile();
    writeEnvironment(file, env, []);
    takeEnvironment(file);
    expect(existsSync(file)).toBe(false);
    expect(() => takeEnvironment(file)).toThrow(
      expect.objectContaining({
        code: "not-found",
        hint: expect.stringContaining("saga run") as string,
      }) as Error,
    );
  });

  it.each(["", "{", "[]", '{"PATH":5}'])("that is invalid is deleted too: %j", (text) => {
    const file = newFile();
    writeFileSync(file, text);
    expect(() => takeEnvironment(file)).toThrow(`No environment found in ${file}.`);
    expect(existsSync(file)).toBe(false);
  });

  it("is never written into an existing file", () => {
    const file = newFile();
    writeFileSync(file, "theirs");
    expect(() => writeEnvironment(file, env, [])).toThrow(
      expect.objectContaining({ code: "not-writable" }) as Error,
    );
    expect(readFileSync(file, "utf8")).toBe("theirs");
  });

  it.runIf(canMount)("leaves no partial file on a full disk", () => {
    const disk = mounted(64);
    fill(disk, 0);
    const file = join(disk, "saga-a.env");
    expect(() => writeEnvironment(file, { ...env, PATH: "x".repeat(100_000) }, [])).toThrow(
      expect.objectContaining({ code: "disk-full" }) as Error,
    );
    expect(readdirSync(disk)).toEqual(["filler"]);
  });
});
