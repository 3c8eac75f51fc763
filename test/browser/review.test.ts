// Reviewing a story's diff in a real browser: colours, comments that go back to the agent, and viewed marks.

import { expect, it } from "vitest";
import { PHONE, useBrowser } from "../support/browser.ts";
import { COMMITS, diffOf } from "../support/page/details.ts";

const open = useBrowser();
const DIFF = "/story/accounts--sign-in/diff";

it("sends comments on lines, files and the whole back as one task, and forgets them", async () => {
  const { page, server, go } = await open();
  await go(DIFF);
  await page.locator(".diff .token.keyword").first().waitFor();
  await page.getByRole("button", { name: "Side by side" }).click();
  await page.locator(".diff-split").first().waitFor();
  await page.locator(".diff-gutter-insert", { hasText: /^2$/ }).first().click();
  await page.getByLabel("Comment on line 2").fill("Import it lazily.");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Comment on src/prices/rates.ts" }).press("Enter");
  await page.getByLabel("Comment on src/prices/rates.ts").last().fill("Name the unit.");
  await page.getByLabel("Line (optional)").fill("4");
  await page.getByRole("button", { name: "Add comment" }).click();
  await page.reload();
  await page.getByText("2 comments. Kept in this browser").waitFor();
  await page.getByRole("link", { name: "Finish the review (2 comments)" }).click();
  await page.keyboard.type("Nearly there.");
  await page.getByRole("button", { name: "Send back and resume" }).click();
  await page.getByText("reject is done.").waitFor();
  expect(server.actions).toEqual([
    {
      act: "reject",
      story: "accounts--sign-in",
      why: [
        "Nearly there.",
        "`src/prices/rates.ts:4`\n> const rate = rates[country]?.[kind];\nName the unit.",
        '`src/prices/total.ts:2`\n> import { rateOf, type Rates } from "../rates.ts";\nImport it lazily.',
      ].join("\n\n"),
      run: true,
    },
  ]);
  await page.getByText("Click a line number to comment on it.").waitFor();
});

it("remembers viewed files until their content changes, and shows what is new since", async () => {
  const { page, server, go } = await open();
  const [first] = COMMITS;
  server.detail = { commits: first ? [first] : [] };
  await go(DIFF);
  await page.getByLabel("Viewed src/prices/total.ts").check();
  await page.getByLabel("Viewed src/prices/rates.ts").check();
  await page.getByText("2 of 2 viewed").waitFor();
  expect(await page.locator(".diff").count()).toBe(0);
  const { diff, ...rest } = diffOf(null, null);
  server.diff = { ...rest, diff: diff.replace("a042389", "b1b1b1b") };
  server.detail = { commits: COMMITS };
  await page.reload();
  await page.getByText("1 of 2 viewed").waitFor();
  await page.getByText("Changed since you viewed it").waitFor();
  delete server.diff;
  await page.getByRole("button", { name: "New since you looked" }).click();
  await page.getByText("1 file", { exact: true }).waitFor();
});

it("works on a phone, in one column", async () => {
  const { page, go } = await open({ viewport: PHONE, hasTouch: true });
  await go(DIFF);
  await page.locator(".diff").first().waitFor();
  expect(await page.getByRole("button", { name: "Side by side" }).count()).toBe(0);
  await page.locator(".diff-gutter-insert", { hasText: /^2$/ }).first().tap();
  await page.getByLabel("Comment on line 2").fill("Import it lazily.");
  await page.getByRole("button", { name: "Add comment" }).tap();
  await page.getByText("1 comment. Kept in this browser").waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(PHONE.width);
});

it.each(["full", "blocked"])("works in a browser whose storage is %s", async (kind) => {
  const { page, go } = await open();
  await page.addInitScript((how) => {
    const refuse = (): never => {
      throw new DOMException("No storage.", "SecurityError");
    };
    if (how === "full") Storage.prototype.setItem = refuse;
    else Object.defineProperty(window, "localStorage", { get: refuse });
  }, kind);
  await go(DIFF);
  await page.getByLabel("Viewed src/prices/total.ts").check();
  await page.getByText("1 of 2 viewed").waitFor();
  await page.getByRole("button", { name: "Side by side" }).click();
  await page.locator(".diff-split").first().waitFor();
  await page.locator(".diff-gutter-insert", { hasText: /^4$/ }).first().click();
  await page.getByLabel("Comment on line 4").fill("Name it.");
  await page.keyboard.press("Control+Enter");
  await page.getByText("1 comment. This browser cannot store them").waitFor();
  await page.getByRole("button", { name: "Theme: system. Switch to light" }).first().click();
  expect(await page.getByRole("button", { name: "Theme: light" }).count()).toBeGreaterThan(0);
});
