// Agents and strangers write titles, logs, journals and diffs: the page shows them and never executes them.

import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.ts";
import { aCard, aShop } from "../support/page/fixture.ts";

const open = useBrowser();
const SCRIPT = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">`;
const TERMINAL = "\u001B]0;owned\u0007\u001B[2J\u001B[31mred\u001B[0m";

const FIELDS = {
  labels: [SCRIPT],
  question: `${SCRIPT} question`,
  openQuestions: 1,
  reason: SCRIPT,
  pr: "javascript:window.hacked=1",
  branch: `story/${SCRIPT}`,
  run: {
    id: "20261116T150100000Z-7f3a",
    startedAt: "2026-11-16T15:01:00.000Z",
    costUsd: 0,
    lastAction: { at: "2026-11-16T15:01:00.000Z", text: `${TERMINAL} ${SCRIPT}` },
  },
};
const TITLE = `${SCRIPT} title`;
const hostile = aCard("hostile", TITLE, "blocked", { ...FIELDS, isLegacy: true });

describe("hostile text", () => {
  it("is shown as text wherever a story appears", async () => {
    const entities = aShop();
    const story = aCard("hostile", TITLE, "blocked", FIELDS);
    const running = aCard("running", TITLE, "running", FIELDS);
    const { page, go } = await open({
      entities: { ...entities, stories: { ...entities.stories, hostile: story, running } },
    });
    await go("/");
    await page.getByText(`${SCRIPT} question`).waitFor();
    await page.getByText("red <script>").waitFor();
    expect(await page.locator("main").textContent()).not.toContain("\u001B");
    await go("/story/hostile");
    await page.getByRole("heading", { level: 1, name: `${SCRIPT} title` }).waitFor();
    expect(await page.getByRole("link", { name: /Pull request/ }).count()).toBe(0);
    expect(await page.getByText("javascript:window.hacked=1").count()).toBe(1);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("script title");
    await page
      .getByRole("option", { name: `${SCRIPT} title` })
      .first()
      .waitFor();
    expect(await isHacked(page)).toBe(false);
  });

  it("is shown as text in a log", async () => {
    const entities = aShop();
    const { page, server, go } = await open({
      entities: { ...entities, stories: { ...entities.stories, hostile } },
    });
    await go("/story/checkout--prices/log");
    const run = entities.stories["checkout--prices"]?.run?.id ?? "";
    await page.getByRole("log").waitFor();
    server.log("checkout--prices", run, [
      { at: "2026-11-16T15:20:00.000Z", type: "agent.said", text: `${TERMINAL} ${SCRIPT}` },
      { at: "2026-11-16T15:20:01.000Z", type: `<b>${SCRIPT}</b>` },
    ]);
    await page.getByText(`red ${SCRIPT}`).waitFor();
    expect(await page.getByRole("log").textContent()).not.toContain("\u001B");
    expect(await isHacked(page)).toBe(false);
  });

  it("is harmless in markdown: no HTML, no remote image, no script link", async () => {
    const { page, server, go } = await open();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    server.markdown = [
      SCRIPT,
      "[press](javascript:window.hacked=1) [data](data:text/html,<script>) [fine](https://example.org/)",
      "![pixel](https://tracker.example/pixel.png)",
      "<iframe src='https://tracker.example/'></iframe>",
    ].join("\n\n");
    await go("/story/old-imports");
    await page.getByRole("link", { name: "fine" }).waitFor();
    expect(await page.getByRole("link", { name: /press|data/ }).count()).toBe(0);
    expect(await page.locator("main img, main iframe, main script").count()).toBe(0);
    expect(await page.getByRole("link", { name: "fine" }).getAttribute("rel")).toBe("noreferrer");
    expect(await isHacked(page)).toBe(false);
    expect(requests.filter((url) => !url.startsWith(server.address))).toEqual([]);
  });
});

const isHacked = (page: Awaited<ReturnType<typeof open>>["page"]): Promise<boolean> =>
  page.evaluate(() => "hacked" in window);
