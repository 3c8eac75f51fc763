// The page of a story in a real browser: what it shows, and the actions that it sends.

import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.ts";

const open = useBrowser();

describe("a story", () => {
  it("shows its tasks with their details, as a list and as a graph", async () => {
    const { page, go } = await open();
    await go("/story/checkout--prices");
    await page.getByText("Price every line of a cart", { exact: true }).click();
    await page.locator("details[open]").getByText("Begin with the failing test.").waitFor();
    await page.getByRole("button", { name: "Graph" }).click();
    await expect.poll(() => page.locator(".react-flow__node").count()).toBe(5);
    await page.locator(".react-flow__node", { hasText: "show-tax" }).click();
    await expect.poll(() => page.url()).toContain("?task=show-tax");
  });

  it("has tabs with addresses, which work with the back button", async () => {
    const { page, server, go } = await open();
    await go("/story/accounts--sign-in");
    const textOfTab: Record<string, string> = {
      Diff: "All changes",
      Journal: "Amounts are integers in cents",
      Receipts: "Older receipts (1)",
      Runs: "Tokens in",
    };
    const tabs = page.getByRole("navigation", { name: "Story" });
    for (const [tab, text] of Object.entries(textOfTab)) {
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

  it("shows its whole diff and that of one commit", async () => {
    const { page, go } = await open();
    await go("/story/checkout--prices/diff");
    await page.getByText("2 files").waitFor();
    await page.getByRole("button", { name: "Rates by country and date" }).click();
    await page.getByText("1 file", { exact: true }).waitFor();
    expect(await page.locator(".diff").textContent()).toContain("export function rateOf");
  });

  it("is accepted only if every finding is overridden, with a reason", async () => {
    const { page, server, go } = await open();
    await go("/story/accounts--sign-in");
    await page.getByRole("button", { name: "Accept…" }).click();
    const dialog = page.getByRole("dialog");
    const accept = dialog.getByRole("button", { name: "Accept", exact: true });
    await dialog.getByText("a protected file was changed").waitFor();
    expect(await accept.isDisabled()).toBe(true);
    await dialog.getByRole("checkbox").check();
    await dialog.getByLabel("Why?").fill("The library had to be newer.");
    await accept.click();
    await page.getByText("accept is done.").waitFor();
    expect(server.actions).toEqual([
      {
        act: "accept",
        story: "accounts--sign-in",
        override: ["protected"],
        why: "The library had to be newer.",
      },
    ]);
  });

  it("is sent back with feedback, which stays in the form on an error", async () => {
    const { page, server, go } = await open();
    server.answer = () => ({
      isOk: false,
      message: "The story is running.",
      hint: "Stop it first.",
    });
    await go("/story/accounts--sign-in");
    await page.getByRole("button", { name: "Send back…" }).click();
    const field = page.getByLabel("What should change?");
    await field.fill("The form must keep what was typed.");
    await page.getByRole("dialog").getByRole("button", { name: "Send back", exact: true }).click();
    await page.getByText("The story is running.").waitFor();
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
    expect(server.actions.map(({ act }) => act)).toEqual(["merge", "verify"]);
  });

  it("in the older format is marked, rendered and read-only", async () => {
    const { page, go } = await open();
    await go("/story/old-imports");
    await page.getByText("Old format, read-only").waitFor();
    await page.getByText("Keep the old addresses alive").waitFor();
    await page.getByRole("cell", { name: "books.isbn13" }).waitFor();
    expect(await page.getByRole("button", { name: /Start|Discard|Accept/ }).count()).toBe(0);
  });
});
