import { expect, it } from "vitest";
import type { Message } from "../../rehearsal/model-server.ts";
import { storyOf } from "./stories.ts";

const records = [{ id: "shop" }, { id: "shop--cart" }];
const says = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const idOf = (...messages: Message[]) => storyOf({ messages }, records)?.id;

it("finds the story by the folder that the prompt names, also if another's name begins like it", () => {
  expect(idOf(says("Working directory: /c/.saga/worktrees/shop--cart\nPlatform: linux"))).toBe(
    "shop--cart",
  );
  expect(idOf(says("Working directory: /c/.saga/worktrees/shop\nPlatform: linux"))).toBe("shop");
});

it("finds it by any other mention, and none without one", () => {
  expect(idOf(says("Hello."), says("cd .saga/worktrees/shop--cart && ls"))).toBe("shop");
  expect(idOf(says("Hello."))).toBeUndefined();
});
