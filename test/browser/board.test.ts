// The board in a real browser: columns, groups, actions on cards, the keyboard, and one column on a phone.

import { expect, it } from "vitest";
import { PHONE, useBrowser } from "../support/browser.ts";
import { aCard } from "../support/page/fixture.ts";

const open = useBrowser();
type Page = Awaited<ReturnType<typeof open>>["page"];

const cardsIn = (page: Page, column: string): Promise<(string | null)[]> =>
  page
    .getByRole("list", { name: column, exact: true })
    .getByRole("article")
    .evaluateAll((cards) => cards.map((card) => card.getAttribute("aria-label")));

it("shows each story in its column, with the actions of its state", async () => {
  const { page, server, go } = await open();
  await go("/board");
  await page.getByRole("article", { name: "Pay by card" }).waitFor();
  expect(await cardsIn(page, "Running")).toEqual([
    "Reset a forgotten password",
    "Prices with tax by country",
  ]);
  expect(await cardsIn(page, "Needs you")).toEqual(["Pay by card", "Pictures in modern formats"]);
  const review = page.getByRole("article", { name: "Sign in with mail and password" });
  expect(await review.textContent()).toContain("Medium risk");
  await page
    .getByRole("article", { name: "Index titles and authors" })
    .getByRole("button", { name: "Start" })
    .click();
  await page.getByText("run is done.").waitFor();
  expect(server.actions).toEqual([{ act: "run", story: "search--index" }]);
});

it("groups by epic in the address, and moves a card when its story changes", async () => {
  const { page, server, go } = await open();
  await go("/board");
  await page.getByLabel("Group").selectOption("By epic");
  const lane = page.getByRole("region", { name: "Accounts" });
  await lane.getByRole("article", { name: "Change name and mail" }).waitFor();
  expect(page.url()).toBe(`${server.address}/board?by=epic`);
  expect(await lane.getByRole("article").count()).toBe(4);
  await page.reload();
  await page.getByRole("region", { name: "Without an epic" }).waitFor();
  const value = aCard("accounts--profile", "Change name and mail", "review", { epic: "accounts" });
  server.change({ kind: "stories", id: "accounts--profile", value });
  const review = lane.getByRole("list", { name: "Review" });
  await review.getByRole("article", { name: "Change name and mail" }).waitFor();
});

it("is used with the arrow keys: down a column, across columns, and Enter opens", async () => {
  const { page, go } = await open();
  await go("/board");
  await page.getByRole("article", { name: "Pay by card" }).waitFor();
  await page.keyboard.press("j");
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  expect(await focused()).toBe("Change name and mail");
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("Index titles and authors");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await focused()).toBe("Pictures in modern formats");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Pictures in modern formats" }).waitFor();
});

it("shows one column on a phone, first the one that needs a person", async () => {
  const { page, go } = await open({ viewport: PHONE, hasTouch: true });
  await go("/board");
  await page.getByRole("article", { name: "Pay by card" }).waitFor();
  expect(await page.getByRole("article").count()).toBe(2);
  await page.getByRole("button", { name: "Review 1" }).tap();
  await page.getByRole("article", { name: "Sign in with mail and password" }).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("menuitem", { name: "Timeline" }).tap();
  await page.getByRole("heading", { level: 1, name: "Timeline" }).waitFor();
});
