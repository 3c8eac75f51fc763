import { expect, it } from "vitest";
import { defaults } from "../../../test/support/default-settings.ts";
import type { PreparedWork } from "../context.ts";
import { storyAgentScope } from "./agent-scope.ts";

it("an agent may not see Saga's own state, and reads what is linked into its worktree", () => {
  const work = {
    repository: { project: "/p" },
    request: { storyId: "a" },
    readable: ["/p/node_modules"],
    context: { env: { XDG_STATE_HOME: "/state" }, settings: defaults },
  } as unknown as PreparedWork;
  expect(storyAgentScope(work, "/p/.saga/worktrees/a")).toMatchObject({
    project: "/p",
    worktree: "/p/.saga/worktrees/a",
    storyId: "a",
    readable: ["/p/node_modules"],
    hidden: ["/state/saga"],
  });
});
