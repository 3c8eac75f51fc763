// Decisions that a person makes on the page, and what the page shows afterwards.

import { describe, expect, it } from "vitest";
import type { StoryCard } from "../../src/dashboard/protocol/messages.ts";
import { useBrowser } from "../support/browser.ts";
import { aCard, aShop } from "../support/page/fixture.ts";
import { before } from "../support/page/moment.ts";

const open = useBrowser();

const cardOf = (id: string): StoryCard => {
  const card = aShop().stories[id];
  if (card === undefined) throw new Error(`There is no ${id}.`);
  return card;
};

const FAILED = aCard("faster-images", "Pictures in modern formats", "failed", {
  tasks: [{ id: "encode", subject: "Encode on upload", status: "completed", blockedBy: [] }],
  run: { id: "20261116T101400000Z-7f3a", startedAt: before(310), endedAt: before(284), costUsd: 1 },
  reason: "The gate refused it.",
});
const withFailed = () => ({
  ...aShop(),
  stories: { ...aShop().stories, [FAILED.id]: FAILED },
});

describe("a failed story", () => {
  it("is accepted with overrides and a reason from its row", async () => {
    const { page, server, go } = await open({ entities: withFailed() });
    server.detail = {
      mergeBlockers: [{ rule: "secret", message: "config.ts: a key was found." }],
      missing: [],
    };
    await go("/");
    const row = page.getByRole("article", { name: FAILED.title });
    await row.getByRole("button", { name: "Accept…" }).click();
    const dialog = page.getByRole("dialog");
    const accept = dialog.getByRole("button", { name: "Accept", exact: true });
    await dialog.getByText("config.ts: a key was found.").waitFor();
    await dialog.getByLabel("secret").check();
    expect(await accept.isDisabled()).toBe(true);
    await dialog.getByLabel("Why?").fill("It is a test key.");
    await accept.click();
    await page.getByText("accept is done.").waitFor();
    const why = "It is a test key.";
    expect(server.actions).toEqual([
      { act: "accept", story: FAILED.id, override: ["secret"], why },
    ]);
  });

  it("offers the findings of the last gate if none has run on this code, and every other rule", async () => {
    const { page, server, go } = await open({ entities: withFailed() });
    server.detail = {
      mergeBlockers: [],
      missing: ["its diff was not checked"],
      lastMergeBlockers: [{ rule: "size", message: "412 lines were changed." }],
    };
    await go(`/story/${FAILED.id}`);
    await page.getByRole("button", { name: "Accept…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The gate has not run on this code yet").waitFor();
    await dialog.getByLabel("size").check();
    await dialog.getByText("Override another rule").click();
    await dialog.getByLabel("binary").check();
    await dialog.getByLabel("Why?").fill("Agreed with the team.");
    await dialog.getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText("accept is done.").waitFor();
    expect(server.actions).toMatchObject([{ act: "accept", override: ["size", "binary"] }]);
  });

  it("has links to its diff and its log in its row", async () => {
    const { page, server, go } = await open({ entities: withFailed() });
    await go("/");
    const row = page.getByRole("article", { name: FAILED.title });
    await row.getByRole("link", { name: "Diff" }).click();
    await expect.poll(() => page.url()).toBe(`${server.address}/story/${FAILED.id}/diff`);
    await page.goBack();
    await row.getByRole("link", { name: "Log" }).click();
    await expect.poll(() => page.url()).toBe(`${server.address}/story/${FAILED.id}/log`);
  });
});

it("shows who accepted a story, and offers to merge it", async () => {
  const { page, server, go } = await open();
  await go("/story/accounts--sign-in");
  await page.getByRole("button", { name: "Accept…" }).waitFor();
  const story = cardOf("accounts--sign-in");
  server.detail = { mergeBlockers: [], accepted: { at: before(2), how: "accepted by Ada" } };
  server.change({
    kind: "stories",
    id: story.id,
    value: { ...story, acceptedAt: before(2), version: 2 },
  });
  await page.getByText("accepted by Ada").waitFor();
  const badge = page.getByRole("img", { name: "Accepted" });
  await badge.first().waitFor();
  const actions = page.getByRole("button", { name: /^(?:Merge|Accept…|Send back…)$/ });
  expect(await actions.allTextContents()).toEqual(["Merge", "Send back…"]);
});

describe("snapshots", () => {
  it("are listed on the story's page, and restored after a confirmation", async () => {
    const { page, server, go } = await open();
    await go("/story/checkout--payment");
    const snapshots = page.getByRole("region", { name: "Snapshots" });
    await snapshots.getByText("Before its worker ended").waitFor();
    await snapshots.getByRole("button", { name: "Restore snapshot 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("restore is done.").waitFor();
    expect(server.actions).toEqual([{ act: "restore", story: "checkout--payment", number: 1 }]);
  });

  it("of discarded work are restored with one click", async () => {
    const { page, server, go } = await open();
    server.answer = ({ act }) => ({ isOk: true, text: `${act} is done.`, json: { snapshot: 7 } });
    await go("/");
    const row = page.getByRole("article", { name: "Change name and mail" });
    await row.getByRole("button", { name: "Discard…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByText("restore is done.").waitFor();
    expect(server.actions.at(-1)).toEqual({
      act: "restore",
      story: "accounts--profile",
      number: 7,
    });
  });
});

describe("a run with options", () => {
  it("starts a story with a model and limits", async () => {
    const { page, server, go } = await open();
    await go("/story/search--index");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Run with options…" }).click();
    await page.getByLabel("Model").fill("sonnet");
    await page.getByLabel("Time limit in minutes").fill("30");
    await page.getByLabel("Cost limit in US dollars").fill("2.5");
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    await page.getByText("run is done.").waitFor();
    expect(server.actions).toEqual([
      { act: "run", story: "search--index", model: "sonnet", maxMinutes: 30, maxCostUsd: 2.5 },
    ]);
  });

  it("starts an epic with a model and limits", async () => {
    const { page, server, go } = await open();
    await go("/epic/accounts");
    await page.getByText("Model, time, cost").click();
    await page.getByLabel("Cost limit in US dollars").fill("4");
    await page.getByRole("button", { name: "Run the epic" }).click();
    await page.getByText("epic-run is done.").waitFor();
    expect(server.actions).toEqual([
      { act: "epic-run", epic: "accounts", parallel: 1, maxCostUsd: 4 },
    ]);
  });
});

it("archives a completed story, and adds to a journal", async () => {
  const { page, server, go } = await open();
  await go("/story/checkout--cart");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Archive…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
  await page.getByText("archive is done.").waitFor();
  await go("/story/checkout--prices/journal");
  await page.getByRole("button", { name: "Add a note…" }).click();
  await page.getByLabel("Note", { exact: true }).fill("Prices are final.");
  await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
  await page.getByText("note is done.").waitFor();
  expect(server.actions).toEqual([
    { act: "archive", story: "checkout--cart" },
    { act: "note", story: "checkout--prices", text: "Prices are final." },
  ]);
});

describe("the pool", () => {
  it("without a list offers only to create one", async () => {
    const { page, server, go } = await open({ entities: { ...aShop(), pool: {} } });
    await go("/pool");
    expect(await page.getByRole("button", { name: "Add a task" }).count()).toBe(0);
    expect(await page.getByLabel("List name").inputValue()).toBe("bookshop-tasks");
    await page.getByRole("button", { name: "Create the list" }).click();
    await page.getByText("pool-list is done.").waitFor();
    expect(server.actions).toEqual([{ act: "pool-list", list: "bookshop-tasks" }]);
  });

  it("starts with the given number of workers", async () => {
    const shop = aShop();
    const [pool] = Object.values(shop.pool);
    if (pool === undefined) throw new Error("There is a pool.");
    const idle = { ...shop, pool: { bookshop: { ...pool, daemons: [], workers: [] } } };
    const { page, server, go } = await open({ entities: idle });
    await go("/pool");
    await page.getByRole("button", { name: "Start the pool…" }).click();
    await page.getByLabel("Tasks at once").fill("4");
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    await page.getByText("pool-start is done.").waitFor();
    expect(server.actions).toEqual([{ act: "pool-start", workers: 4 }]);
    await go("/");
    server.change({ kind: "pool", id: "bookshop", value: pool });
    await go("/pool");
    await page.getByRole("button", { name: "Drain" }).waitFor();
    expect(await page.getByRole("button", { name: "Start the pool…" }).count()).toBe(0);
  });
});
