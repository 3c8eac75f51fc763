// The built page with the real server, a real project, a real worker and the scripted model.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useChromium } from "../support/browser.ts";
import { startTestDashboard } from "../support/dashboard.ts";
import { root } from "../support/programs.ts";
import { anEpic, aStory, aTask, newProject } from "../support/project.ts";
import { newStage, STORY } from "../support/stage.ts";

const newPage = useChromium();
const pageFolder = join(root, "dist/dashboard");

describe("the page with its real server", () => {
  it("is locked without the key, opens with it, and stays open", async () => {
    const project = newProject();
    const { port, key } = await startTestDashboard(project, { pageFolder });
    const address = `http://127.0.0.1:${port}/`;
    const page = await newPage();
    await page.goto(address);
    await page.getByRole("heading", { name: "This link needs its key" }).waitFor();
    await page.goto(`${address}?key=${key}`);
    await page.getByRole("heading", { name: "Nothing here yet" }).waitFor();
    expect(page.url()).toBe(address);
    await page.reload();
    await page.getByRole("heading", { name: "Nothing here yet" }).waitFor();
  });

  it("shows a question with the explanation of its agent", async () => {
    const project = newProject();
    project.write(`.saga/stories/${STORY}/story.json`, aStory(STORY));
    const body = "Both would **do**.";
    await project.saga("journal", STORY, "--blocker", "Which database?", "--body", body);
    const { port, key } = await startTestDashboard(project, { pageFolder });
    const page = await newPage();
    await page.goto(`http://127.0.0.1:${port}/?key=${key}`);
    await page.getByText("Which database?").waitFor();
    await page.goto(`http://127.0.0.1:${port}/story/${STORY}`);
    const question = page.getByRole("region", { name: "Open question" });
    await question.getByText("Which database?").waitFor();
    await question.locator("strong", { hasText: "do" }).waitFor();
    expect(await question.innerText()).toContain("Both would do.");
  });

  it("shows changes on disk, and writes the answer to a question", async () => {
    const project = newProject();
    project.write(`.saga/stories/${STORY}/story.json`, aStory(STORY));
    project.write(`.saga/stories/${STORY}/form.json`, aTask("form"));
    const { port, key } = await startTestDashboard(project, { pageFolder });
    const page = await newPage();
    await page.goto(`http://127.0.0.1:${port}/?key=${key}`);
    await page.getByRole("heading", { name: "1 story ready to start" }).waitFor();
    await project.saga("journal", STORY, "--blocker", "Which database?");
    const row = page.getByRole("region", { name: "Needs you" }).getByRole("article");
    await row.getByText("Which database?").waitFor();
    await row.getByRole("textbox").fill("PostgreSQL.");
    await row.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByText(`Answered. ${STORY} continues with its next run.`).waitFor();
    expect(project.read(`.saga/stories/${STORY}/journal.md`)).toContain(
      "Resolution b1: PostgreSQL.",
    );
    project.write(".saga/stories/broken/story.json", "{ not json");
    await page
      .getByRole("region", { name: "Broken files" })
      .getByText("broken/story.json")
      .waitFor();
  });

  it("shows a story in the older format with the state of its file, not as unfinished", async () => {
    const project = newProject();
    const front =
      "title: Old one\nstatus: in-progress\ntasks:\n  - id: t1\n    status: in_progress";
    project.write(".saga/stories/old.md", `---\n${front}\n---\n`);
    const { port, key } = await startTestDashboard(project, { pageFolder });
    const page = await newPage();
    const marks = (word: string) => page.locator("main").getByRole("img", { name: word });
    await page.goto(`http://127.0.0.1:${port}/?key=${key}`);
    await page.getByRole("region", { name: "Stories without an epic" }).waitFor();
    await marks("In progress").waitFor();
    await page.goto(`http://127.0.0.1:${port}/story/old`);
    await page.getByText("Old format, read-only").waitFor();
    expect(await marks("In progress").count()).toBe(1);
    expect(await marks("Interrupted").count()).toBe(0);
    await page.goto(`http://127.0.0.1:${port}/stories?state=in-progress`);
    await page
      .locator("main")
      .getByRole("link", { name: /Old one/ })
      .waitFor();
  });

  it("runs and stops an epic, and stops and discards the story that it started", async () => {
    const stage = await newStage({ script: () => ({ kind: "hang" }) });
    stage.write(".saga/epics/shop/epic.json", anEpic("shop", [{ id: "shop--cart" }]));
    stage.write(".saga/stories/shop--cart/story.json", aStory("shop--cart", { epic: "shop" }));
    stage.write(".saga/stories/shop--cart/add.json", aTask("add"));
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=Plan");
    const { port, key } = await startTestDashboard(stage, { pageFolder, env: stage.env });
    const page = await newPage();
    await page.goto(`http://127.0.0.1:${port}/?key=${key}`);
    await page.getByText("target: main").last().waitFor();
    await page.goto(`http://127.0.0.1:${port}/epic/shop`);
    await page.getByRole("button", { name: "Run the epic" }).click();
    await page.getByText("Running epic shop.").waitFor();
    await page.locator("main").getByRole("img", { name: "Running" }).first().waitFor();
    await page.getByRole("button", { name: "Stop the epic" }).click();
    await page.getByText("Stopped the run of shop.").waitFor();

    await page.goto(`http://127.0.0.1:${port}/story/shop--cart`);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped shop--cart. Its work is kept.").waitFor();
    await page.getByRole("button", { name: "Discard…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.getByText("Discarded the work on shop--cart. A snapshot is saved.").waitFor();
    await page.getByRole("button", { name: "Start" }).waitFor();
    expect(stage.sessions()).toEqual([]);
    await page.getByRole("region", { name: "Snapshots" }).waitFor();
    await page.getByRole("button", { name: "Restore", exact: true }).first().click();
    await page.getByText(/^Restored snapshot \d+ of shop--cart\.$/).waitFor();
    expect(existsSync(join(stage.path, ".saga/worktrees/shop--cart"))).toBe(true);
  });

  it("explains receipts sealed with another key, and how to run the gate again", async () => {
    const stage = await newStage();
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=Plan");
    expect(await stage.work()).toMatchObject({ exitCode: 0 });
    const sealed = (await stage.events("gate")).length;
    // The same person, on a machine with another key.
    const env = { ...stage.env, XDG_STATE_HOME: join(stage.home, "other-state") };
    const { port, key } = await startTestDashboard(stage, { pageFolder, env });
    const page = await newPage();
    await page.goto(`http://127.0.0.1:${port}/?key=${key}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goto(`http://127.0.0.1:${port}/story/${STORY}`);
    const note = page.getByRole("note");
    await note.getByText(`saga run ${STORY}`).waitFor();
    await page.goto(`http://127.0.0.1:${port}/story/${STORY}/receipts`);
    await note.getByText(/^\d+ check results? cannot be verified/).waitFor();
    expect(await note.textContent()).toMatch(new RegExp(`^${sealed} check result`));
    expect(await page.getByText("No checks have run").count()).toBe(0);

    // The advice works.
    const again = await stage.sagaWithEnv(env, "run", STORY, "--foreground");
    expect(again.exitCode, again.stderr).toBe(0);
    await page.getByText("Ready to merge").waitFor();
    expect(await note.textContent()).toMatch(/with this machine's key\.$/);
  });

  it("takes a story from start to merge: log, diff, receipts, approval", async () => {
    const stage = await newStage();
    stage.git("add", "--all");
    stage.git("commit", "--quiet", "--message=Plan");
    const { port, key } = await startTestDashboard(stage, { pageFolder, env: stage.env });
    const page = await newPage();
    await page.goto(`http://127.0.0.1:${port}/?key=${key}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goto(`http://127.0.0.1:${port}/story/${STORY}`);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("button", { name: "Accept…" }).waitFor({ timeout: 50_000 });

    const tab = (name: string) =>
      page.getByRole("navigation", { name: "Story" }).getByRole("link", { name }).click();
    await tab("Log");
    await page.getByRole("button", { name: /^Tasks/ }).click();
    await page.getByText("`form` is completed").waitFor();
    await tab("Diff");
    await page.locator(".diff").first().waitFor();
    await tab("Receipts");
    await page.getByText("Diff", { exact: true }).last().waitFor();

    await page.getByRole("button", { name: "Accept…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Accept", exact: true }).click();
    await page.getByText(`Accepted ${STORY}.`).waitFor();
    await page
      .getByText(/^accepted by /)
      .first()
      .waitFor();
    await page.getByRole("img", { name: "Accepted" }).first().waitFor();
    // The target is checked out: the page asks before it updates the checkout.
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Merge and update your checkout" }).click();
    await page.getByRole("img", { name: "Completed" }).first().waitFor({ timeout: 50_000 });
    expect(await stage.statuses()).toMatchObject({ form: "completed", page: "completed" });
  }, 150_000);
});
