import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import type { Environment } from "../processes/environment.ts";
import { startTimeOf } from "../processes/process-id.ts";
import { attachCommand, openTmux, type NewTmuxSession, type Tmux } from "./tmux.ts";

interface Terminal {
  readonly tmux: Tmux;
  readonly env: Environment;
  readonly path: string;
  /** A session in the test's folder, with its output there too. */
  readonly session: (more: Partial<NewTmuxSession>) => NewTmuxSession;
}

/** A separate tmux server, ended with the test. */
function newTerminal(more: Environment = {}): Terminal {
  const { path } = newFolder();
  const env = { PATH: process.env["PATH"], HOME: path, TMUX_TMPDIR: path, ...more };
  onTestFinished(() => {
    try {
      execFileSync("tmux", ["kill-server"], { env, stdio: "ignore" });
    } catch {
      // It ended with its last session.
    }
  });
  const session = (rest: Partial<NewTmuxSession>): NewTmuxSession => ({
    name: "saga-a",
    cwd: path,
    env: {},
    command: ["sleep", "1000"],
    outputFile: join(path, "output"),
    ...rest,
  });
  return { tmux: openTmux(env), env, path, session };
}

/** The text of a file, as soon as it contains the expected text. */
function untilFile(file: string, isThere: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const watcher = watch(join(file, ".."), () => look());
    const look = (): void => {
      if (statSync(file, { throwIfNoEntry: false }) === undefined) return;
      const text = readFileSync(file, "utf8");
      if (!isThere(text)) return;
      watcher.close();
      resolve(text);
    };
    look();
  });
}

const untilSays = (file: string, words: string): Promise<string> =>
  untilFile(file, (text) => text.includes(words));

// Programs that stay: of what one prints in its very last moment, tmux may lose the end.

/** Prints, and stays. */
const printing = (script: string): string[] => ["sh", "-c", `${script}; exec sleep 1000`];

/** Prints its arguments and folder, and stays. */
const PRINT_PROCESS = `
  const info = { cwd: process.cwd(), words: process.argv.slice(1), env: process.env };
  console.log(JSON.stringify(info) + "\\nend");
  setInterval(() => undefined, 1000);`;

interface ProcessInfo {
  readonly cwd: string;
  readonly words: string[];
  readonly env: Record<string, string>;
}

/** What a program in a session sees. */
async function processIn(
  { tmux, session }: Terminal,
  more: Partial<NewTmuxSession>,
  words: string[] = [],
) {
  const one = session({ command: [process.execPath, "-e", PRINT_PROCESS, ...words], ...more });
  await tmux.start(one);
  const text = await untilSays(one.outputFile, "\nend");
  // A terminal ends lines with a carriage return and a line feed.
  return JSON.parse(text.slice(0, text.indexOf("\r\nend"))) as ProcessInfo;
}

const ODD = [
  "two words",
  `it's "quoted"`,
  "100%",
  "%Y",
  "50%%",
  "a#b",
  "#{pid}",
  "#S",
  "#[x]",
  "##[x]",
  "#(touch pwned)",
  "##",
];
const ENDS = ["semi;", "back\\;", ";", "\\;", "a;b", "$HOME", "$(id)", "`id`", "ü計"];

describe("a session", () => {
  it("outlives the process that started it, and is listed with its own", async () => {
    const { tmux, session } = newTerminal();
    expect(await tmux.list()).toEqual([]);
    await tmux.start(session({}));
    const [found, ...others] = await tmux.list();
    expect(others).toEqual([]);
    expect(found?.name).toBe("saga-a");
    expect(Math.abs(Date.now() - (found?.startedAtMs ?? 0))).toBeLessThan(60_000);
    expect(startTimeOf(found?.pid ?? 0)).toBeDefined();
  });

  it("is ended together with its processes", async () => {
    const { tmux, session } = newTerminal();
    await tmux.start(session({}));
    const pid = (await tmux.list())[0]?.pid ?? 0;
    expect(await tmux.end("saga-a")).toBe(true);
    expect(await tmux.list()).toEqual([]);
    await expect.poll(() => startTimeOf(pid)).toBeUndefined();
    expect(await tmux.end("saga-a")).toBe(false);
  });

  it("is matched by its whole name: ending it does not end one with the same prefix", async () => {
    const { tmux, session } = newTerminal();
    await tmux.start(session({ name: "saga-ab" }));
    expect(await tmux.end("saga-a")).toBe(false);
    await tmux.start(session({ name: "saga-a" }));
    expect(await tmux.end("saga-a")).toBe(true);
    expect((await tmux.list()).map(({ name }) => name)).toEqual(["saga-ab"]);
    expect(attachCommand("saga-a").at(-1)).toBe("=saga-a:");
  });

  it("is not started under an existing name, and the first one stays", async () => {
    const { tmux, session } = newTerminal();
    await tmux.start(session({}));
    await expect(tmux.start(session({}))).rejects.toMatchObject({
      code: "program-failed",
      message: expect.stringContaining("duplicate session") as string,
    });
    expect(await tmux.list()).toHaveLength(1);
  });

  it("ends with its program, whatever the user's settings", async () => {
    const { tmux, session, path } = newTerminal();
    writeFileSync(join(path, ".tmux.conf"), "set -g remain-on-exit on\n");
    await tmux.start(session({ name: "saga-b" }));
    await tmux.start(session({ command: ["sh", "-c", "exit 3"] }));
    await expect.poll(async () => (await tmux.list()).map(({ name }) => name)).toEqual(["saga-b"]);
  });
});

describe("the output of a session", () => {
  it("is captured from the first line, however fast", async () => {
    const { tmux, session } = newTerminal();
    const one = session({ command: printing("seq 1 2000; echo end") });
    await tmux.start(one);
    const text = await untilSays(one.outputFile, "end\r\n");
    const expected = Array.from({ length: 2000 }, (_, at) => String(at + 1));
    expect(text.replaceAll("\r", "").split("\n")).toEqual([...expected, "end", ""]);
  });

  it("is appended to the file", async () => {
    const { tmux, session } = newTerminal();
    const one = session({ command: printing("echo second") });
    execFileSync("sh", ["-c", 'echo first > "$0"', one.outputFile]);
    await tmux.start(one);
    expect(await untilSays(one.outputFile, "second")).toMatch(/^first\nsecond/);
  });

  it.each([...ODD, ...ENDS])("is written to a file of any name: %j", async (name) => {
    const { tmux, session, path } = newTerminal();
    mkdirSync(join(path, name));
    const one = session({
      command: printing("echo end"),
      outputFile: join(path, name, `output ${name}`),
    });
    await tmux.start(one);
    expect(await untilSays(one.outputFile, "end")).toContain("end");
  });
});

describe("a program in a session", () => {
  it.each([...ODD, ...ENDS])("runs in its folder: %j", async (name) => {
    const terminal = newTerminal();
    const cwd = join(terminal.path, name);
    mkdirSync(cwd);
    expect((await processIn(terminal, { cwd })).cwd).toBe(cwd);
  });

  it("gets its arguments unchanged", async () => {
    const words = [...ODD, ...ENDS];
    expect((await processIn(newTerminal(), {}, words)).words).toEqual(words);
  });

  it("gets its variables unchanged", async () => {
    const env = Object.fromEntries([...ODD, ...ENDS].map((value, at) => [`ODD_${at}`, value]));
    expect((await processIn(newTerminal(), { env })).env).toMatchObject(env);
  });

  it("does not see its caller's secrets", async () => {
    const terminal = newTerminal({ ANTHROPIC_API_KEY: "secret", GH_TOKEN: "secret" });
    expect(JSON.stringify((await processIn(terminal, {})).env)).not.toContain("secret");
  });

  it("sees its own variables, not those of the server", async () => {
    const terminal = newTerminal();
    const env = { ...terminal.env, SAGA_STORY_ID: "of the server" };
    execFileSync("tmux", ["new-session", "-d", "-s", "first", "sleep 1000"], { env });
    const found = await processIn(terminal, { env: { SAGA_STORY_ID: "of the story" } });
    expect(found.env["SAGA_STORY_ID"]).toBe("of the story");
  });
});

describe("without tmux", () => {
  it("there are no sessions, and starting one gives a hint", async () => {
    const { path } = newFolder();
    const tmux = openTmux({ PATH: path, HOME: path });
    expect(await tmux.list()).toEqual([]);
    expect(await tmux.end("saga-a")).toBe(false);
    const starting = tmux.start({
      name: "saga-a",
      cwd: path,
      env: {},
      command: ["true"],
      outputFile: join(path, "output"),
    });
    await expect(starting).rejects.toMatchObject({
      message: "tmux is not installed.",
      hint: expect.stringContaining("--foreground") as string,
    });
  });
});
