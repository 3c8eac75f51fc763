// Pipes and sockets in a worktree cannot be committed: they are left alone.

import { describe, expect, it } from "vitest";
import { ONE_TASK } from "../support/finished-stage.ts";
import { expectNothingLeft, newStage, STORY } from "../support/stage.ts";

const SOCKET = (path: string): string =>
  `node -e 'require("net").createServer().listen("${path}", () => process.kill(process.pid, "SIGKILL"))'; test -S ${path}`;

const OWN = `.saga/stories/${STORY}`;

describe("a story whose agent leaves", () => {
  it.each([
    [
      "pipes, also among the story's files, as a task and as a journal",
      [
        "mkfifo pipe",
        "mkdir -p run && mkfifo run/pipe",
        `mkfifo ${OWN}/pipe`,
        `mkfifo ${OWN}/pipe.json`,
        `mkfifo ${OWN}/journal.md`,
      ],
    ],
    [
      "pipes for rules and attributes of git's",
      [
        "mkfifo .gitignore",
        "mkdir sub && touch sub/x && mkfifo sub/.gitignore",
        "mkfifo .gitattributes",
      ],
    ],
    [
      "sockets, also as a task, as its own task and as a journal",
      [
        SOCKET("sock"),
        SOCKET(`${OWN}/sock.json`),
        `rm ${OWN}/form.json; ${SOCKET(`${OWN}/form.json`)}`,
        SOCKET(`${OWN}/journal.md`),
      ],
    ],
    [
      "a pipe added by hand, and one in the place of a file",
      [
        "mkfifo pipe; git add pipe; git add --intent-to-add pipe",
        "rm README.md && mkfifo README.md",
      ],
    ],
    ["a socket in the place of a file", [`rm README.md; ${SOCKET("README.md")}`]],
  ])("%s is finished nevertheless", async (_, commands) => {
    const stage = await newStage({
      tasks: ONE_TASK,
      steps: {
        // In one call: between two, Claude Code itself may read such a file, and wait for it.
        form: [{ write: "form.txt", content: "A form.\n" }, { run: commands.join("; ") }],
      },
    });
    const ended = await stage.work("--json");
    expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: "done", cycles: 1 });
    expect(stage.git("show", `story/${STORY}:form.txt`)).toBe("A form.");
    await expectNothingLeft(stage);
  });
});
