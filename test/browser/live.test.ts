// What changes while the page is open: states, logs, and the connection itself.

import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { aCard, aShop } from "../support/page/fixture.ts";

const open = useBrowser();
const prices = aShop().stories["checkout--prices"] ?? expect.unreachable();
const pricesRun = prices.run ?? expect.unreachable();
const at = "2026-11-16T15:24:00.000Z";
const says = (text: string) => ({ at, type: "agent.said", text });

describe("changes", () => {
  it("appear by themselves, and only their own card is drawn again", async () => {
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

  it("of a story's tasks are there before its details are fetched again", async () => {
    const { page, server, go } = await open();
    await go("/story/checkout--prices");
    await page.getByText("Price every line of a cart", { exact: true }).waitFor();
    const tasks = prices.tasks.map((task) =>
      task.id === "price-lines" ? { ...task, subject: "Price the whole cart" } : task,
    );
    // The version stays: nothing is fetched, so all that can change is what the card says.
    server.change({ kind: "stories", id: prices.id, value: { ...prices, tasks } });
    await page.getByText("Price the whole cart", { exact: true }).waitFor();
    expect(await page.getByText("Price every line of a cart", { exact: true }).count()).toBe(0);
  });

  it("that were missed are made up for by a new snapshot", async () => {
    const { page, server, go } = await open();
    await go("/stories");
    const added = (id: string, title: string) =>
      ({ kind: "stories", id, value: aCard(id, title, "ready") }) as const;
    server.changeSilently(added("quiet", "Told to nobody"));
    server.change(added("loud", "Told to all"));
    await page.getByText("Told to nobody").waitFor();
    await page.getByText("Told to all").waitFor();
    expect(server.heard).toContainEqual({ type: "snapshot" });
  });

  it("take a story that is gone off the page", async () => {
    const { page, server, go } = await open();
    await go("/story/search--index");
    server.change({ kind: "stories", id: "search--index", value: null });
    await page.getByRole("heading", { name: "Story not found" }).waitFor();
    expect(await page.getByText("Index titles and authors").count()).toBe(0);
  });
});

describe("a lost connection", () => {
  it("is said quietly, nothing can be pressed, and it comes back with what was missed", async () => {
    const { page, server, go } = await open();
    await go("/");
    server.isReachable = false;
    server.dropConnections();
    await page.getByRole("status").filter({ hasText: "Reconnecting…" }).waitFor();
    // It does not come back by itself when it was ended.
    await page.getByText("Is saga dashboard still running?").last().waitFor();
    const resume = page.getByRole("button", { name: "Resume", exact: true }).first();
    expect(await resume.isDisabled()).toBe(true);
    server.changeSilently({
      kind: "stories",
      id: prices.id,
      value: { ...prices, title: "Prices, while nobody looked" },
    });
    server.isReachable = true;
    await page.getByText("Prices, while nobody looked").waitFor();
    await expect.poll(() => resume.isEnabled()).toBe(true);
    expect(await page.getByText("Reconnecting…").count()).toBe(0);
  });

  it("begins anew when another project's server has its place: nothing open is about that one", async () => {
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

  it("goes on with a log where it was", async () => {
    const { page, server, go } = await open();
    const run = pricesRun.id;
    await go("/story/checkout--prices/log");
    await page.getByText("No new dependency, then").waitFor();
    server.isReachable = false;
    server.dropConnections();
    await page.getByRole("status").filter({ hasText: "Reconnecting…" }).waitFor();
    server.log(prices.id, run, [says("Said while nobody heard it.")]);
    server.isReachable = true;
    await page.getByText("Said while nobody heard it.").waitFor();
    server.log(prices.id, run, [says("Said afterwards.")]);
    await page.getByText("Said afterwards.").waitFor();
    const follows = server.heard.flatMap((one) => (one.type === "follow" ? [one.from] : []));
    expect(follows[0]).toBe(0);
    expect(follows.at(-1)).toBeGreaterThan(0);
    expect(await page.getByText("Said while nobody heard it.").count()).toBe(1);
  });

  it("is not taken on trust after a sleep: the page asks for everything again", async () => {
    const { page, server, go } = await open();
    await go("/");
    await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
    const before = server.heard.length;
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(() => server.heard.slice(before)).toContainEqual({ type: "snapshot" });
  });
});

describe("the log", () => {
  it("follows the end, stops when one scrolls up, and follows again at a press", async () => {
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
    // Of 500 lines only those in sight are in the page.
    expect(await box.locator("[data-index]").count()).toBeLessThan(90);
  });

  it("is searched, filtered by kind, and copied as it is shown", async () => {
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
