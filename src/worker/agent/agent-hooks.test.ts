import { describe, expect, it } from "vitest";
import { aStory, aTask, newProject } from "../../../test/support/project.ts";
import type { StoryEvent } from "../../story/state/story-event.ts";
import { openStore } from "../../store/file-store.ts";
import type { PreparedWork } from "../context.ts";
import { holdStory } from "../story-in-memory.ts";
import type { TaskHooks } from "../../agent/job.ts";
import { storyAgentHooks, type HookState } from "./agent-hooks.ts";

const watch = (note?: string) => ({
  answered: () => undefined,
  onCheckIn: () => undefined,
  completing: async () => undefined,
  committed: () => undefined,
  noteForAgent: () => note,
  end: async () => undefined,
});

/** A story with `form`, `page` after it, and `done`. */
async function newHooks(
  notes: { readonly [from in "notes" | "size" | "conflicts"]?: string } = {},
) {
  const project = newProject();
  project.write(".saga/stories/s/story.json", aStory("s"));
  project.write(".saga/stories/s/form.json", aTask("form"));
  project.write(".saga/stories/s/page.json", aTask("page", { blockedBy: ["form"] }));
  project.write(".saga/stories/s/done.json", aTask("done", { status: "completed" }));
  const store = openStore(project.path);
  const events: StoryEvent[] = [];
  const warnings: string[] = [];
  const record = {
    note: (event: StoryEvent) => void events.push(event),
    warn: (sentence: string) => void warnings.push(sentence),
  };
  const story = holdStory(await store.readStory("s"), { store, record });
  const state: HookState = {
    isBlocked: false,
    workCalls: 0,
    currentTask: undefined,
    isCompleting: false,
  };
  const place = { project: project.path, worktree: project.path, storyId: "s", readable: [] };
  const hooks = storyAgentHooks({ story, record, context: {} } as unknown as PreparedWork, {
    scope: place,
    state,
    control: { signal: new AbortController().signal },
    size: watch(notes.size),
    conflicts: watch(notes.conflicts),
    notes: watch(notes.notes),
  });
  const tasks = hooks.tasks as TaskHooks;
  return { hooks, tasks, state, story, events, warnings, cwd: project.path };
}

const call = (tool: string, input: object = {}, id = tool) => ({ id, tool, input, cwd: "" });
const complete = (taskId: string) => call("TaskUpdate", { taskId, status: "completed" }, taskId);
const allowed = { isAllowed: true } as const;

it("judges a change of a task by the story, and every other call by its paths", async () => {
  const { hooks, cwd } = await newHooks();
  const judge = (tool: string, input: object) => hooks.judge({ ...call(tool, input), cwd });
  expect(judge("TaskUpdate", { taskId: "form", status: "deleted" })).toMatchObject({
    isAllowed: false,
  });
  expect(judge("TaskUpdate", { taskId: "done", status: "pending" })).toMatchObject({
    isAllowed: false,
  });
  expect(judge("TaskUpdate", { taskId: "form", status: "in_progress" })).toEqual(allowed);
  expect(judge("Write", { file_path: "/elsewhere/x" })).toMatchObject({
    isAllowed: false,
  });
});

it("counts allowed calls as work, but not those on the list", async () => {
  const { hooks, state } = await newHooks();
  hooks.onCall?.(call("Edit"), allowed);
  hooks.onCall?.(call("Bash"), { isAllowed: false, reason: "No." });
  hooks.onCall?.(call("TaskList"), allowed);
  expect(state.workCalls).toBe(1);
});

it("is busy while a completion is judged, until the last of several is answered", async () => {
  const { hooks } = await newHooks();
  for (const id of ["form", "page"]) hooks.onCall?.(complete(id), allowed);
  expect(hooks.isBusy?.()).toBe(true);
  hooks.onAnswer?.({ id: "form", tool: "TaskUpdate" } as never, {} as never);
  expect(hooks.isBusy?.()).toBe(true);
  hooks.onAnswer?.({ id: "page", tool: "TaskUpdate" } as never, {} as never);
  expect(hooks.isBusy?.()).toBe(false);
});

it("gives the agent all notes at once, a person's first", async () => {
  const { hooks } = await newHooks({ conflicts: "3", size: "2", notes: "1" });
  expect(hooks.noteForAgent?.()).toBe("1\n\n2\n\n3");
  expect((await newHooks()).hooks.noteForAgent?.()).toBeUndefined();
});

describe("a completion", () => {
  it("of a task that is not the story's is Claude's own business", async () => {
    const { tasks, events } = await newHooks();
    expect(await tasks.mayComplete("7")).toEqual(allowed);
    expect(events).toEqual([]);
  });

  it("is refused while other tasks come first, or without any work, and recorded", async () => {
    const { tasks, state, events, story } = await newHooks();
    state.workCalls = 3;
    expect(await tasks.mayComplete("page")).toEqual({
      isAllowed: false,
      reason: "form must be completed first.",
    });
    state.workCalls = 0;
    expect(String(Reflect.get(await tasks.mayComplete("form"), "reason"))).toContain(
      "No work was done",
    );
    expect(events).toMatchObject([
      { type: "task.refused", task: "page" },
      { type: "task.refused", task: "form" },
    ]);
    expect(story.isCompletionAllowed("form")).toBe(false);
  });
});

describe("a change of status", () => {
  it("names the current task, until another status is written", async () => {
    const { tasks, state, story } = await newHooks();
    // The file's place in a worktree is not prepared here: that is a warning, and the status counts.
    await tasks.onChange({ taskId: "form", to: "in_progress" });
    expect([state.currentTask, story.status("form")]).toEqual(["form", "in_progress"]);
    await tasks.onChange({ taskId: "form", to: "pending" });
    expect([state.currentTask, story.status("form")]).toEqual([undefined, "pending"]);
  });

  it("that cannot be written is a warning: the agent continues", async () => {
    const { tasks, warnings } = await newHooks();
    await tasks.onChange({ taskId: "form", to: "in_progress" });
    expect(warnings).toEqual([expect.stringContaining("The status of form could not be written")]);
  });

  it("of a task that is not the story's changes nothing", async () => {
    const { tasks, state, events } = await newHooks();
    await tasks.onChange({ taskId: "7", to: "in_progress" });
    expect([state.currentTask, events]).toEqual([undefined, []]);
  });
});
