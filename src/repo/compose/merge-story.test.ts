import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lines, newDelivery, type Delivery } from "../../../test/support/delivery.ts";
import { STORY } from "../../../test/support/repository.ts";
import { openGit } from "../../machine/programs/git.ts";
import { finishConflict, prepareConflict } from "../delivery/resolve-conflict.ts";

const FILE = `.saga/stories/${STORY}/step.json`;
const plan = { id: "step", subject: "Step", description: "Do it.", status: "pending" };
const text = (fields: object): string => `${JSON.stringify(fields, undefined, 2)}\n`;

/** The person adds the plan on the target when the story has begun, and has gone on since. */
async function withLatePlan(): Promise<Delivery> {
  const delivery = await newDelivery();
  delivery.work({ [FILE]: text({ ...plan, status: "in_progress" }) }, "Start");
  delivery.work({ [FILE]: text({ ...plan, status: "completed" }), "new.txt": "new\n" }, "Step");
  delivery.meanwhile({ [FILE]: text(plan) }, "The plan, a bit late");
  return delivery;
}

describe("a plan that is committed after its story began", () => {
  it("does not conflict with the story, whose state wins and whose history stays linear", async () => {
    const delivery = await withLatePlan();
    const was = delivery.target();
    expect(await delivery.deliver()).toMatchObject({ kind: "merged", was });
    expect(JSON.parse(delivery.show("trunk", FILE))).toEqual({ ...plan, status: "completed" });
    expect(delivery.log(`${was}..trunk`).at(-1)).toBe("Step");
  });

  it("keeps the person's changes to it", async () => {
    const delivery = await withLatePlan();
    delivery.meanwhile({ [FILE]: text({ ...plan, guidance: "Slowly." }) }, "Say how");
    expect(await delivery.deliver()).toMatchObject({ kind: "merged" });
    expect(JSON.parse(delivery.show("trunk", FILE))).toEqual({
      ...plan,
      status: "completed",
      guidance: "Slowly.",
    });
  });

  it("has no conflict markers when other files conflict", async () => {
    const delivery = await withLatePlan();
    delivery.work({ "shared.txt": lines({ 3: "three" }) }, "In words");
    delivery.meanwhile({ "shared.txt": lines({ 3: "III" }) }, "Like the Romans");
    const git = openGit(delivery.folder, delivery.test.env);
    const place = { git, storyId: STORY, target: "trunk", exclude: [] };
    const prepared = await prepareConflict({ ...place, onto: delivery.target() });
    expect(prepared).toMatchObject({ kind: "conflict", files: [{ path: "shared.txt" }] });
    const merged = readFileSync(join(delivery.folder, FILE), "utf8");
    expect(JSON.parse(merged)).toEqual({ ...plan, status: "completed" });
    expect(await finishConflict(place)).toEqual({ kind: "unresolved", files: ["shared.txt"] });
  });
});
