// Every page in a real browser: what it shows, and that what is done on it reaches the server as the right act.

import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { nothingYet } from "../support/page/fixture.ts";
import { before } from "../support/page/moment.ts";

const open = useBrowser();

describe("Home", () => {
  it("shows what needs a person first, and takes an answer on the spot", async () => {
    const { page, server, go } = await open();
    await go("/");
    const first = page.getByRole("region", { name: "Needs you" }).getByRole("article").first();
    expect(await first.textContent()).toContain("Should a declined card keep the order open");
    await first.getByRole("textbox").fill("Keep it open for 30 minutes.");
    await first.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByText("resolve is done.").waitFor();
    expect(server.acts).toEqual([
      {
        act: "resolve",
        story: "checkout--payment",
        blocker: "b2",
        answer: "Keep it open for 30 minutes.",
      },
    ]);
  });

  it("answers and resumes in one act", async () => {
    const { page, server, go } = await open();
    await go("/");
    const first = page.getByRole("region", { name: "Needs you" }).getByRole("article").first();
    await first.getByRole("textbox").fill("Keep it open.");
    await first.getByRole("button", { name: "Answer and resume" }).click();
    await page.getByText("resolve is done.").waitFor();
    expect(server.acts).toMatchObject([
      { act: "resolve", story: "checkout--payment", answer: "Keep it open.", run: true },
    ]);
  });

  it("has every story that a person can act on in its section, and the pool's workers", async () => {
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
    // Two stories, and two workers of the pool.
    expect(await page.locator("dl").innerText()).toMatch(/Running\s+4/);
  });

  it("resumes at once, and discards only after it was asked whether it is meant", async () => {
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
    expect(server.acts).toEqual([
      { act: "resume", story: "accounts--profile" },
      { act: "discard", story: "accounts--profile" },
    ]);
  });

  it("shows files that cannot be read, and the rest all the same", async () => {
    const { page, go } = await open();
    await go("/");
    const broken = page.getByRole("region", { name: "Broken files" });
    expect(await broken.textContent()).toContain("gift-cards/story.json:7");
  });

  it("of a project with nothing in it shows the commands to begin", async () => {
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
  it("is a graph that leads to its stories, and can be stopped", async () => {
    const { page, server, go } = await open();
    await go("/epic/checkout");
    await expect.poll(() => page.locator(".react-flow__edge").count()).toBe(5);
    await page.getByRole("button", { name: "Zoom In" }).click();
    await page.getByRole("button", { name: "Fit View" }).click();
    await page.getByRole("button", { name: "Stop the epic" }).click();
    await page.getByText("epic-stop is done.").waitFor();
    expect(server.acts).toEqual([{ act: "epic-stop", epic: "checkout" }]);
    await page.locator(".react-flow__node", { hasText: "Refund a part" }).click();
    await page.getByRole("heading", { level: 1, name: "Refund a part of an order" }).waitFor();
    expect(page.url()).toBe(`${server.address}/story/checkout--refund`);
  });

  it("is run with as many stories at once as a person says", async () => {
    const { page, server, go } = await open();
    await go("/epic/accounts");
    await page.getByLabel("Stories at once").fill("3");
    await page.getByRole("button", { name: "Run the epic" }).click();
    await page.getByText("epic-run is done.").waitFor();
    expect(server.acts).toEqual([{ act: "epic-run", epic: "accounts", parallel: 3 }]);
  });

  it("is run with merging, so that what waits for others can begin", async () => {
    const { page, server, go } = await open();
    await go("/epic/accounts");
    await page.getByLabel("Merge stories that pass").check();
    await page.getByRole("button", { name: "Run the epic" }).click();
    await page.getByText("epic-run is done.").waitFor();
    expect(server.acts).toEqual([{ act: "epic-run", epic: "accounts", parallel: 1, merge: true }]);
  });

  it("that does not exist says so", async () => {
    const { page, go } = await open();
    await go("/epic/nowhere");
    await page.getByRole("heading", { name: "Epic not found" }).waitFor();
    expect(await page.getByText("No epic has the id nowhere.").count()).toBe(1);
  });
});

describe("a story", () => {
  it("shows its tasks with what they ask for, as list and as graph", async () => {
    const { page, go } = await open();
    await go("/story/checkout--prices");
    await page.getByText("Price every line of a cart", { exact: true }).click();
    await page.locator("details[open]").getByText("Begin with the failing test.").waitFor();
    await page.getByRole("button", { name: "Graph" }).click();
    await expect.poll(() => page.locator(".react-flow__node").count()).toBe(5);
    await page.locator(".react-flow__node", { hasText: "show-tax" }).click();
    await expect.poll(() => page.url()).toContain("?task=show-tax");
  });

  it("has a tab for each side of it, with an address and the browser's back button", async () => {
    const { page, server, go } = await open();
    await go("/story/accounts--sign-in");
    const seen: Record<string, string> = {
      Diff: "All changes",
      Journal: "Amounts are integers in cents",
      Receipts: "Older receipts (1)",
      Runs: "Tokens in",
    };
    const tabs = page.getByRole("navigation", { name: "Story" });
    for (const [tab, text] of Object.entries(seen)) {
      await tabs.getByRole("link", { name: tab }).click();
      await page.getByText(text).first().waitFor();
      expect(page.url()).toBe(`${server.address}/story/accounts--sign-in/${tab.toLowerCase()}`);
    }
    await page.goBack();
    await page.getByText("Older receipts (1)").waitFor();
    await page.reload();
    await page.getByText("Older receipts (1)").click();
    await page.getByText("expected 429, got 200").waitFor();
  });

  it("shows the diff of all of it and of one commit", async () => {
    const { page, go } = await open();
    await go("/story/checkout--prices/diff");
    await page.getByText("2 files").waitFor();
    await page.getByRole("button", { name: "Rates by country and date" }).click();
    await page.getByText("1 file", { exact: true }).waitFor();
    expect(await page.locator(".diff").textContent()).toContain("export function rateOf");
  });

  it("is accepted only with every objection set aside, by name and with a reason", async () => {
    const { page, server, go } = await open();
    await go("/story/accounts--sign-in");
    await page.getByRole("button", { name: "Accept…" }).click();
    const dialog = page.getByRole("dialog");
    const accept = dialog.getByRole("button", { name: "Accept" });
    await dialog.getByText("a protected file was changed").waitFor();
    expect(await accept.isDisabled()).toBe(true);
    await dialog.getByRole("checkbox").check();
    await dialog.getByLabel("Why?").fill("The library had to be newer.");
    await accept.click();
    await page.getByText("accept is done.").waitFor();
    expect(server.acts).toEqual([
      {
        act: "accept",
        story: "accounts--sign-in",
        override: ["protected"],
        why: "The library had to be newer.",
      },
    ]);
  });

  it("is sent back with a reason; what was typed stays when the server refuses", async () => {
    const { page, server, go } = await open();
    server.answer = () => ({
      isOk: false,
      message: "Somebody works on it.",
      hint: "Stop it first.",
    });
    await go("/story/accounts--sign-in");
    await page.getByRole("button", { name: "Send back…" }).click();
    const field = page.getByLabel("What should change?");
    await field.fill("The form must keep what was typed.");
    await page.getByRole("dialog").getByRole("button", { name: "Send back", exact: true }).click();
    await page.getByText("Somebody works on it.").waitFor();
    expect(await page.getByText("Stop it first.").count()).toBe(1);
    expect(await field.inputValue()).toBe("The form must keep what was typed.");
  });

  it("is merged and verified from its menu", async () => {
    const { page, server, go } = await open();
    await go("/story/accounts--sign-in");
    await page.getByRole("button", { name: "Merge" }).click();
    await page.getByText("merge is done.").waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Verify" }).click();
    await page.getByText("verify is done.").waitFor();
    expect(server.acts.map(({ act }) => act)).toEqual(["merge", "verify"]);
  });

  it("in the older form is marked, rendered, and has nothing to press", async () => {
    const { page, go } = await open();
    await go("/story/old-imports");
    await page.getByText("Old format, read-only").waitFor();
    await page.getByText("Keep the old addresses alive").waitFor();
    await page.getByRole("cell", { name: "books.isbn13" }).waitFor();
    expect(await page.getByRole("button", { name: /Start|Discard|Accept/ }).count()).toBe(0);
  });
});

describe("the other pages", () => {
  it("Stories are filtered, and the filter is in the address", async () => {
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

  it("Pool adds tasks and answers the question of one", async () => {
    const { page, server, go } = await open();
    await go("/pool");
    await page.getByRole("button", { name: "Add a task" }).click();
    await page.getByLabel("What should be done?").fill("Update the logo");
    await page.getByLabel("Label", { exact: true }).last().fill("docs");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("task-add is done.").waitFor();
    const asked = page.getByRole("region", { name: "Needs you" });
    await asked.getByRole("button", { name: "Answer…" }).click();
    await page.getByLabel("Answer (optional)").fill("The one in Frankfurt.");
    await page.getByRole("dialog").getByRole("button", { name: "Answer" }).click();
    await page.getByText("task-release is done.").waitFor();
    expect(server.acts).toEqual([
      { act: "task-add", subject: "Update the logo", label: "docs", priority: 3 },
      { act: "task-release", task: "17", answer: "The one in Frankfurt." },
    ]);
  });

  it("Sessions are stopped after a question, by their exact name", async () => {
    const { page, server, go } = await open();
    await go("/sessions");
    const session = page.getByRole("article", { name: /accounts--reset/ });
    await session.getByRole("button", { name: "Stop…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop the session" }).click();
    await page.getByText("session-stop is done.").waitFor();
    expect(server.acts).toEqual([
      { act: "session-stop", session: "saga-story-accounts--reset-1794843480000" },
    ]);
  });

  it("Sessions name the epic whose run they are, and lead to it", async () => {
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

  it("an address that is none says so", async () => {
    const { page, go } = await open();
    await go("/nonsense/here");
    expect(await page.getByRole("heading", { name: "Page not found" }).count()).toBe(1);
  });
});
