// Changes while the page is open: states, logs and the connection.

import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { aCard, aShop } from "../support/page/fixture.ts";

const open = useBrowser();
const prices = aShop().stories["checkout--prices"] ?? expect.unreachable();
const pricesRun = prices.run ?? expect.unreachable();
const at = "2026-11-16T15:24:00.000Z";
const says = (text: string) => ({ at, type: "agent.said", text });

describe("changes", () => {
  it("appear by themselves, and redraw only their own card", async () => {
    const { page, server, go } = await open();
    await go("/");
    const untouched = page.getByRole("article", { name: "Reset a forgotten password" });
    await untouched.evaluate((element) => {
      const watched = window as unknown as { drawn: number };
      watched.drawn = 0;
      const options = { subtree: true, childList: true, characterData: true, attributes: true };
      new MutationObserver((changes) => (watched.drawn += changes.length)).observe(
        element,
        options,
      );
    });
    const run = {
      ...pricesRun,
      lastAction: { at, text: "Read src/x.ts" },
    };
    server.change({ kind: "stories", id: prices.id, value: { ...prices, run } });
    await page.getByText("Read src/x.ts").waitFor();
    expect(await page.evaluate(() => (window as unknown as { drawn: number }).drawn)).toBe(0);
  });

  it("of a story's tasks appear before its details are fetched again", async () => {
    const { page, server, go } = await open();
    await go("/story/checkout--prices");
    await page.getByText("Price every line of a cart", { exact: true }).waitFor();
    const tasks = prices.tasks.map((task) =>
      task.id === "price-lines" ? { ...task, subject: "Price the whole cart" } : task,
    );
    // The version stays the same, so no details are fetched: only the card can change.
    server.change({ kind: "stories", id: prices.id, value: { ...prices, tasks } });
    await page.getByText("Price the whole cart", { exact: true }).waitFor();
    expect(await page.getByText("Price every line of a cart", { exact: true }).count()).toBe(0);
  });

  it("that were missed arrive with a new snapshot", async () => {
    const { page, server, go } = await open();
    await go("/stories");
    const added = (id: string, title: string) =>
      ({ kind: "stories", id, value: aCard(id, title, "ready") }) as const;
    server.changeSilently(added("quiet", "Not sent"));
    server.change(added("loud", "Sent to all"));
    await page.getByText("Not sent").waitFor();
    await page.getByText("Sent to all").waitFor();
    expect(server.received).toContainEqual({ type: "snapshot" });
  });

  it("remove a deleted story from the page", async () => {
    const { page, server, go } = await open();
    await go("/story/search--index");
    server.change({ kind: "stories", id: "search--index", value: null });
    await page.getByRole("heading", { name: "Story not found" }).waitFor();
    expect(await page.getByText("Index titles and authors").count()).toBe(0);
  });
});

describe("a lost connection", () => {
  it("is shown quietly, disables actions, and catches up when it is back", async () => {
    const { page, server, go } = await open();
    await go("/");
    server.isReachable = false;
    server.dropConnections();
    await page.getByRole("status").filter({ hasText: "Reconnecting…" }).waitFor();
    // A stopped server does not come back by itself.
    await page.getByText("Is saga dashboard still running?").last().waitFor();
    const resume = page.getByRole("button", { name: "Resume", exact: true }).first();
    expect(await resume.isDisabled()).toBe(true);
    server.changeSilently({
      kind: "stories",
      id: prices.id,
      value: { ...prices, title: "Prices, changed while offline" },
    });
    server.isReachable = true;
    await page
      .getByRole("region", { name: "Running now" })
      .getByText("Prices, changed while offline")
      .waitFor();
    await expect.poll(() => resume.isEnabled()).toBe(true);
    expect(await page.getByText("Reconnecting…").count()).toBe(0);
  });

  it("reloads if the server of another project uses the port", async () => {
    const { page, server, go } = await open();
    await go("/story/accounts--sign-in");
    await page.getByRole("button", { name: "Send back…" }).click();
    await page.getByRole("dialog").waitFor();
    const project = { name: "other", folder: "~/work/other", costTodayUsd: 0 };
    server.changeSilently({ kind: "project", id: "project", value: project });
    server.dropConnections();
    await expect.poll(() => page.url()).toBe(`${server.address}/`);
    await page.getByText("other", { exact: true }).last().waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("continues a log where it was", async () => {
    const { page, server, go } = await open();
    const run = pricesRun.id;
    await go("/story/checkout--prices/log");
    await page.getByText("No new dependency, then").waitFor();
    server.isReachable = false;
    server.dropConnections();
    await page.getByRole("status").filter({ hasText: "Reconnecting…" }).waitFor();
    server.log(prices.id, run, [says("Written while offline.")]);
    server.isReachable = true;
    await page.getByText("Written while offline.").waitFor();
    server.log(prices.id, run, [says("Said afterwards.")]);
    await page.getByText("Said afterwards.").waitFor();
    const follows = server.received.flatMap((one) => (one.type === "follow" ? [one.from] : []));
    expect(follows[0]).toBe(0);
    expect(follows.at(-1)).toBeGreaterThan(0);
    expect(await page.getByText("Written while offline.").count()).toBe(1);
  });

  it("is tested after sleep with a new snapshot", async () => {
    const { page, server, go } = await open();
    await go("/");
    await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
    const before = server.received.length;
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(() => server.received.slice(before)).toContainEqual({ type: "snapshot" });
  });
});

describe("the log", () => {
  it("follows the end, stops when a person scrolls up, and follows again on a click", async () => {
    const { page, server, go } = await open();
    const run = pricesRun.id;
    await go("/story/checkout--prices/log");
    const box = page.getByRole("log");
    const follow = page.getByRole("button", { name: "Follow" });
    await box.waitFor();
    server.log(prices.id, run, numbered(0, 400));
    await page.getByText("Line 399.").waitFor();
    await box.hover();
    await page.mouse.wheel(0, -600);
    await expect.poll(() => follow.getAttribute("aria-pressed")).toBe("false");
    const top = await box.evaluate((element) => element.scrollTop);
    server.log(prices.id, run, numbered(400, 500));
    await expect
      .poll(() => page.getByRole("button", { name: /^Messages/ }).textContent())
      .toContain("503");
    expect(await box.evaluate((element) => element.scrollTop)).toBe(top);
    await follow.click();
    await page.getByText("Line 499.").waitFor();
    // Only the visible ones of 500 lines are rendered.
    expect(await box.locator("[data-index]").count()).toBeLessThan(90);
  });

  it("can be searched, filtered by kind, and copied as shown", async () => {
    const { page, go } = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    await go("/story/checkout--prices/log");
    await page.getByRole("button", { name: /^Problems/ }).click();
    await expect.poll(() => page.getByRole("log").locator("[data-index]").count()).toBe(2);
    await page.getByRole("button", { name: /^Problems/ }).click();
    await page.getByLabel("Search the log").fill("rates.ts");
    await expect.poll(() => page.getByRole("log").locator("[data-index]").count()).toBe(2);
    expect(await page.locator("mark").first().textContent()).toBe("rates.ts");
    await page.getByRole("button", { name: "Copy the visible log" }).click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^\d\d:\d\d:\d\d Write src\/prices\/rates\.ts\n +→ 7 lines\n/);
  });
});

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, line) => says(`Line ${from + line}.`));
