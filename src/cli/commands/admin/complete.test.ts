import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  anEpic,
  aStory,
  aTask,
  newFolder,
  newProject,
  type Project,
} from "../../../../test/support/project.ts";
import { isHarmless, misused, wholeDisk } from "../../../../test/support/refused.ts";
import { newWorktree } from "../../../../test/support/worktree.ts";
import { SETTINGS } from "../../../story/settings/settings.ts";
import { COMMANDS } from "../../program/table.ts";

const isInstalled = (shell: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, shell)));

/** What is proposed for the last word; each proposal is a line `word<tab>explanation`. */
async function proposals(project: Project, ...words: string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await project.saga("complete", "--", ...words);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0] ?? "");
}

function withStories(): Project {
  const project = newProject();
  project.write(".saga/epics/auth/epic.json", anEpic("auth", [{ id: "auth--db" }]));
  project.write(".saga/stories/auth--db/story.json", aStory("auth--db"));
  project.write(".saga/stories/mail/story.json", aStory("mail"));
  return project;
}

describe("saga complete <shell>", () => {
  it.each(["bash", "zsh", "fish"])("prints a script that %s reads", async (shell) => {
    const { exitCode, stdout, stderr } = await newFolder().saga("complete", shell);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("saga complete --");
  });

  it.each(["bash", "zsh", "fish"])("gives programs the same script for %s", async (shell) => {
    const folder = newFolder();
    const { stdout } = await folder.saga("complete", shell);
    expect((await folder.saga("complete", shell, "--json")).json()).toEqual({ script: stdout });
  });

  for (const shell of ["bash", "zsh", "fish"]) {
    it.skipIf(!isInstalled(shell))(`is correct ${shell}`, async () => {
      const folder = newFolder();
      const script = folder.write("script", (await folder.saga("complete", shell)).stdout);
      const { status, stderr } = spawnSync(shell, ["-n", script], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    });
  }

  it("says in its help where the script goes", async () => {
    const { exitCode, stdout } = await newFolder().saga("complete", "--help");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Usage: saga complete");
    expect(stdout).toMatch(/Examples:\n.*~\/\.bashrc\n.*~\/\.zshrc\n.*saga\.fish/);
  });

  it("wants a shell, and names those that it knows", async () => {
    const { text } = await misused(newFolder(), "complete");
    expect(text).toContain("bash, zsh, fish");
  });

  it.each([["powershell"], ["tcsh"], ["bash", "zsh"]])(
    "does not print nonsense for what it does not know: %s",
    async (...words) => {
      const { text } = await misused(newFolder(), "complete", ...words);
      expect(text).toContain("bash, zsh, fish");
    },
  );
});

describe("saga complete -- <words> proposes", () => {
  it("every command, explained", async () => {
    const project = withStories();
    expect(await proposals(project, "")).toEqual(COMMANDS.map(({ name }) => name));
    const { stdout } = await project.saga("complete", "--", "li");
    expect(stdout).toMatch(/^list\tList epics and stories/);
  });

  it("only what begins like the word", async () => {
    expect(await proposals(withStories(), "s")).toEqual([
      "stage",
      "show",
      "split",
      "status",
      "search",
      "sessions",
      "stop",
      "send-back",
      "snapshot",
      "schema",
    ]);
    expect(await proposals(withStories(), "nope")).toEqual([]);
  });

  it("the commands of a command", async () => {
    expect(await proposals(withStories(), "new", "")).toEqual(["epic", "story", "task"]);
    const settings = await proposals(withStories(), "config", "");
    expect(settings.slice(0, 3)).toEqual(["get", "set", "unset"]);
    expect(settings).toContain("run.max_minutes");
  });

  it("the options of a command, already behind a single dash, and none that it would refuse", async () => {
    const options = await proposals(withStories(), "list", "--");
    expect(options).toEqual(expect.arrayContaining(["--json", "--epic", "--state"]));
    expect(options).not.toContain("--C");
    expect(await proposals(withStories(), "list", "-")).toContain("--json");
  });

  it.each([
    ["an option", ["new", "story", "--pri"], ["--priority"]],
    ["the values of an option", ["list", "--state", "re"], ["ready", "review"]],
    ["the epics to list", ["list", "--epic", ""], ["auth"]],
    ["the epics of a new story", ["new", "story", "--epic", ""], ["auth"]],
    ["the ids of stories and epics to show", ["show", ""], ["auth--db", "mail", "auth"]],
    ["only those that begin so", ["show", "m"], ["mail"]],
    ["the names of schemas", ["schema", "s"], ["story"]],
    ["the names of shells", ["complete", ""], ["bash", "zsh", "fish"]],
  ])("%s", async (_, words, expected) => {
    expect(await proposals(withStories(), ...words)).toEqual(expected);
  });

  it.each([
    ["journal", ["journal", ""]],
    ["run", ["run", ""]],
    ["snapshot restore", ["snapshot", "restore", ""]],
    ["new task", ["new", "task", ""]],
  ])("the ids of stories: %s", async (_, words) => {
    const found = await proposals(withStories(), ...words);
    expect(found.filter((id) => id !== "auth")).toEqual(["auth--db", "mail"]);
  });

  it("the ids of epics to run and to stop, and of both to look into", async () => {
    for (const verb of ["run", "stop"]) {
      expect(await proposals(withStories(), "epic", verb, "")).toEqual(["auth"]);
    }
    expect(await proposals(withStories(), "edit", "auth")).toEqual(["auth--db", "auth"]);
  });

  it("only stories in a fitting state, with their state and title", async () => {
    const project = withStories();
    const done = aTask("t", { status: "completed" });
    project.write(".saga/stories/mail/story.json", aStory("mail", { status: "completed" }));
    project.write(".saga/stories/mail/t.json", done);
    project.write(".saga/stories/old/story.json", aStory("old"));
    project.write(".saga/stories/old/t.json", done);
    const lines = async (...words: string[]) =>
      (await project.saga("complete", "--", ...words)).stdout;
    expect(await lines("merge", "")).toBe("old\treview: Title of old\n");
    expect(await lines("archive", "")).toBe("mail\tcompleted: Title of mail\n");
    expect(await lines("run", "")).toBe(
      "auth--db\tready: Title of auth--db\nauth\tepic, pending: Title of auth\n",
    );
    expect(await proposals(project, "archive", "mail", "")).toEqual(["mail"]);
    expect(await proposals(project, "stop", "")).toEqual([]);
    expect(await proposals(project, "attach", "")).toEqual([]);
  });

  it("no options that Saga gives itself", async () => {
    const options = await proposals(withStories(), "epic", "run", "auth", "--");
    expect(options).toEqual(expect.arrayContaining(["--parallel", "--merge", "--detach"]));
    for (const own of ["--session", "--output-file", "--environment"]) {
      expect(options).not.toContain(own);
    }
  });

  it("stories that only a worktree has", async () => {
    const project = newProject();
    newWorktree(project, "s", aStory("s"));
    expect(await proposals(project, "show", "")).toEqual(["s"]);
  });

  it("the names of settings", async () => {
    const known = SETTINGS.map(({ key }) => key);
    expect(known).toContain("claude.path");
    for (const word of ["get", "set", "unset"]) {
      expect(await proposals(withStories(), "config", word, "")).toEqual(known);
    }
  });

  it("what fits a broken project: ids are names of folders", async () => {
    const project = withStories();
    project.write(".saga/stories/broken/story.json", "{");
    project.write(".saga/stories/Not An Id/story.json", "{");
    project.write(".saga/config.toml", "[");
    expect(await proposals(project, "journal", "")).toEqual(["auth--db", "mail", "broken"]);
  });

  it("only commands when there is no project", async () => {
    expect(await proposals(newFolder(), "show", "")).toEqual([]);
    expect(await proposals(newFolder(), "")).toContain("init");
  });

  it("nothing, quietly, when .saga cannot be read", async () => {
    const folder = newFolder();
    folder.write(".saga", "not a folder\n");
    expect(await proposals(folder, "show", "")).toEqual([]);
  });

  it("nothing that could harm a terminal", async () => {
    const project = withStories();
    project.write(".saga/stories/red\u001b[31m/story.json", "{");
    const { stdout } = await project.saga("complete", "--", "show", "");
    expect(isHarmless(stdout.replaceAll("\t", " "))).toBe(true);
  });

  it("the same to programs, as words", async () => {
    const { json } = await withStories().saga("complete", "--json", "--", "journal", "");
    expect(json()["candidates"]).toEqual([
      { value: "auth--db", about: "ready: Title of auth--db" },
      { value: "mail", about: "ready: Title of mail" },
    ]);
  });

  it("and changes nothing", async () => {
    const project = withStories();
    const before = wholeDisk(project.path);
    await proposals(project, "show", "");
    expect(wholeDisk(project.path)).toBe(before);
  });
});

/** Bash as a person has it, with a `saga` that answers every question in the same way. */
async function bash(commands: string): Promise<{ stdout: string; stderr: string; folder: string }> {
  const folder = newFolder();
  const { stdout: script } = await folder.saga("complete", "bash");
  folder.write("saga.bash", script);
  folder.write("bin/saga", "#!/bin/sh\nprintf 'show\\tShow one\\nschema\\tPrint\\n:4\\n'\n");
  execFileSync("chmod", ["+x", join(folder.path, "bin/saga")]);
  // `compopt` only works while the shell itself is completing.
  folder.write("all.bash", `compopt() { :; }\n${commands}\n`);
  const { stdout, stderr } = spawnSync("bash", ["--norc", "--noprofile", "all.bash"], {
    cwd: folder.path,
    env: { PATH: `${join(folder.path, "bin")}:${process.env["PATH"]}`, HOME: folder.path },
    encoding: "utf8",
  });
  return { stdout, stderr, folder: folder.path };
}

/** As bash does it when someone presses tab: the words typed so far, then the function. */
const pressTab = (...words: string[]): string => `
  COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
  COMP_CWORD=${words.length - 1}
  COMP_LINE="\${COMP_WORDS[*]}"
  COMP_POINT=\${#COMP_LINE}
  _saga saga "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  echo "\${COMPREPLY[@]}"`;

/** The one function that the script takes from the package bash-completion. */
const BASH_COMPLETION = `_get_comp_words_by_ref() {
  words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD
  cur=\${COMP_WORDS[COMP_CWORD]}; prev=\${COMP_WORDS[COMP_CWORD-1]}
}`;

describe("the script for bash", () => {
  it("proposes words when someone presses tab", async () => {
    const { stdout } = await bash(`${BASH_COMPLETION}; source saga.bash; ${pressTab("saga", "s")}`);
    expect(stdout).toContain("show");
    expect(stdout).toContain("schema");
  });

  it("can be read twice, as when someone reads ~/.bashrc again", async () => {
    const { stderr } = await bash("source saga.bash; source saga.bash");
    expect(stderr).toBe("");
  });

  it("works without the package bash-completion", async () => {
    const { stdout, stderr } = await bash(`source saga.bash; ${pressTab("saga", "s")}`);
    expect(stderr).toBe("");
    expect(stdout).toContain("show");
  });

  it("never runs what has been typed so far", async () => {
    const tab = pressTab("saga", "show", "$(touch pwned)", "");
    const { folder } = await bash(`${BASH_COMPLETION}; source saga.bash; ${tab}`);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  });

  it("never writes to a file that has been typed so far", async () => {
    const tab = pressTab("saga", "list", ">", "saga.bash", "--");
    const { stdout } = await bash(
      `${BASH_COMPLETION}; source saga.bash; ${tab}; grep -c complete saga.bash`,
    );
    expect(stdout).not.toMatch(/^0$/m);
  });
});
