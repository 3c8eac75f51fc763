// The page without a mouse.

import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { aShop } from "../support/page/fixture.ts";

const open = useBrowser();

describe("with the keyboard alone", () => {
  it("g and a letter open each page", async () => {
    const { page, go } = await open();
    await go("/");
    for (const [key, title] of [
      ["b", "Board"],
      ["s", "Stories"],
      ["p", "Pool"],
      ["n", "Sessions"],
      ["t", "Timeline"],
      ["c", "Costs"],
      ["h", "4 things need you"],
    ] as const) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
    }
    expect(await page.title()).toBe("(4) Home · bookshop · Saga");
  });

  it("j and k step through a list, Enter opens, and keys in a field type letters", async () => {
    const { page, server, go } = await open();
    await go("/stories");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await focusedText(page)).toContain("Pictures in modern formats");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Pictures in modern formats" }).waitFor();
    await page.goBack();
    await page.getByLabel("Filter stories").focus();
    await page.keyboard.type("gh/j?");
    expect(await page.getByLabel("Filter stories").inputValue()).toBe("gh/j?");
    expect(page.url()).toContain(`${server.address}/stories`);
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
  });

  it("j, k and Enter open a line of a long log", async () => {
    const { page, server, go } = await open();
    await go("/story/checkout--prices/log");
    await page.getByRole("log").waitFor();
    const run = aShop().stories["checkout--prices"]?.run?.id ?? "";
    const text = `${"wide".repeat(1000)} end of it`;
    server.log("checkout--prices", run, [
      { at: "2026-11-16T15:20:00.000Z", type: "agent.said", text },
    ]);
    await page.getByText("end of it").waitFor();
    await page.keyboard.press("k");
    const line = page.locator("[role=log] button:focus");
    await expect.poll(() => line.textContent()).toContain("end of it");
    expect(await line.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Enter");
    await expect.poll(() => line.getAttribute("aria-expanded")).toBe("true");
    const isCut = await line.evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(isCut).toBe(false);
  });

  it("the palette opens pages, runs actions, and returns the focus", async () => {
    const { page, server, go } = await open();
    await go("/");
    await page.keyboard.press("/");
    await page.keyboard.type("round once");
    await page.getByRole("option", { selected: true, name: /Round once/ }).waitFor();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.url())
      .toBe(`${server.address}/story/checkout--prices?task=round-half-even`);
    await page.locator("details[open]").getByText("round-half-even").waitFor();

    await page.keyboard.press("Control+k");
    await page.keyboard.type("stop");
    await page.getByRole("option", { selected: true, name: /Stop Prices with tax/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByText("stop is done.").waitFor();
    expect(server.actions).toEqual([{ act: "stop", story: "checkout--prices" }]);

    const copy = page.getByRole("button", { name: "Copy the story's id" });
    await copy.focus();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox").waitFor({ state: "detached" });
    expect(await copy.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it("? shows the shortcuts, and Esc closes them", async () => {
    const { page, go } = await open();
    await go("/");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    expect(await help.textContent()).toContain("Search or run a command");
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
  });

  it("Tab and Enter discard a story, with the focus always visible", async () => {
    const { page, server, go } = await open();
    await go("/story/faster-images");
    const outlines = new Set<string>();
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press("Tab");
      outlines.add(await outlineOfFocus(page));
      if ((await focusedText(page)) === "Discard…") break;
    }
    expect(outlines).not.toContain("none");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    while ((await focusedText(page)) !== "Discard") await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("discard is done.").waitFor();
    expect(server.actions).toEqual([{ act: "discard", story: "faster-images" }]);
  });

  it("the chosen theme survives a reload", async () => {
    const { page, go } = await open({ colorScheme: "light" });
    await go("/");
    const background = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).background);
    const light = await background();
    const theme = page.getByRole("button", { name: /^Theme/ }).last();
    await theme.press("Enter");
    await theme.press("Enter");
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await background()).toBe(dark);
  });
});

type Page = Awaited<ReturnType<typeof open>>["page"];

const focusedText = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? "");

const outlineOfFocus = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const focused = document.activeElement;
    return focused && focused !== document.body ? getComputedStyle(focused).outlineStyle : "page";
  });
