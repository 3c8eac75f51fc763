// Pipes and sockets in a worktree are no files that could be committed: they are left alone.

import { describe, expect, it } from "vitest";
import { ONE_TASK } from "../support/finished-stage.ts";
import { expectNothingLeft, newStage, STORY } from "../support/stage.ts";

const SOCKET = (path: string): string =>
  `node -e 'require("net").createServer().listen("${path}", () => process.kill(process.pid, "SIGKILL"))'; test -S ${path}`;

describe("a story whose agent leaves", () => {
  it.each([
    ["a pipe", "mkfifo pipe"],
    ["a pipe in a folder of its own", "mkdir -p run && mkfifo run/pipe"],
    ["a socket", SOCKET("sock")],
    ["a pipe among the story's files", `mkfifo .saga/stories/${STORY}/pipe`],
    ["a pipe that looks like a task", `mkfifo .saga/stories/${STORY}/pipe.json`],
    ["a pipe for rules of git's", "mkfifo .gitignore"],
    ["a pipe for rules of git's in a folder", "mkdir sub && touch sub/x && mkfifo sub/.gitignore"],
    ["a pipe for attributes", "mkfifo .gitattributes"],
    ["a pipe for a journal", `mkfifo .saga/stories/${STORY}/journal.md`],
    ["a socket for a journal", SOCKET(`.saga/stories/${STORY}/journal.md`)],
    ["a socket that looks like a task", SOCKET(`.saga/stories/${STORY}/sock.json`)],
    [
      "a socket for its task",
      `rm .saga/stories/${STORY}/form.json; ${SOCKET(`.saga/stories/${STORY}/form.json`)}`,
    ],
    ["a pipe added by hand", "mkfifo pipe; git add pipe; git add --intent-to-add pipe"],
    ["a pipe in the place of a file", "rm README.md && mkfifo README.md"],
    ["a socket in the place of a file", `rm README.md; ${SOCKET("README.md")}`],
  ])("%s is finished nevertheless", async (_, run) => {
    const stage = await newStage({
      tasks: ONE_TASK,
      steps: { form: [{ write: "form.txt", content: "A form.\n" }, { run }] },
    });
    const ended = await stage.work("--json");
    expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "done", cycles: 1 });
    expect(stage.git("show", `story/${STORY}:form.txt`)).toBe("A form.");
    await expectNothingLeft(stage);
  });
});
