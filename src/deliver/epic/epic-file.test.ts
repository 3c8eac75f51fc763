import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BRANCH, newDelivery, type Delivery } from "../../../test/support/delivery.ts";
import { anEpic, aStory } from "../../../test/support/project.ts";
import { STORY } from "../../../test/support/repository.ts";
import type { DeliverRequest } from "../../../test/support/deliver.ts";
import type { CommitParts } from "../../repo/compose/compose.ts";
import { openStore } from "../../store/file-store.ts";
import { amendEpic, editableEpic } from "./epic-file.ts";

const FILE = ".saga/epics/shop/epic.json";
const OTHER = "add-cart";

const text = (value: unknown): string => `${JSON.stringify(value, undefined, "\t")}\n`;

const epicText = (status: string, more: Record<string, unknown> = {}): string =>
  text(anEpic("shop", [{ id: STORY }, { id: OTHER }], { status, ...more }));

const storyFiles = (id: string, status: string): Record<string, string> => ({
  [`.saga/stories/${id}/story.json`]: text(aStory(id, { status })),
});

interface Situation {
  readonly epic?: string;
  readonly other?: string;
}

/** An epic of two stories in the target; the delivered one is completed on its branch. */
async function newEpicDelivery({ epic, other = "pending" }: Situation = {}): Promise<Delivery> {
  const delivery = await newDelivery();
  delivery.meanwhile({ [FILE]: epic ?? epicText("pending"), ...storyFiles(OTHER, other) });
  const message = `Add the form\n\nSaga-Story: ${STORY}\nSaga-Task: form`;
  delivery.work({ "form.txt": "form\n", ...storyFiles(STORY, "completed") }, message);
  return delivery;
}

const merge = async (delivery: Delivery, more: Partial<DeliverRequest> = {}) => {
  const repository = await delivery.test.open();
  const store = openStore(delivery.test.path);
  const place = { repository, store, epicId: "shop", storyIds: [STORY], target: "trunk" };
  const editable = editableEpic("shop");
  return delivery.deliver({ amendment: amendEpic(place), editable, epicId: "shop", ...more });
};

const shown = (delivery: Delivery): string => `${delivery.show("trunk", FILE)}\n`;

describe("the status in an epic's file", () => {
  it("becomes in progress with the first story, in the story's own commit, and nothing else changes", async () => {
    const delivery = await newEpicDelivery();
    const was = delivery.target();
    let parts: CommitParts | undefined;
    const verify: DeliverRequest["verify"] = async (folder, _, given) => {
      parts = given;
      expect(readFileSync(join(folder, FILE), "utf8")).toBe(epicText("in_progress"));
      return { isPassed: true };
    };
    expect(await merge(delivery, { verify })).toMatchObject({ kind: "merged" });
    expect(shown(delivery)).toBe(epicText("in_progress"));
    expect(delivery.log(`${was}..trunk`)).toEqual(["Add the form"]);
    expect(delivery.log("trunk^!", "%P")).toEqual([was]);
    // The story's changes are judged without it.
    const work = parts?.work ?? "";
    expect(delivery.test.git("diff", "--name-only", was, work)).not.toContain(FILE);
    expect(delivery.test.git("diff", "--name-only", work, "trunk")).toBe(FILE);
    expect(delivery.test.git("log", "-1", "--format=%B%an%ad", work)).toBe(
      delivery.test.git("log", "-1", "--format=%B%an%ad", "trunk"),
    );
  });

  it("becomes completed with the last story", async () => {
    const delivery = await newEpicDelivery({ epic: epicText("in_progress"), other: "completed" });
    await merge(delivery);
    expect(shown(delivery)).toBe(epicText("completed"));
  });

  it("stays in progress for an epic that stays open", async () => {
    const epic = epicText("in_progress", { persistent: true });
    const delivery = await newEpicDelivery({ epic, other: "completed" });
    await merge(delivery);
    expect(shown(delivery)).toBe(epic);
  });

  it("is written in the merge commit when the story's commits must not change", async () => {
    const delivery = await newEpicDelivery();
    // The branch contains the target: without the status the target would move to its tip.
    delivery.test.gitIn(delivery.folder, "merge", "--quiet", "--no-edit", "trunk");
    const was = delivery.target();
    const tip = delivery.test.git("rev-parse", BRANCH);
    await merge(delivery, { style: "merge" });
    expect(delivery.log("trunk^!", "%P")).toEqual([`${was} ${tip}`]);
    expect(shown(delivery)).toBe(epicText("in_progress"));
    expect(await merge(delivery, { style: "merge" })).toMatchObject({ kind: "merged", was });
  });

  it("is the same commit when the merge is repeated", async () => {
    const delivery = await newEpicDelivery();
    const verify = async () => ({ isPassed: false as const, reason: "not yet" });
    const first = await merge(delivery, { verify });
    expect(await merge(delivery, { verify })).toEqual(first);
    expect(await merge(delivery)).toMatchObject({ commit: "commit" in first && first.commit });
  });

  it("waits for the next merge while a person has an uncommitted change to the file", async () => {
    const delivery = await newEpicDelivery();
    const { test } = delivery;
    test.git("clean", "-fdq", ".saga/stories");
    test.git("switch", "--quiet", "trunk");
    const edited = epicText("pending", { title: "A better title" });
    test.write(FILE, edited);
    expect(await merge(delivery, { updateCheckouts: true })).toMatchObject({ kind: "merged" });
    expect(readFileSync(join(test.path, FILE), "utf8")).toBe(edited);
    expect(shown(delivery)).toBe(epicText("pending"));
    expect(test.git("rev-parse", "HEAD")).toBe(delivery.target());
  });

  it("leaves a checkout of the target clean", async () => {
    const delivery = await newEpicDelivery();
    const { test } = delivery;
    test.git("clean", "-fdq", ".saga/stories");
    test.git("switch", "--quiet", "trunk");
    expect(await merge(delivery, { updateCheckouts: true })).toMatchObject({ kind: "merged" });
    expect(readFileSync(join(test.path, FILE), "utf8")).toBe(epicText("in_progress"));
    expect(test.git("status", "--short")).toBe("");
  });

  it.each([
    ["cannot be read", "{"],
    ["has none of the merged stories", text(anEpic("shop", [{ id: OTHER }]))],
  ])("is not changed in a file that %s", async (_, epic) => {
    const delivery = await newEpicDelivery({ epic: `${epic.trimEnd()}\n` });
    await merge(delivery);
    expect(shown(delivery)).toBe(`${epic.trimEnd()}\n`);
  });
});

describe("an epic that a person has not committed", () => {
  const listing = (status: string, ...ids: string[]): string =>
    text(
      anEpic(
        "shop",
        ids.map((id) => ({ id })),
        { status },
      ),
    );

  /** The story is ready to merge; the epic is in the person's checkout alone. */
  async function uncommitted(epic: string): Promise<Delivery> {
    const delivery = await newDelivery();
    const message = `Add the form\n\nSaga-Story: ${STORY}\nSaga-Task: form`;
    delivery.work({ "form.txt": "form\n", ...storyFiles(STORY, "completed") }, message);
    delivery.test.write(FILE, epic);
    return delivery;
  }

  const onTrunk = ({ test }: Delivery): void => {
    test.git("clean", "-fdq", ".saga/stories");
    test.git("switch", "--quiet", "trunk");
  };

  const here = ({ test }: Delivery): string => readFileSync(join(test.path, FILE), "utf8");

  it("arrives with the first story, without the stories that are not in the target", async () => {
    const delivery = await uncommitted(listing("pending", STORY, OTHER));
    expect(await merge(delivery)).toMatchObject({ kind: "merged" });
    expect(shown(delivery)).toBe(listing("in_progress", STORY));
    expect(here(delivery)).toBe(listing("pending", STORY, OTHER));
  });

  it("leaves a checkout of the target clean when all of it has arrived", async () => {
    const delivery = await uncommitted(listing("pending", STORY));
    onTrunk(delivery);
    expect(await merge(delivery, { updateCheckouts: true })).toMatchObject({ kind: "merged" });
    expect(here(delivery)).toBe(listing("completed", STORY));
    expect(delivery.test.git("status", "--short")).toBe("");
  });

  it("stays in a checkout of the target with all that has not arrived", async () => {
    const delivery = await uncommitted(listing("pending", OTHER, STORY));
    onTrunk(delivery);
    expect(await merge(delivery, { updateCheckouts: true })).toMatchObject({ kind: "merged" });
    expect(shown(delivery)).toBe(listing("in_progress", STORY));
    expect(here(delivery)).toBe(listing("in_progress", OTHER, STORY));
    expect(delivery.test.git("status", "--short")).toBe(` M ${FILE}`);
  });

  it("is committed, but not with the story's entry: the entry arrives", async () => {
    const delivery = await uncommitted("");
    delivery.meanwhile({ [FILE]: listing("pending", OTHER), ...storyFiles(OTHER, "pending") });
    delivery.test.git("clean", "-fdq", ".saga/epics");
    onTrunk(delivery);
    delivery.test.write(FILE, listing("pending", OTHER, STORY, "more"));
    expect(await merge(delivery, { updateCheckouts: true })).toMatchObject({ kind: "merged" });
    expect(shown(delivery)).toBe(listing("in_progress", OTHER, STORY));
    expect(here(delivery)).toBe(listing("in_progress", OTHER, STORY, "more"));
  });

  it("refuses the update of a checkout in which it is staged, and stays as it is", async () => {
    const delivery = await uncommitted(listing("pending", STORY, OTHER));
    onTrunk(delivery);
    delivery.test.git("add", FILE);
    const was = delivery.target();
    const staged = delivery.test.git("ls-files", "--stage", FILE);
    expect(await merge(delivery, { updateCheckouts: true })).toMatchObject({ kind: "checked-out" });
    expect([delivery.target(), here(delivery)]).toEqual([was, listing("pending", STORY, OTHER)]);
    expect(delivery.test.git("ls-files", "--stage", FILE)).toBe(staged);
  });

  it("is left in the index as it was when git refuses the update for another file", async () => {
    const delivery = await uncommitted(listing("pending", STORY, OTHER));
    onTrunk(delivery);
    delivery.test.write("form.txt", "mine\n");
    expect(await merge(delivery, { updateCheckouts: true })).toMatchObject({ kind: "checked-out" });
    expect(delivery.test.git("ls-files", "--stage", FILE)).toBe("");
    expect(here(delivery)).toBe(listing("pending", STORY, OTHER));
  });

  it("does not replace a link in its place", async () => {
    const delivery = await uncommitted(listing("pending", STORY));
    symlinkSync("/tmp", join(delivery.folder, ".saga/epics"));
    delivery.test.gitIn(delivery.folder, "add", "--all");
    delivery.test.gitIn(delivery.folder, "commit", "--quiet", "--message=link");
    expect(await merge(delivery)).toMatchObject({ kind: "merged" });
    expect(delivery.test.git("ls-tree", "trunk", ".saga/epics")).toMatch(/^120000 /);
  });
});
