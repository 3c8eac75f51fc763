import { expect, it } from "vitest";
import { epicSchema } from "../../story/definition/epic.ts";
import { epicPullBody } from "./pull-request.ts";

it("the pull request of an epic has its description and its stories", () => {
  const children = ["a", "b"].map((id) => ({ id, blockedBy: [] }));
  const epic = epicSchema.parse({
    id: "auth",
    title: "Sign in",
    description: "People sign in.",
    children,
  });
  expect(epicPullBody(epic)).toBe("# Sign in\n\nPeople sign in.\n\n## Stories\n\n- `a`\n- `b`");
});
