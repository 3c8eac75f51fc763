// A person's note reaches the agent while it works, with its next tool call. With real git, tmux and Claude Code.

import { expect, it } from "vitest";
import type { Content, Script, Turn } from "../../src/rehearsal/model-server.ts";
import { follows, newStage, STORY, type StageOptions } from "../support/stage.ts";
import { until } from "../support/until.ts";

const textOf = (content: Content): string[] =>
  content.type === "text" || content.type === "tool_result" ? [content.text] : [];
const wordsOf = ({ messages }: Turn): string =>
  messages.flatMap(({ content }) => content.flatMap(textOf)).join("\n");

it("a running agent gets a note once, and the next run has it in its prompt", async () => {
  let conversation = "";
  const steps: StageOptions["steps"] = {
    form: [
      { run: "until test -e go-on; do sleep 0.1; done" },
      { run: "true" },
      { write: "form.txt", content: "x\n" },
    ],
  };
  const obey = follows(steps);
  const script: Script = (turn) => {
    conversation = wordsOf(turn);
    return obey(turn);
  };
  const stage = await newStage({ script, steps });
  await stage.run("note", STORY, "Use plain words.");
  await stage.run("run", STORY);
  await until(async () =>
    (await stage.events("tool.called")).some(({ about }) => String(about).includes("go-on")),
  );
  expect(conversation).toContain("Notes from a person, oldest first:\n- Use plain words.");
  const noted = await stage.run("note", STORY, "Keep the old route.");
  expect(noted.stdout).toContain(`Noted. The agent of ${STORY} gets it with its next tool call.`);
  stage.write(`.saga/worktrees/${STORY}/go-on`, "");
  await until(async () => (await stage.store.viewStory(STORY)).state === "review");
  expect(conversation.split("- Keep the old route.")).toHaveLength(2);
  expect((await stage.events("note.delivered")).map(({ title }) => title)).toEqual([
    "Use plain words.",
    "Keep the old route.",
  ]);
  const { entries } = await stage.store.readJournal(STORY);
  expect(entries.filter(({ kind }) => kind === "note")).toHaveLength(2);
  // The journal is committed with the work.
  expect(stage.git("show", `story/${STORY}:.saga/stories/${STORY}/journal.md`)).toContain(
    "Note: Keep the old route.",
  );
});
