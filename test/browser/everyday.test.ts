// One step instead of two, notes, costs, notifications and search, in a real browser.

import { expect, it } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { aCard } from "../support/page/fixture.ts";

const open = useBrowser();

it("accepts and merges in one step, and asks about the checkout if it must be updated", async () => {
  const { page, server, go } = await open();
  server.detail = { mergeBlockers: [], missing: [] };
  server.answer = (action) =>
    action.act === "accept"
      ? { isOk: false, message: "Not merged.", question: "main is checked out. Update it?" }
      : { isOk: true, text: `${action.act} is done.`, json: {} };
  await go("/story/accounts--sign-in");
  await page.getByRole("button", { name: "Accept…" }).click();
  await page.getByRole("button", { name: "Accept and merge" }).click();
  await page.getByText("main is checked out. Update it?").waitFor();
  await page.getByRole("button", { name: "Merge and update your checkout" }).click();
  await page.getByText("merge is done.").waitFor();
  expect(server.actions).toEqual([
    { act: "accept", story: "accounts--sign-in", merge: true },
    { act: "merge", story: "accounts--sign-in", updateCheckout: true },
  ]);
});

it("sends a note to a running agent", async () => {
  const { page, server, go } = await open();
  await go("/story/checkout--prices");
  const box = page.getByLabel("Note to the agent");
  await box.fill("Keep the old route.");
  await box.press("Control+Enter");
  await page.getByText("note is done.").waitFor();
  expect(server.actions).toEqual([
    { act: "note", story: "checkout--prices", text: "Keep the old route." },
  ]);
  await expect.poll(() => box.inputValue()).toBe("");
});

it("shows costs by day, epic, story and model, and what is left of the budget", async () => {
  const { page, server, go } = await open();
  await go("/costs");
  await page.getByRole("img", { name: "$9.74 spent and $4.50 reserved of $20.00" }).waitFor();
  const stories = page.getByRole("region", { name: "By story" });
  expect(await stories.textContent()).toContain("auto-1");
  await stories.getByRole("link", { name: "checkout--payment" }).click();
  expect(page.url()).toBe(`${server.address}/story/checkout--payment`);
});

it("finds texts of journals and logs in the palette", async () => {
  const { page, server, go } = await open();
  await go("/");
  await page.keyboard.press("/");
  await page.keyboard.type("floating point");
  await page.getByRole("option", { name: /Log of checkout--payment/ }).waitFor();
  await page.getByRole("option", { name: /Journal of checkout--payment/ }).click();
  expect(page.url()).toBe(`${server.address}/story/checkout--payment/journal`);
});

it("notifies only after a person asked for it, about what is new, and while they look elsewhere", async () => {
  const { page, server, go } = await open({ permissions: ["notifications"] });
  await page.addInitScript(() => {
    const sent: string[] = [];
    class Fake extends EventTarget {
      static permission = "granted";
      static requestPermission = () => Promise.resolve("granted");
      constructor(title: string, { body }: { body: string }) {
        super();
        sent.push(`${title}: ${body}`);
      }
    }
    Object.assign(window, { Notification: Fake, sent });
    document.hasFocus = () => false;
  });
  const sent = () => page.evaluate(() => (window as unknown as { sent: string[] }).sent);
  const ask = (id: string): void => {
    const value = aCard(id, `Story ${id}`, "blocked", { question: "Which one?", openQuestions: 1 });
    server.change({ kind: "stories", id, value });
  };
  await go("/");
  expect(await page.title()).toMatch(/^\(4\) /);
  expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe("/favicon-waiting.svg");
  ask("first");
  await expect.poll(() => page.title()).toMatch(/^\(5\) /);
  expect(await sent()).toEqual([]);
  await page
    .getByRole("button", { name: /^Notify me in this browser/ })
    .last()
    .click();
  await page
    .getByRole("button", { name: /^Browser notifications are on/ })
    .last()
    .waitFor();
  ask("second");
  await expect.poll(sent).toEqual(["Story second: Which one?"]);
});
