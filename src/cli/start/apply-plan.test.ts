import { expect, it } from "vitest";
import type { StagedFile } from "../../story/plan/stage.ts";
import { painter } from "../output/terminal.ts";
import { stagedResult } from "./apply-plan.ts";

const paint = painter(false);
const file = (kind: string, owner: string, id: string, action: string): StagedFile =>
  ({ kind, owner, id, action, fields: {} }) as StagedFile;

const files = [
  file("story", "cart", "cart", "create"),
  file("task", "cart", "table", "update"),
  file("story", "list", "list", "keep"),
  file("epic", "shop", "shop", "create"),
];

it("lists what was written, a new epic first, and leaves out what stayed as it was", () => {
  expect(stagedResult(files).text(paint)).toBe(
    "created  epic   shop\ncreated  story  cart\nupdated  task   cart/table\n",
  );
});

it("says that a dry run wrote nothing", () => {
  expect(stagedResult(files, true).text(paint)).toMatch(
    /^create {2}epic {3}shop\n[^]*Dry run: nothing was written\.\n$/,
  );
});

it("says so if all of it exists already", () => {
  const text = stagedResult([file("story", "list", "list", "keep")]).text(paint);
  expect(text).toBe("Everything exists already; nothing was changed.\n");
});
