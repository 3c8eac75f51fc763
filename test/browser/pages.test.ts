// Every page in a real browser: what it shows, and the actions that it sends.

import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { nothingYet } from "../support/page/fixture.ts";
import { before } from "../support/page/moment.ts";

const open = useBrowser();

describe("Home", () => {
  it("shows what needs a person first, and sends an answer", async () => {
    const { page, server, go } = await open();
    await go("/");
    const first = page.getByRole("region", { name: "Needs you" }).getByRole("article").first();
    expect(await first.textContent()).toContain("Should a declined card keep the order open");
    await first.getByRole("textbox").fill("Keep it open for 30 minutes.");
    await first.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByText("resolve is done.").waitFor();
    expect(server.actions).toEqual([
      {
        act: "resolve",
        story: "checkout--payment",
        blocker: "b2",
        answer: "Keep it open for 30 minutes.",
      },
    ]);
  });

  it("answers and resumes in one action", async () => {
    const { page, server, go } = await open();
    await go("/");
    const first = page.getByRole("region", { name: "Needs you" }).getByRole("article").first();
    await first.getByRole("textbox").fill("Keep it open.");
    await first.getByRole("button", { name: "Answer and resume" }).click();
    await page.getByText("resolve is done.").waitFor();
    expect(server.actions).toMatchObject([
      { act: "resolve", story: "checkout--payment", answer: "Keep it open.", run: true },
    ]);
  });

  it("shows stories in the section of their next action, and the pool's workers", async () => {
    const { page, go } = await open();
    await go("/");
    const rowsOf = async (name: string): Promise<(string | null)[]> => {
      const rows = page.getByRole("region", { name }).getByRole("article");
      await rows.first().waitFor();
      return Promise.all((await rows.all()).map((row) => row.getAttribute("aria-label")));
    };
    expect(await rowsOf("Ready to continue")).toEqual(["Change name and mail"]);
    expect(await rowsOf("Ready to start")).toEqual(["Index titles and authors"]);
    expect(await rowsOf("Running now")).toEqual([
      "Prices with tax by country",
      "Reset a forgotten password",
      "Upgrade the mail library",
      expect.any(String),
    ]);
    // Two stories and two workers of the pool.
    expect(await page.locator("dl").innerText()).toMatch(/Running\s+4/);
  });

  it("resumes at once, and discards after a confirmation", async () => {
    const { page, server, go } = await open();
    await go("/");
    const row = page.getByRole("article", { name: "Change name and mail" });
    await row.getByRole("button", { name: "Resume" }).click();
    await row.getByRole("button", { name: "Discard…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("saga snapshot restore").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await row.getByRole("button", { name: "Discard…" }).click();
    await dialog.getByRole("button", { name: "Discard" }).click();
    await page.getByText("discard is done.").waitFor();
    expect(server.actions).toEqual([
      { act: "resume", story: "accounts--profile" },
      { act: "discard", story: "accounts--profile" },
    ]);
  });

  it("shows invalid files beside everything else", async () => {
    const { page, go } = await open();
    await go("/");
    const broken = page.getByRole("region", { name: "Broken files" });
    expect(await broken.textContent()).toContain("gift-cards/story.json:7");
  });

  it("of an empty project shows the first commands", async () => {
    const { page, go } = await open({
      entities: nothingYet(),
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await go("/");
    await page.getByRole("button", { name: "Copy saga run add-login" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("saga run add-login");
  });
});

describe("an epic", () => {
  it("has a graph with links to its stories, and can be stopped", async () => {
    const { page, server, go } = await open();
    await go("/epic/checkout");
    await expect.poll(() => page.locator(".react-flow__edge").count()).toBe(5);
    await page.getByRole("button", { name: "Zoom In" }).click();
    await page.getByRole("button", { name: "Fit View" }).click();
    await page.getByRole("button", { name: "Stop the epic" }).click();
    await page.getByText("epic-stop is done.").waitFor();
    expect(server.actions).toEqual([{ act: "epic-stop", epic: "checkout" }]);
    await page.locator(".react-flow__node", { hasText: "Refund a part" }).click();
    await page.getByRole("heading", { level: 1, name: "Refund a part of an order" }).waitFor();
    expect(page.url()).toBe(`${server.address}/story/checkout--refund`);
  });

  it("runs the given number of stories at once", async () => {
    const { page, server, go } = await open();
    await go("/epic/accounts");
    await page.getByLabel("Stories at once").fill("3");
    await page.getByRole("button", { name: "Run the epic" }).click();
    await page.getByText("epic-run is done.").waitFor();
    expect(server.actions).toEqual([{ act: "epic-run", epic: "accounts", parallel: 3 }]);
  });

  it("runs with merging", async () => {
    const { page, server, go } = await open();
    await go("/epic/accounts");
    await page.getByLabel("Merge stories that pass").check();
    await page.getByRole("button", { name: "Run the epic" }).click();
    await page.getByText("epic-run is done.").waitFor();
    expect(server.actions).toEqual([
      { act: "epic-run", epic: "accounts", parallel: 1, merge: true },
    ]);
  });

  it("that does not exist is not found", async () => {
    const { page, go } = await open();
    await go("/epic/nowhere");
    await page.getByRole("heading", { name: "Epic not found" }).waitFor();
    expect(await page.getByText("No epic has the id nowhere.").count()).toBe(1);
  });
});

describe("the other pages", () => {
  it("Stories keeps its filter in the address", async () => {
    const { page, server, go } = await open();
    await go("/stories");
    await page.getByLabel("Filter stories").fill("mail");
    await expect.poll(() => page.getByRole("listitem").count()).toBe(3);
    await page.getByLabel("State").selectOption("review");
    await expect.poll(() => page.getByRole("listitem").count()).toBe(1);
    expect(page.url()).toBe(`${server.address}/stories?state=review&search=mail`);
    await page.reload();
    await expect.poll(() => page.getByRole("listitem").count()).toBe(1);
  });

  it("Pool adds a task and answers the question of another", async () => {
    const { page, server, go } = await open();
    await go("/pool");
    await page.getByRole("button", { name: "Add a task" }).click();
    await page.getByLabel("What should be done?").fill("Update the logo");
    await page.getByLabel("Label", { exact: true }).last().fill("docs");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("task-add is done.").waitFor();
    const section = page.getByRole("region", { name: "Needs you" });
    await section.getByRole("button", { name: "Answer…" }).click();
    await page.getByLabel("Answer (optional)").fill("The one in Frankfurt.");
    await page.getByRole("dialog").getByRole("button", { name: "Answer" }).click();
    await page.getByText("task-release is done.").waitFor();
    expect(server.actions).toEqual([
      { act: "task-add", subject: "Update the logo", label: "docs", priority: 3 },
      { act: "task-release", task: "17", answer: "The one in Frankfurt." },
    ]);
  });

  it("Sessions stops a session by its exact name, after a confirmation", async () => {
    const { page, server, go } = await open();
    await go("/sessions");
    const session = page.getByRole("article", { name: /accounts--reset/ });
    await session.getByRole("button", { name: "Stop…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop the session" }).click();
    await page.getByText("session-stop is done.").waitFor();
    expect(server.actions).toEqual([
      { act: "session-stop", session: "saga-story-accounts--reset-1794843480000" },
    ]);
  });

  it("Sessions links to the epic of an epic run", async () => {
    const { page, server, go } = await open();
    await go("/sessions");
    const name = "saga-epic-checkout-1794843480000";
    const value = {
      name,
      epic: "checkout",
      startedAt: before(5),
      attach: "tmux",
      isHere: true,
    };
    server.change({ kind: "sessions", id: name, value });
    const session = page.getByRole("article", { name });
    await session.getByRole("link", { name: /^Epic run: / }).click();
    expect(page.url()).toBe(`${server.address}/epic/checkout`);
  });

  it("Timeline has a bar for every run", async () => {
    const { page, go } = await open();
    await go("/timeline");
    await page.getByText("10 runs").waitFor();
    expect(await page.locator("main rect").count()).toBe(10);
    await page.getByRole("button", { name: "Month" }).click();
    await page.getByText("10 runs").waitFor();
    await page.getByRole("img", { name: /^Running, .*, 23m, \$1\.84$/ }).waitFor();
  });

  it("an unknown address is not found", async () => {
    const { page, go } = await open();
    await go("/nonsense/here");
    expect(await page.getByRole("heading", { name: "Page not found" }).count()).toBe(1);
  });
});
