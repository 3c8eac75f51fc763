import { expect, it } from "vitest";
import type { Turn } from "../../../rehearsal/model-server.ts";
import { newScene } from "./scene.ts";

const turn = (address: string, taskId: string): Turn => ({
  address,
  model: "scripted",
  tools: [],
  messages: [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "1", name: "TaskGet", input: { taskId } }],
    },
  ],
});

it("lets the first machine wait that comes to the second task of its story, and no other", async () => {
  const { script, reached } = newScene();
  expect(await script(turn("ann", "add-code"))).toMatchObject({ kind: "say" });
  expect(await script(turn("bob", "root-test"))).toEqual({ kind: "hang" });
  expect(await reached).toEqual({ machine: "bob", story: "numbers--root" });
  expect(await script(turn("ann", "add-test"))).toMatchObject({ kind: "say" });
  // The machine that takes over gets its answer.
  expect(await script(turn("ann", "root-test"))).toMatchObject({ kind: "say" });
});
