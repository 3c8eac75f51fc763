// Creating and changing stories, tasks and epics in a real browser.

import { expect, it } from "vitest";
import { PHONE, useBrowser } from "../support/browser.ts";
import { aCard } from "../support/page/fixture.ts";

const open = useBrowser();

it("c creates a story whose id follows its title, and starts it", async () => {
  const { page, server, go } = await open();
  server.answer = (action) => ({
    isOk: true,
    text: `${action.act} is done.`,
    json: { files: [{ kind: "story", id: "checkout--gift-cards" }] },
  });
  await go("/board");
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "New story" });
  await dialog.getByLabel("Title").fill("Gift cards!");
  await expect.poll(() => dialog.getByLabel("Id", { exact: true }).inputValue()).toBe("gift-cards");
  await dialog.getByLabel("Description").fill("Sell them.");
  await dialog.getByLabel("Epic").selectOption("Checkout");
  await dialog.getByText("Checks, files and more").click();
  await dialog.getByLabel("Checks, one per line").fill("npm test\nnpm run lint");
  await dialog.getByLabel("Priority").selectOption("1");
  await dialog.getByRole("button", { name: "Create and start" }).click();
  await page.getByText("run is done.").waitFor();
  expect(server.actions).toEqual([
    {
      act: "new-story",
      id: "gift-cards",
      epic: "checkout",
      title: "Gift cards!",
      description: "Sell them.",
      checks: ["npm test", "npm run lint"],
      priority: 1,
    },
    { act: "run", story: "checkout--gift-cards" },
  ]);
});

it("keeps what was typed and shows the command's error; a bad id is refused at once", async () => {
  const { page, server, go } = await open({ viewport: PHONE, hasTouch: true });
  server.answer = () => ({ isOk: false, message: "The story cart already exists." });
  await go("/stories");
  await page.getByRole("button", { name: "New story" }).tap();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Cart");
  await dialog.getByLabel("Description").fill("Again.");
  await dialog.getByRole("button", { name: "Create", exact: true }).tap();
  await dialog.getByText("The story cart already exists.").waitFor();
  expect(await dialog.getByLabel("Description").inputValue()).toBe("Again.");
  await dialog.getByLabel("Id", { exact: true }).fill("Cart 2");
  await dialog.getByText("The id may only contain").waitFor();
  expect(await dialog.getByRole("button", { name: "Create", exact: true }).isDisabled()).toBe(true);
});

it("changes only the fields that a person edited, of a story, a task and an epic", async () => {
  const { page, server, go } = await open();
  await go("/story/checkout--payment");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Edit…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title").fill("Pay by card or voucher");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("edit is done.").first().waitFor();
  await page.locator("summary", { hasText: "Charge exactly once" }).click();
  await page.getByRole("button", { name: "Edit…" }).click();
  await dialog.getByLabel("Subject").fill("Charge once");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.goto(`${server.address}/epic/checkout`);
  await page.getByRole("button", { name: "Edit…" }).click();
  await dialog.getByLabel("Title").fill("People");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(server.actions).toEqual([
    {
      act: "edit",
      kind: "story",
      id: "checkout--payment",
      set: [{ field: "title", value: "Pay by card or voucher" }],
    },
    {
      act: "edit",
      kind: "task",
      id: "checkout--payment/charge",
      set: [{ field: "subject", value: "Charge once" }],
    },
    { act: "edit", kind: "epic", id: "checkout", set: [{ field: "title", value: "People" }] },
  ]);
});

it("moves an archived story back", async () => {
  const { page, server, go } = await open();
  await go("/story/checkout--cart");
  const value = aCard("checkout--cart", "Cart", "completed", { isArchived: true });
  server.change({ kind: "stories", id: "checkout--cart", value });
  await page.getByRole("button", { name: "Unarchive" }).click();
  await page.getByText("unarchive is done.").waitFor();
  expect(server.actions).toEqual([{ act: "unarchive", story: "checkout--cart" }]);
});

it("removes an epic after a confirmation that names its stories", async () => {
  const { page, server, go } = await open();
  await go("/epic/accounts");
  await page.getByRole("button", { name: "Remove…" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove Accounts?" });
  await dialog.getByText(/stories are kept, without an epic/).waitFor();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("remove-epic is done.").waitFor();
  expect(server.actions).toEqual([{ act: "remove-epic", epic: "accounts", keepStories: true }]);
});
