// Every view calls a story by the same name, and names the same next command.

import { expect, it } from "vitest";
import { follow } from "../../../test/support/dashboard.ts";
import { aStory, aTask } from "../../../test/support/project.ts";
import { newRepository, type TestRepository } from "../../../test/support/repository.ts";
import { storyLook } from "../../dashboard/web/words/story-look.ts";
import { openStore } from "../../store/file-store.ts";
import type { AttentionKind } from "../../story/state/attention.ts";
import type { Run } from "../../story/state/run.ts";
import type { StoryState } from "../../story/state/state.ts";

interface Case {
  /** The word in every view. */
  readonly word: string;
  readonly state: StoryState;
  readonly kind: AttentionKind | undefined;
  readonly run?: Partial<Run>;
  readonly story?: Record<string, unknown>;
  readonly tasks?: readonly Record<string, unknown>[];
  readonly isArchived?: boolean;
  readonly question?: string;
}

const DONE = aTask("form", { status: "completed" });
const BEGUN = { story: { status: "in_progress" }, tasks: [DONE, aTask("page")] };
const FINISHED = { story: { status: "in_progress" }, tasks: [DONE] };
const CONFLICT = aTask("resolve-conflict");

/** By id. */
const CASES: Readonly<Record<string, Case>> = {
  new: { word: "ready", state: "ready", kind: "ready" },
  asking: { word: "blocked", state: "blocked", kind: "question", question: "Which?", ...BEGUN },
  answered: {
    word: "answered",
    state: "ready",
    kind: "answered",
    run: { outcome: "blocked" },
    ...BEGUN,
  },
  "sent-back": {
    word: "sent back",
    state: "sent-back",
    kind: "sent-back",
    run: { outcome: "sent-back" },
    ...BEGUN,
  },
  conflict: {
    word: "conflict",
    state: "ready",
    kind: "conflict",
    run: { outcome: "done" },
    story: { status: "in_progress" },
    tasks: [DONE, CONFLICT],
  },
  split: { word: "new work", state: "ready", kind: "new-work", run: { outcome: "done" }, ...BEGUN },
  stopped: {
    word: "stopped",
    state: "stopped",
    kind: "stopped",
    run: { outcome: "stopped" },
    ...BEGUN,
  },
  killed: { word: "killed", state: "killed", kind: "killed", run: { outcome: "killed" }, ...BEGUN },
  limit: {
    word: "limit",
    state: "limit",
    kind: "limit",
    run: { outcome: "limit", limit: "cost" },
    ...BEGUN,
  },
  failed: { word: "failed", state: "failed", kind: "failed", run: { outcome: "failed" }, ...BEGUN },
  unpushed: {
    word: "push failed",
    state: "review",
    kind: "push-failed",
    run: { outcome: "push-failed", pushError: "origin rejected it" },
    ...FINISHED,
  },
  review: {
    word: "review",
    state: "review",
    kind: "review",
    run: { outcome: "done" },
    ...FINISHED,
  },
  lost: { word: "unfinished", state: "unfinished", kind: "unfinished", ...BEGUN },
  // Merged at the remote: the files of the checkout are older.
  merged: {
    word: "completed",
    state: "completed",
    kind: undefined,
    run: { outcome: "merged" },
    ...BEGUN,
  },
  pulled: {
    word: "completed",
    state: "completed",
    kind: undefined,
    run: { outcome: "merged" },
    story: { status: "completed" },
    tasks: [DONE],
  },
  archived: {
    word: "completed",
    state: "completed",
    kind: undefined,
    isArchived: true,
    ...BEGUN,
  },
};

async function write(test: TestRepository, id: string, shown: Case): Promise<void> {
  const folder = `.saga/${shown.isArchived ? "archive" : "stories"}/${id}`;
  test.write(`${folder}/story.json`, aStory(id, shown.story));
  for (const task of shown.tasks ?? [aTask("form")]) {
    test.write(`${folder}/${String(task["id"])}.json`, task);
  }
  if (shown.question !== undefined) await test.saga("journal", id, "--blocker", shown.question);
  if (shown.run === undefined) return;
  if (shown.run.outcome === "merged") test.git("update-ref", `refs/saga/merged/${id}`, "HEAD");
  const store = openStore(test.path);
  (await store.startRun(id, { endedAt: new Date().toISOString(), ...shown.run })).close();
}

type Json = Record<string, unknown>;

/** What a view has for a story in its JSON. */
const shownIn = (one: Json | undefined): Json | undefined =>
  one && { state: one["state"], kind: one["kind"], next: one["next"] };

/** The word in the row of a story. */
const wordIn = (text: string, id: string): string | undefined =>
  new RegExp(String.raw`^ {2}\S ${id} +(?<word>\S+(?: \S+)?)(?: {2}|$)`, "m").exec(text)?.groups?.[
    "word"
  ];

it("list, status, show and the page agree on every story", async () => {
  const test = newRepository();
  test.git("clean", "-fdq", ".saga/stories");
  for (const [id, shown] of Object.entries(CASES)) await write(test, id, shown);
  const followed = await follow(test);
  const json = async (...words: string[]): Promise<Json> =>
    (await test.saga(...words, "--json")).json();
  const text = async (...words: string[]): Promise<string> => (await test.saga(...words)).stdout;
  const list = (await json("list"))["stories"] as Json[];
  const sections = Object.values(await json("status"))
    .flat()
    .filter((one) => typeof one === "object") as Json[];
  const [listText, statusText] = [await text("list"), await text("status")];

  for (const [id, { word, state, kind, isArchived = false }] of Object.entries(CASES)) {
    const card = followed.story(id);
    const show = shownIn(await json("show", id));
    expect(show, id).toMatchObject({ state, kind });
    expect(shownIn({ ...card?.attention, state: card?.state }), id).toEqual(show);
    // An archived story is not listed, and a completed one needs no one.
    const listed = isArchived ? undefined : show;
    const attended = kind === undefined ? undefined : show;
    expect(shownIn(list.find((one) => one["id"] === id)), id).toEqual(listed);
    expect(shownIn(sections.find((one) => one["story"] === id)), id).toEqual(attended);
    const [header = ""] = (await text("show", id)).split("\n");
    expect({
      show: header.slice(`○ Title of ${id}  `.length),
      page: card && storyLook(card).word.toLowerCase(),
      list: wordIn(listText, id),
      status: wordIn(statusText, id),
    }).toEqual({
      show: word,
      page: word,
      list: listed && word,
      status: attended && word,
    });
  }
  expect(followed.errors).toEqual([]);
});

it("saga list --state finds a story by the word that it shows, and by its state", async () => {
  const test = newRepository();
  for (const id of ["conflict", "new"]) await write(test, id, CASES[id] as Case);
  const found = async (state: string): Promise<unknown[]> =>
    (
      (await test.saga("list", "--state", state, "--json")).json()["stories"] as { id: string }[]
    ).map(({ id }) => id);
  expect(await found("conflict")).toEqual(["conflict"]);
  expect(await found("ready")).toEqual(expect.arrayContaining(["conflict", "new"]));
});
