// What pages show: progress, results, order and empty lists.

import { describe, expect, it } from "vitest";
import { DESKTOP, PHONE, useBrowser } from "../support/browser.ts";
import { aCard, aShop, nothingYet } from "../support/page/fixture.ts";
import { before } from "../support/page/moment.ts";

const open = useBrowser();

describe("progress", () => {
  it("fills only the completed part of a bar", async () => {
    const task = { id: "t", subject: "T", status: "in_progress", blockedBy: [] } as const;
    const story = aCard("only", "Only one task", "running", { tasks: [task] });
    const { page, go } = await open({ entities: { ...nothingYet(), stories: { only: story } } });
    await go("/stories");
    const bar = page.getByRole("img", { name: "0 of 1 task completed" });
    const backgroundOf = (colour: string) =>
      bar.locator("span").evaluate((piece, name) => {
        const probe = document.createElement("i");
        probe.style.background = `var(--color-${name})`;
        document.body.append(probe);
        const isSame =
          getComputedStyle(piece).backgroundColor === getComputedStyle(probe).backgroundColor;
        probe.remove();
        return isSame;
      }, colour);
    expect(await backgroundOf("active-mark")).toBe(false);
    expect(await backgroundOf("accent-wash")).toBe(true);
  });

  it("of an epic has a legend and the description of the epic", async () => {
    const { page, go } = await open();
    await go("/epic/checkout");
    await page.getByText("A visitor pays for a cart").waitFor();
    const legend = page.getByRole("main").getByRole("list", { name: "Legend" });
    expect(await legend.getByRole("listitem").allTextContents()).toEqual([
      "1 completed",
      "1 running",
      "1 needs you",
      "2 to do",
    ]);
  });

  it("of the timeline has a legend for every colour", async () => {
    const { page, go } = await open();
    await go("/timeline");
    const legend = page.getByRole("list", { name: "Legend" });
    await legend.waitFor();
    expect(await legend.textContent()).toMatch(/Merged.*Running/s);
  });
});

it("gives an answer the width of the row on a phone", async () => {
  const { page, go } = await open({ viewport: PHONE });
  await go("/");
  const answer = page.getByPlaceholder("Your answer").first();
  await answer.waitFor();
  expect((await answer.boundingBox())?.width).toBeGreaterThan(200);
});

it("keeps the words of the search button on one line", async () => {
  const { page, go } = await open();
  await go("/");
  const word = page.getByRole("button", { name: "Search or run a command" }).locator("span");
  expect((await word.boundingBox())?.height).toBeLessThan(24);
});

it("marks a gate that did not pass, with its data behind Details", async () => {
  const { page, go } = await open();
  await go("/story/checkout--payment/journal");
  const entry = page
    .getByRole("listitem")
    .filter({ hasText: "Gate not passed: 1 of 1 check failed" });
  await entry.getByRole("img", { name: "Not passed" }).waitFor();
  await entry.locator(".prose li", { hasText: "NOT passed" }).waitFor();
  expect(await entry.getByText('"gate":"check"').isVisible()).toBe(false);
  await entry.getByText("Details").click();
  await entry.getByText('"gate":"check"').waitFor();
});

it("does not follow a run that has ended", async () => {
  const { page, go } = await open();
  await go("/story/checkout--payment/log");
  const follow = page.getByRole("button", { name: "Follow" });
  await page.locator("[role=log] [data-index]").first().waitFor();
  expect(await follow.getAttribute("aria-pressed")).toBe("false");
  expect(await follow.isDisabled()).toBe(true);
  await go("/story/checkout--prices/log");
  expect(await follow.getAttribute("aria-pressed")).toBe("true");
});

it("finds a phrase in a log", async () => {
  const { page, server, go } = await open();
  const events = ["step 265: record 4505", "step 450: record 12"].map((text) => ({
    at: before(1),
    type: "agent.said",
    text,
  }));
  await go("/story/checkout--prices/log");
  await page.locator("[role=log] [data-index]").first().waitFor();
  const { run } = aShop().stories["checkout--prices"] ?? {};
  server.log("checkout--prices", run?.id ?? "", events);
  await page.getByLabel("Search the log").fill("step 450");
  await expect.poll(() => page.locator("[role=log] [data-index]").count()).toBe(1);
  expect(await page.locator("[role=log]").textContent()).toContain("step 450: record 12");
});

it("lists sessions newest first, also within one second", async () => {
  const names = [1794843480900, 1794843480100, 1794843480500].map(
    (ms) => `saga-story-checkout--prices-${ms}`,
  );
  const sessions = Object.fromEntries(
    names.map((name) => [
      name,
      { name, startedAt: "2026-11-16T15:18:00.000Z", attach: "tmux", isHere: true },
    ]),
  );
  const { page, go } = await open({ entities: { ...aShop(), sessions } });
  await go("/sessions");
  const shown = await page
    .getByRole("article")
    .evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")?.slice(-3)));
  expect(shown).toEqual(["900", "500", "100"]);
});

it("distinguishes no stories from no matches", async () => {
  const empty = await open({ entities: nothingYet() });
  await empty.go("/stories");
  await empty.page.getByText("No stories yet.").waitFor();
  expect(await empty.page.getByText("No stories match.").count()).toBe(0);
  const { page, go } = await open();
  await go("/stories?search=nothing-like-it");
  await page.getByText("No stories match.").waitFor();
});

describe("on a phone", () => {
  const phone = { viewport: PHONE, hasTouch: true };

  it("the timeline shows its bars without scrolling", async () => {
    const { page, go } = await open(phone);
    await go("/timeline");
    await page.locator("main rect").first().waitFor();
    for (const bar of await page.locator("main rect").all()) {
      const { x = -1, width = 0 } = (await bar.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(PHONE.width);
    }
  });

  it("the graph of a wide epic is legible", async () => {
    const ids = Array.from({ length: 14 }, (_, at) => `wide--s${at}`);
    const stories = Object.fromEntries(ids.map((id) => [id, aCard(id, `Story ${id}`, "ready")]));
    const epic = {
      id: "wide",
      title: "Wide",
      status: "pending" as const,
      children: ids.map((id, at) => ({ id, blockedBy: at === 0 ? [] : ["wide--s0"] })),
      isRunning: false,
      version: 1,
    };
    const entities = { ...nothingYet(), stories, epics: { wide: epic } };
    const { page, go } = await open({ ...phone, entities });
    await go("/epic/wide");
    const node = page.locator(".react-flow__node", { hasText: "Story wide--s0" });
    await node.waitFor();
    const { width = 0, x = -1 } = (await node.boundingBox()) ?? {};
    expect(width).toBeGreaterThan(140);
    expect(x).toBeGreaterThanOrEqual(0);
    await page.getByRole("button", { name: "Fit View" }).click();
    // The text has 13 of the node's 224 pixels, at every zoom.
    const fitted = (await node.boundingBox())?.width ?? 0;
    expect((fitted / 224) * 13).toBeGreaterThanOrEqual(11.99);
    await page.setViewportSize(DESKTOP);
    await page.reload();
    await node.waitFor();
    const top = async (name: string): Promise<number> =>
      (await page.getByRole("heading", { name, exact: true }).boundingBox())?.y ?? 0;
    expect(await top("Stories")).toBeLessThan(await top("Dependencies"));
  });

  it("runs show their cost, rows their state, and the tab bar the number that needs you", async () => {
    const { page, go } = await open(phone);
    await go("/story/checkout--payment/runs");
    const cost = page.getByRole("cell", { name: "$1.40" });
    const { x = 0, width = 0 } = (await cost.boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(PHONE.width);
    await go("/stories");
    const row = page.getByRole("listitem").filter({ hasText: "Pay by card" });
    expect(await row.getByText("Blocked", { exact: true }).first().isVisible()).toBe(true);
    const bar = page.getByRole("navigation", { name: "Pages" }).last();
    expect(await bar.getByRole("link", { name: /Home/ }).textContent()).toMatch(/\d need you/);
  });
});
