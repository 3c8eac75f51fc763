// Programs that an agent sets up for git in a repository of its own inside its worktree, and adds as a submodule: no
// command of Saga runs them, from the agent's next tool call to the end of the story.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ONE_TASK, saga } from "../support/finished-stage.ts";
import { EVIL_SETTINGS } from "../support/nested-programs.ts";
import { hookScript } from "../support/plugin-session.ts";
import { newStage, STORY } from "../support/stage.ts";

it("a program in a repository inside the worktree is run by no command of Saga", async () => {
  const stage = await newStage({
    tasks: ONE_TASK,
    config: "[gate]\nfix_rounds = 0\n",
    steps: {
      form: [
        { write: "form.txt", content: "form\n" },
        { run: "sh ../../../../plant.sh" },
        { write: "inner/one.txt", content: "two\n" },
        { write: "inner/two.c", content: "two\n" },
      ],
    },
  });
  const base = join(stage.path, "..");
  const evil = `sh ${base}/evil.sh`;
  // The agent's own git may run them, as it may run anything.
  writeFileSync(join(base, "evil.sh"), `[ -e ${base}/armed ] && echo "$1" >> ${base}/ran\ncat\n`);
  writeFileSync(
    join(base, "plant.sh"),
    [
      "set -e",
      "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a",
      "git init -q inner",
      "echo '*.txt filter=evil diff=evil merge=evil' > inner/.gitattributes",
      "echo '*.c filter=long' >> inner/.gitattributes",
      "echo one > inner/one.txt; echo one > inner/two.c",
      "git -C inner add --all",
      "git -C inner commit -q -m inner",
      `printf '[submodule "inner"]\\n\\tpath = inner\\n\\turl = ./inner\\n' > .gitmodules`,
      "git add .gitmodules inner",
      ...EVIL_SETTINGS.map((key) => `git -C inner config ${key} '${evil} ${key}'`),
      "for hook in pre-commit post-checkout post-index-change reference-transaction; do",
      `  printf '#!/bin/sh\\n${evil} hook </dev/null\\n' > inner/.git/hooks/$hook`,
      "  chmod +x inner/.git/hooks/$hook",
      "done",
      `touch ${base}/armed`,
    ].join("\n"),
  );
  const ran = (): string =>
    existsSync(join(base, "ran")) ? readFileSync(join(base, "ran"), "utf8") : "";
  const worked = await stage.work();
  expect(existsSync(join(base, "armed")), worked.stdout).toBe(true);
  expect(ran(), "run").toBe("");
  // A person's session starts: its report says whether the worktree has changes.
  const input = JSON.stringify({ hook_event_name: "SessionStart", source: "startup" });
  const report = await hookScript("session-start", { cwd: stage.path, env: stage.env, input });
  expect(report.stdout).toContain(`.saga/worktrees/${STORY}`);
  expect(ran(), "session start").toBe("");
  for (const words of [
    ["show", STORY],
    ["verify", STORY],
    ["accept", STORY, "--override", "submodule", "--why", "It is mine."],
    ["merge", STORY, "--update-checkout"],
    ["clean"],
    ["snapshot", "list"],
    ["discard", STORY, "--yes"],
  ]) {
    const { stdout, stderr } = await saga(stage, ...words);
    expect(ran(), `${words.join(" ")}: ${stdout}${stderr}`).toBe("");
  }
}, 240_000);
