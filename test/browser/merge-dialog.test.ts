// A merge into a branch that is checked out, started on the page with the real server.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { useChromium } from "../support/browser.ts";
import { quietEnv, startTestDashboard } from "../support/dashboard.ts";
import { deliveredEpic } from "../support/delivered-epic.ts";
import { newFolder } from "../support/project.ts";
import { root } from "../support/programs.ts";
import type { TestRepository } from "../support/repository.ts";

const newPage = useChromium();
const pageFolder = join(root, "dist/dashboard");

interface MergePage {
  readonly test: TestRepository;
  readonly page: Page;
  readonly merge: Locator;
  readonly dialog: Locator;
  readonly confirm: Locator;
}

/** The page of an epic that awaits its merge, while `main` is checked out. */
async function onMergePage(checks?: string[]): Promise<MergePage> {
  const test = deliveredEpic({ ...(checks && { checks }) });
  const env = { ...quietEnv(test), ...test.env };
  const { port, key } = await startTestDashboard(test, { pageFolder, env });
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${port}/?key=${key}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.goto(`http://127.0.0.1:${port}/epic/shop`);
  const dialog = page.getByRole("dialog", { name: "Merge and update your checkout" });
  return {
    test,
    page,
    dialog,
    merge: page.getByRole("button", { name: "Merge the epic" }),
    confirm: dialog.getByRole("button", { name: "Merge and update your checkout" }),
  };
}

const FILE = "src/main.ts";
const MINE = "export const mine = 1;\n";

it("asks before it runs a check or updates the checkout, and changes nothing without a yes", async () => {
  const log = join(newFolder().path, "checks");
  const { test, page, merge, dialog, confirm } = await onMergePage([`echo run >> '${log}'`]);
  const was = test.git("rev-parse", "main");
  await merge.click();
  await dialog.getByText(`main is checked out in ${test.path}.`).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(test.git("rev-parse", "main")).toBe(was);
  expect(existsSync(log)).toBe(false);
  await merge.click();
  await confirm.click();
  await page.getByText(/^Merged (?:epic )?shop\.$/).waitFor();
  await merge.waitFor({ state: "detached" });
  expect(test.git("rev-parse", "main")).not.toBe(was);
  expect(test.read("pay.txt")).toBe("pay\n");
  expect(test.git("status", "--porcelain")).toBe("");
});

it("refuses a dirty checkout without a question, and says what to do", async () => {
  const { test, page, merge, dialog } = await onMergePage();
  const was = test.git("rev-parse", "main");
  test.write(FILE, MINE);
  await merge.click();
  const answer = page.getByRole("status", { name: "Notifications" });
  await answer.getByText(`Commit or stash the changes in ${test.path}`).waitFor();
  expect(await dialog.count()).toBe(0);
  expect(test.git("rev-parse", "main")).toBe(was);
  expect(test.read(FILE)).toBe(MINE);
});

it("refuses a checkout that became dirty during the question, and accepts the same yes once it is clean", async () => {
  const { test, page, merge, dialog, confirm } = await onMergePage();
  const was = test.git("rev-parse", "main");
  await merge.click();
  await confirm.waitFor();
  test.write(FILE, MINE);
  await confirm.click();
  await dialog.getByText(`Commit or stash the changes in ${test.path}`).waitFor();
  expect(test.git("rev-parse", "main")).toBe(was);
  expect(test.read(FILE)).toBe(MINE);
  test.git("checkout", "--quiet", "--", FILE);
  await confirm.click();
  await page.getByText(/^Merged (?:epic )?shop\.$/).waitFor();
  expect(test.read("cart.txt")).toBe("cart\n");
});
