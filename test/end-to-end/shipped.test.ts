// What is shipped, the way it is shipped: the built program in a process of its own.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { transform } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { aStory, aTask, anEpic, newFolder } from "../support/project.ts";
import { builtSaga, plainEnv, root, saga } from "../support/programs.ts";

const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  name: string;
  version: string;
};

describe("the built program", () => {
  it("shows its help without arguments, and with --help and help", async () => {
    const { path } = newFolder();
    const help = await saga(path, ["--help"]);
    expect(help).toMatchObject({ exitCode: 0, stderr: "" });
    expect(help.stdout).toContain("Usage: saga <command>");
    expect((await saga(path, [])).stdout).toBe(help.stdout);
    expect((await saga(path, ["help"])).stdout).toBe(help.stdout);
    expect((await saga(path, ["help", "list"])).stdout).toContain("Examples:");
  });

  it("prints its version", async () => {
    for (const flag of ["--version", "-V", "-v"]) {
      expect((await saga(newFolder().path, [flag])).stdout).toBe(`${version}\n`);
    }
    expect((await saga(newFolder().path, ["--help"])).stdout).toContain("-V, --version");
  });

  it.each([
    ["--hlep", 'Unknown option "--hlep".', "Did you mean `saga --help`?"],
    ["--verison", 'Unknown option "--verison".', "Did you mean `saga --version`?"],
    ["--colour", 'Unknown option "--colour".', "`saga --help` lists the commands."],
    ["shwo", 'Unknown command "shwo".', "Did you mean `saga show`?"],
  ])("answers %s with a suggestion", async (word, sentence, hint) => {
    const { stderr } = await saga(newFolder().path, [word]);
    expect(stderr).toContain(sentence);
    expect(stderr).toContain(hint);
  });

  it("shows the worker's usage when it is called without a story", async () => {
    const { exitCode, stdout, stderr } = await saga(newFolder().path, ["worker"]);
    expect([exitCode, stdout]).toEqual([64, ""]);
    expect(stderr).toMatch(/Usage: saga worker \[options\] \[story\][^]+--max-cycles <n>/);
  });

  it.each([["nonsense"], ["list", "--colour"], ["show"], ["new", "thing"]])(
    "answers wrong usage with exit code 64 and a hint: saga %s %s",
    async (...words) => {
      const { exitCode, stdout, stderr } = await saga(newFolder().path, words);
      expect(exitCode).toBe(64);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^saga: .+\n.*--help/);
    },
  );

  it("sets up a project and stages a valid plan", async () => {
    const { path } = newFolder("it's a $(project)\nwith ünïcode");
    execFileSync("git", ["init", "-q"], { cwd: path });
    const plan = {
      epics: [anEpic("shop", [])],
      stories: [
        { ...aStory("shop--cart"), tasks: [aTask("add")] },
        { ...aStory("shop--pay"), blockedBy: ["shop--cart"], tasks: [aTask("charge")] },
      ],
    };
    expect((await saga(path, ["init"])).exitCode).toBe(0);
    expect((await saga(path, ["stage"], JSON.stringify(plan))).exitCode).toBe(0);
    expect((await saga(path, ["validate"])).stdout).toBe("Valid: 1 epic, 2 stories, 2 tasks.\n");
    const { stories } = JSON.parse((await saga(path, ["list", "--json"])).stdout) as {
      stories: { id: string; state: string }[];
    };
    expect(stories).toMatchObject([
      { id: "shop--cart", state: "ready" },
      { id: "shop--pay", state: "waiting" },
    ]);
    const status = execFileSync("git", ["status", "--porcelain", "-uall"], {
      cwd: path,
      encoding: "utf8",
    });
    expect(status).not.toMatch(/leases|transaction|\.tmp/);
  });

  it("ends quietly when its output is closed", () => {
    const { path } = newFolder();
    const { stdout, stderr } = spawnSync(
      "bash",
      [
        "-o",
        "pipefail",
        "-c",
        '"$0" "$1" --help | head -1; echo "${PIPESTATUS[0]}"',
        process.execPath,
        builtSaga,
      ],
      { cwd: path, encoding: "utf8" },
    );
    expect(stdout).toMatch(/^Saga runs .+\n0\n$/);
    expect(stderr).toBe("");
  });

  it("prints all of a long answer to a slow reader", async () => {
    const { path, write } = newFolder();
    const title = "More than a pipe holds".padEnd(190, ".");
    for (let at = 0; at < 400; at++) {
      write(`.saga/stories/story-${at}/story.json`, { ...aStory(`story-${at}`), title });
    }
    const { stdout: atOnce } = await saga(path, ["list", "--json"]);
    const { stdout: late } = spawnSync(
      "bash",
      [
        "-c",
        '"$0" "$1" list --json | { "$0" "$1" list > /dev/null; cat; }',
        process.execPath,
        builtSaga,
      ],
      { cwd: path, encoding: "utf8" },
    );
    expect(atOnce.length).toBeGreaterThan(2 * 65_536);
    expect(late).toBe(atOnce);
  });

  it("uses colour on a terminal, and none with NO_COLOR", async () => {
    const { path, write } = newFolder();
    write(".saga/stories/one/story.json", aStory("one"));
    write(".saga/stories/one/go.json", aTask("go"));
    // oxlint-disable-next-line no-control-regex -- this is what a terminal gets
    const coloured = /\u001b\[36m/;
    expect(inTerminal(path, {})).toMatch(coloured);
    expect(inTerminal(path, { NO_COLOR: "1" })).not.toMatch(coloured);
    expect((await saga(path, ["list"])).stdout).not.toMatch(coloured);
  });
});

describe("a Node that is too old", () => {
  const source = readFileSync(builtSaga, "utf8").replace(/^#!.*\n/, "");

  /** What the program says and does as far as it gets: nothing can be loaded here. */
  function startedOn(node: string): { output: string; exitCode: number | undefined } {
    let output = "";
    let exitCode: number | undefined;
    const context = {
      process: {
        versions: { node },
        stderr: { write: (text: string) => (output += text) },
        exit: (code: number) => {
          exitCode = code;
          throw new Error("ended");
        },
      },
      require: (module: string) => {
        throw new Error(`loads ${module}`);
      },
    };
    expect(() => void runInNewContext(source, context)).toThrow(/ended|loads/);
    return { output, exitCode };
  }

  it.each(["8.17.0", "12.22.12", "18.20.8", "20.9.0", "20.18.3"])(
    "is reported in one sentence before anything is loaded: %s",
    (node) => {
      expect(startedOn(node)).toEqual({
        output: `saga: Saga needs Node 20.19 or newer, and this is ${node}.\nInstall a newer one: https://nodejs.org\n`,
        exitCode: 1,
      });
    },
  );

  it.each(["20.19.0", "20.20.2", "22.0.0", "24.1.0", "100.0.0"])("is not %s", (node) => {
    expect(startedOn(node)).toEqual({ output: "", exitCode: undefined });
  });

  it("can run the file that reports it: it uses nothing newer than Node 12", async () => {
    const { code } = await transform(source, { target: "node12", minifyWhitespace: true });
    const { code: asItIs } = await transform(source, { target: "esnext", minifyWhitespace: true });
    expect(code).toBe(asItIs);
  });
});

describe(`${name}/types`, () => {
  it("gives other programs the schemas and names, and their types", () => {
    const { path, write } = newFolder();
    mkdirSync(join(path, "node_modules/@saga-run"), { recursive: true });
    symlinkSync(root, join(path, "node_modules/@saga-run/saga"));
    write(
      "use.ts",
      `import { storyBranch, taskSchema, toClaudeTask, type Story, type TaskInput } from "${name}/types";
       import { getStoryId } from "${name}/env";
       import { hydrate, type Hydrated } from "${name}/hydrate";
       const prompt = ({ prompt: text }: Hydrated): string => text;
       const input: TaskInput = { id: "a", subject: "Do a", description: "How." };
       const task = taskSchema.parse(input);
       const status: "pending" | "in_progress" | "completed" = task.status;
       const title = (story: Story): string => story.title;
       console.log(storyBranch("x"), status, toClaudeTask(task).blocks.length, typeof title);
       console.log(getStoryId({ SAGA_STORY_ID: "x" }), prompt(hydrate("a", { env: { HOME: "." } })).length > 100);`,
    );
    write(".saga/stories/a/story.json", aStory("a"));
    write("package.json", { type: "module" });
    write("tsconfig.json", {
      compilerOptions: { module: "nodenext", strict: true, lib: ["es2023", "dom"] },
    });
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."], {
      cwd: path,
      stdio: "inherit",
    });
    const printed = execFileSync(process.execPath, ["use.js"], { cwd: path, encoding: "utf8" });
    expect(printed).toBe("story/x pending 0 function\nx true\n");
  });
});

/** What a person sees: the program in a tmux pane, colours included. */
function inTerminal(cwd: string, env: Record<string, string>): string {
  const socket = join(cwd, `tmux-${Object.keys(env).length}`);
  const tmux = (...words: string[]): string =>
    execFileSync("tmux", ["-S", socket, ...words], { encoding: "utf8", env: plainEnv(cwd, env) });
  onTestFinished(() => void spawnSync("tmux", ["-S", socket, "kill-server"]));
  const variables = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
  const script = '"$0" "$1" list; tmux -S "$2" wait-for -S done; exec cat';
  const session = [
    "new-session",
    "-d",
    "-s",
    "it",
    "-x",
    "120",
    "-y",
    "20",
    "-c",
    cwd,
    ...variables,
  ];
  tmux("-f", "/dev/null", ...session, "sh", "-c", script, process.execPath, builtSaga, socket);
  tmux("wait-for", "done");
  return tmux("capture-pane", "-e", "-p", "-t", "=it:");
}
