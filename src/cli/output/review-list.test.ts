import { expect, it } from "vitest";
import { STORY } from "../../../test/support/repository.ts";
import { withWork } from "../../../test/support/story-with-work.ts";
import { aTask } from "../../../test/support/project.ts";
import { reviewLines } from "./review-list.ts";

const paint = (style: unknown, text: string): string => `<${String(style)}>${text}`;
const plainly = (_: unknown, text: string): string => text;

it("shows the level, the title and the reasons of each", () => {
  const reason = { kind: "deletions", points: 4, text: "3 files deleted.", files: [] } as const;
  const lines = reviewLines(
    [
      { id: "a", title: "First", risk: { level: "high", points: 9, reasons: [reason] } },
      { id: "b-2", title: "Second", risk: undefined },
    ],
    plainly,
  );
  expect(lines).toEqual([
    "  ◆ a    high risk     First",
    "      3 files deleted.",
    "  ◆ b-2  risk unknown  Second",
  ]);
  expect(reviewLines([], plainly)).toEqual(["Nothing waits for review."]);
  const risk = { level: "medium", points: 3, reasons: [] } as const;
  expect(reviewLines([{ id: "a", title: "First", risk }], paint)[0]).toContain(
    "<yellow>medium risk",
  );
});

it("list --review and status read the risk of a finished story", async () => {
  const test = await withWork();
  test.write(
    `.saga/worktrees/${STORY}/.saga/stories/${STORY}/form.json`,
    aTask("form", { status: "completed" }),
  );
  const { reviews } = (await test.sagaWithEnv(test.env, "list", "--review", "--json")).json() as {
    reviews: { id: string; risk: { level: string } }[];
  };
  expect(reviews).toMatchObject([{ id: STORY, risk: { level: "low" } }]);
  const status = (await test.sagaWithEnv(test.env, "status", "--json")).json();
  expect(status["needsYou"]).toMatchObject([{ story: STORY, risk: { level: "low" } }]);
});
