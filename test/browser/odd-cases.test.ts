// Rare cases that must not break the page: odd names, invalid files, failed actions, double clicks.

import { describe, expect, it } from "vitest";
import { PHONE, useBrowser } from "../support/browser.ts";
import { aCard, aShop } from "../support/page/fixture.ts";
import type { StoryDetail, StoryDiff } from "../../src/dashboard/protocol/details.ts";
import type { EpicCard } from "../../src/dashboard/protocol/messages.ts";

const open = useBrowser();

it("the open tab is visible on a phone, where the tabs are wider than the screen", async () => {
  const { page, go } = await open({ viewport: PHONE });
  await go("/story/checkout--payment/runs");
  await page.getByRole("columnheader", { name: "Cost" }).waitFor();
  const tab = page.getByRole("navigation", { name: "Story" }).getByRole("link", { name: "Runs" });
  await expect.poll(async () => isWithin(await tab.boundingBox(), PHONE.width)).toBe(true);
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

const isWithin = (box: { x: number; width: number } | null, width: number): boolean =>
  box !== null && box.x >= 0 && box.x + box.width <= width;

describe("a name of an object property", () => {
  const story = aCard("constructor", "A story called constructor", "ready", {
    epic: "constructor",
  });
  const epic: EpicCard = {
    id: "constructor",
    title: "An epic called constructor",
    status: "pending",
    children: [
      { id: "constructor", blockedBy: [] },
      { id: "gone", blockedBy: ["constructor"] },
    ],
    isRunning: false,
    version: 1,
  };
  const entities = () => {
    const shop = aShop();
    return {
      ...shop,
      stories: { ...shop.stories, constructor: story },
      epics: { ...shop.epics, constructor: epic },
    };
  };

  it("works for a story, an epic and in a graph", async () => {
    const { page, go } = await open({ entities: entities() });
    await go("/epic/constructor");
    await page.locator(".react-flow__node").getByText("A story called constructor").click();
    const title = page.getByRole("heading", { level: 1 });
    await expect.poll(() => title.textContent()).toBe("A story called constructor");
  });

  it("is not found if no story has it", async () => {
    const { page, go } = await open();
    for (const id of ["constructor", "toString", "__proto__"]) {
      const title = page.getByRole("heading", { level: 1 });
      await go(`/story/${id}`);
      await expect.poll(() => title.textContent()).toBe("Story not found");
      await go(`/epic/${id}`);
      await expect.poll(() => title.textContent()).toBe("Epic not found");
    }
    await go("/story/checkout--prices/constructor");
    await page.getByRole("region", { name: /^Tasks/ }).waitFor();
  });

  it("of an unreadable story of an epic stays in the list and the graph", async () => {
    const { page, go } = await open({ entities: entities() });
    await go("/epic/constructor");
    const list = page.getByRole("region", { name: "Stories" });
    await list.getByRole("link", { name: /Missing or broken.*gone/ }).waitFor();
    const nodes = page.locator(".react-flow__node");
    await nodes.first().waitFor();
    expect(await nodes.getByText("Missing or broken").count()).toBe(1);
  });
});

describe("a page", () => {
  it("of a story with invalid files shows their problems", async () => {
    const shop = aShop();
    const problem = {
      story: "gift-cards",
      file: ".saga/stories/gift-cards/story.json",
      line: 3,
      message: "This is not valid JSON. Correct it here.",
    };
    const { page, server, go } = await open({
      entities: { ...shop, problems: { "gift-cards#0": problem } },
    });
    await go("/story/gift-cards");
    await page.getByRole("heading", { level: 1, name: "gift-cards" }).waitFor();
    await page.getByText("This is not valid JSON.").waitFor();
    server.change(
      { kind: "problems", id: "gift-cards#0", value: null },
      { kind: "stories", id: "gift-cards", value: aCard("gift-cards", "Gift cards", "ready") },
    );
    const title = page.getByRole("heading", { level: 1 });
    await expect.poll(() => title.textContent()).toBe("Gift cards");
  });

  it("that cannot be loaded shows an error, and other pages still work", async () => {
    const { page, go } = await open();
    await page.route(/assets\/timeline.*\.js/, (route) => route.fulfill({ status: 404 }));
    await go("/");
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    const alert = page.getByRole("alert");
    await alert.getByText("This page cannot be shown.").waitFor();
    await alert.getByRole("button", { name: "Reload the page" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.getByRole("heading", { name: "Stories" }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  it("of a diff with two hundred files opens a few, and lists files that are too large", async () => {
    const { page, go } = await open();
    const paths = Array.from({ length: 200 }, (_, at) => `src/file-${at}.txt`);
    const lines = Array.from({ length: 100 }, (_, at) => `+line ${at}\n`).join("");
    const diff = paths.map(
      (path) =>
        `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,100 @@\n${lines}`,
    );
    const files = [...paths, "package-lock.json"].map((path) => ({ path, added: 100, removed: 0 }));
    await page.route("**/api/story/checkout--prices/diff", (route) =>
      route.fulfill({ json: { diff: diff.join(""), isCut: true, files } satisfies StoryDiff }),
    );
    await go("/story/checkout--prices/diff");
    await page.getByText("package-lock.json").waitFor();
    const fileNames = page.locator("button[data-row][aria-expanded]");
    expect(await fileNames.count()).toBe(200);
    const openFiles = page.locator("button[data-row][aria-expanded=true]");
    expect(await openFiles.count()).toBe(30);
    expect(await page.locator("tr").count()).toBe(3000);
    await page.getByText("src/file-199.txt").click();
    await openFiles.getByText("src/file-199.txt").waitFor();
    await expect.poll(() => page.locator("tr").count()).toBe(3100);
  });

  it("is not wider than a phone, with any text in a story", async () => {
    const { page, go } = await open({ viewport: PHONE });
    await page.route("**/api/story/checkout--prices", async (route) => {
      const response = await route.fetch();
      const detail = (await response.json()) as StoryDetail;
      const wide = "wide ".repeat(300);
      const description = `\`\`\`\n${wide}\n\`\`\`\n\n| ${wide} |\n|-|\n| x |\n\n${"W".repeat(400)}`;
      await route.fulfill({ response, json: { ...detail, description, checks: [wide] } });
    });
    await go("/story/checkout--prices");
    await page.locator("pre").first().waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(PHONE.width);
  });
});

describe("an action", () => {
  it("that fails shows the error in its dialog", async () => {
    const { page, server, go } = await open();
    server.answer = () => ({ isOk: false, message: "The story is running.", hint: "Stop it." });
    await go("/story/accounts--sign-in");
    await page.getByRole("button", { name: "Send back…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("What should change?").fill("Everything.");
    await dialog.getByRole("button", { name: "Send back", exact: true }).click();
    await dialog.getByRole("alert").getByText("The story is running.").waitFor();
    server.answer = () => ({ isOk: true, text: "Sent back.", json: {} });
    await dialog.getByRole("button", { name: "Send back", exact: true }).click();
    await page.getByText("Sent back.").waitFor();
    expect(await dialog.count()).toBe(0);
  });

  it("that removes its own button keeps the keyboard focus on the page", async () => {
    const { page, server, go } = await open();
    await go("/story/accounts--profile");
    const button = page.getByRole("button", { name: "Discard…" });
    await page.route("**/api/act", async (route) => {
      const value = aCard("accounts--profile", "A profile page", "pending");
      server.change({ kind: "stories", id: value.id, value });
      await page.locator("button", { hasText: "Discard…" }).waitFor({ state: "detached" });
      await route.continue();
    });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.getByText("discard is done.").waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  });

  it("runs once on a double click", async () => {
    const { page, server, go } = await open();
    await go("/epic/accounts");
    await page.getByRole("button", { name: "Run the epic" }).dblclick();
    await page.getByText("epic-run is done.").waitFor();
    expect(server.actions).toEqual([{ act: "epic-run", epic: "accounts", parallel: 1 }]);
  });

  it("of the palette asks how many stories to run at once", async () => {
    const { page, server, go } = await open();
    await go("/");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("run accounts");
    await page.getByRole("option", { selected: true, name: /^Run .*…/ }).waitFor();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Stories at once").fill("3");
    await page.keyboard.press("Enter");
    await page.getByText("epic-run is done.").waitFor();
    expect(server.actions).toEqual([{ act: "epic-run", epic: "accounts", parallel: 3 }]);
  });

  it("is not offered for a session of another project", async () => {
    const { page, server, go } = await open();
    await go("/sessions");
    const name = "saga-story-accounts--reset-1794843480000";
    const session = page.getByRole("article", { name });
    await session.getByRole("button", { name: "Stop…" }).waitFor();
    const card = aShop().sessions[name];
    server.change({ kind: "sessions", id: name, value: card ? { ...card, isHere: false } : null });
    await session.getByText("Another project").waitFor();
    expect(await session.getByRole("button", { name: "Stop…" }).count()).toBe(0);
  });

  it("answers the question that was shown, not a later one", async () => {
    const { page, server, go } = await open();
    await go("/story/checkout--payment");
    const form = page.getByRole("region", { name: "Open question" });
    await form.getByRole("textbox").fill("The first one.");
    const next = { question: "May it cost more?", blocker: "b9", openQuestions: 1 };
    const value = aCard("checkout--payment", "Pay by card", "blocked", next);
    server.change({ kind: "stories", id: value.id, value });
    await form.getByText("which is no longer open").waitFor();
    const answer = form.getByRole("button", { name: "Answer", exact: true });
    expect(await answer.isDisabled()).toBe(true);
    await form.getByRole("button", { name: "Use it for this question" }).click();
    await answer.click();
    await page.getByText("resolve is done.").waitFor();
    expect(server.actions).toMatchObject([{ act: "resolve", blocker: "b9" }]);
  });
});
