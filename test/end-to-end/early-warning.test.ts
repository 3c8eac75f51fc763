// Two stories that run at the same time and change the same lines: both agents are told while they work, and people can
// see it. With real git, tmux and Claude Code.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Content, Script, Turn } from "../../src/rehearsal/model-server.ts";
import { aStory, aTask } from "../support/project.ts";
import { follows, newStage, STORY, type StageOptions } from "../support/stage.ts";
import { until } from "../support/until.ts";

const OTHER = "add-logout";

const textOf = (content: Content): string[] =>
  content.type === "text" || content.type === "tool_result" ? [content.text] : [];
const wordsOf = ({ messages }: Turn): string =>
  messages.flatMap(({ content }) => content.flatMap(textOf)).join("\n");

/** How often a conversation has the sentence. */
const countIn = (text: string, sentence: string): number => text.split(sentence).length - 1;

/** Waits for a file without a tool call, and uses a tool after it. */
const waitFor = (file: string) => ({ run: `until test -e ${file}; do sleep 0.1; done` });

it("tells both agents once about a new conflict, and shows it in the status until a story is discarded", async () => {
  const conversations = new Map<string, string>();
  const steps: StageOptions["steps"] = {
    form: [{ write: "shared.txt", content: "form\n" }],
    page: [
      waitFor("go-on-1"),
      { run: "true" },
      { run: "true" },
      { write: "page.txt", content: "x\n" },
    ],
    menu: [{ write: "shared.txt", content: "menu\n" }],
    link: [
      waitFor("go-on-2"),
      { run: "true" },
      { run: "true" },
      { write: "link.txt", content: "x\n" },
    ],
  };
  const obey = follows(steps);
  const script: Script = (turn) => {
    const prompt = wordsOf({ ...turn, messages: turn.messages.slice(0, 1) });
    const name = prompt.includes("End the session.") ? OTHER : STORY;
    conversations.set(name, wordsOf(turn));
    return obey(turn);
  };
  const stage = await newStage({
    script,
    steps,
    story: { description: "Begin a session." },
    tasks: [aTask("form"), aTask("page", { blockedBy: ["form"] })],
  });
  stage.write(
    `.saga/stories/${OTHER}/story.json`,
    aStory(OTHER, { title: "Log out", description: "End the session." }),
  );
  stage.write(`.saga/stories/${OTHER}/menu.json`, aTask("menu"));
  stage.write(`.saga/stories/${OTHER}/link.json`, aTask("link", { blockedBy: ["menu"] }));
  await stage.run("run", STORY);
  await stage.run("run", OTHER);
  const timesOf = async (story: string, event: string): Promise<number[]> => {
    const [run] = await stage.store.listRuns(story);
    const { events } = await stage.store.readEvents(story, run?.id ?? "");
    return events.filter(({ type }) => type === event).map(({ at }) => Date.parse(at));
  };
  const ahead = (story: string) => async () => (await timesOf(story, "conflict.ahead")).length > 0;
  await until(async () => (await stage.store.listRuns(STORY)).length > 0);
  await until(async () => (await stage.store.listRuns(OTHER)).length > 0);
  await until(ahead(STORY));
  await until(ahead(OTHER));
  const commits = [await timesOf(STORY, "task.committed"), await timesOf(OTHER, "task.committed")];
  const found = [await timesOf(STORY, "conflict.ahead"), await timesOf(OTHER, "conflict.ahead")];
  // From the second of the two commits until the second of the two agents can be told.
  expect(Math.max(...found.flat()) - Math.max(...commits.flat())).toBeLessThan(30_000);
  const status = (await stage.run("status", "--json")).stdout;
  expect((JSON.parse(status) as { conflicts: unknown }).conflicts).toMatchObject([
    { story: STORY, with: { kind: "story", name: OTHER }, files: ["shared.txt"] },
  ]);
  expect((await stage.run("status")).stdout).toContain(
    `Conflicts ahead\n  ⚠ ${STORY} and ${OTHER}  shared.txt\n`,
  );

  stage.write(`.saga/worktrees/${STORY}/go-on-1`, "");
  stage.write(`.saga/worktrees/${OTHER}/go-on-2`, "");
  for (const id of [STORY, OTHER]) {
    await until(async () => (await stage.store.viewStory(id)).state === "review");
  }
  const [one = "", other = ""] = [conversations.get(STORY), conversations.get(OTHER)];
  const sentence = "merged now, your commits would conflict.";
  expect([countIn(one, sentence), countIn(other, sentence)]).toEqual([1, 1]);
  expect(one).toContain(
    `with the story ${OTHER}, "Log out", in shared.txt. It is to do: "End the session."`,
  );
  expect(other).toContain(`with the story ${STORY}`);

  // The conflict is not forgotten with the story that was merged first.
  const merged = await stage.run("merge", STORY, "--update-checkout");
  expect(merged.exitCode, merged.stdout + merged.stderr).toBe(0);
  expect((await stage.run("status")).stdout).toContain(
    `Conflicts ahead\n  ⚠ ${OTHER} and main  shared.txt\n`,
  );

  await stage.run("discard", OTHER, "--yes");
  expect(existsSync(join(stage.path, `.saga/conflicts/${OTHER}.json`))).toBe(false);
  expect((await stage.run("status")).stdout).not.toContain("Conflicts ahead");
});
