import { describe, expect, it } from "vitest";
import { newGithubForge, type GithubServer } from "../../../test/support/github-server.ts";
import type { NewPullRequest } from "./forge.ts";

const wanted = (more: Partial<NewPullRequest> = {}): NewPullRequest => ({
  head: "topic",
  base: "main",
  title: "Story: topic",
  body: "What it is about.",
  ...more,
});

const methods = ({ requests }: GithubServer): string[] => requests.map(({ method }) => method);

describe("a pull request on GitHub", () => {
  it("is opened as a draft, and found by its branch and its number", async () => {
    const { forge } = await newGithubForge();
    expect(await forge.find("topic")).toBeUndefined();
    const pull = await forge.openDraft(wanted());
    expect(pull).toEqual({
      ref: "https://github.com/acme/shop/pull/1",
      number: 1,
      title: "Story: topic",
      body: "What it is about.",
      isDraft: true,
      state: "open",
      head: "topic",
      base: "main",
    });
    expect(await forge.find("topic")).toEqual(pull);
    expect(await forge.view(1)).toEqual(pull);
    expect(await forge.view(2)).toBeUndefined();
  });

  it("that is open is used unchanged", async () => {
    const { github, forge } = await newGithubForge();
    github.add({ title: "Mine", body: null });
    expect(await forge.openDraft(wanted())).toMatchObject({ number: 1, title: "Mine", body: "" });
    expect(methods(github)).toEqual(["GET"]);
  });

  it("is the open one of its branch, else the newest", async () => {
    const { github, forge } = await newGithubForge();
    github.add({ state: "closed" });
    github.add({ state: "closed", merged_at: "2030-01-01T00:00:00Z" });
    expect(await forge.find("topic")).toMatchObject({ number: 2, state: "merged" });
    expect(await forge.openDraft(wanted())).toMatchObject({ number: 3 });
    github.add({ state: "closed" });
    expect(await forge.find("topic")).toMatchObject({ number: 3, state: "open" });
  });

  it("that another process opens at the same time is found", async () => {
    const { github, forge } = await newGithubForge();
    github.trouble.before = ({ method }) => {
      if (method === "POST") github.add({ title: "Faster" });
    };
    expect(await forge.openDraft(wanted())).toMatchObject({ number: 1, title: "Faster" });
    expect(github.pulls).toHaveLength(1);
  });

  it("of a fork with the same branch is ignored", async () => {
    const { github, forge } = await newGithubForge();
    github.add({ title: "Fork", repository: "acme/shop-fork" });
    github.add({ title: "Deleted fork", repository: undefined });
    expect(await forge.find("topic")).toBeUndefined();
    expect(await forge.openDraft(wanted())).toMatchObject({ number: 3, title: "Story: topic" });
  });

  it("is not a draft where drafts are not supported", async () => {
    const { forge } = await newGithubForge({ refusesDrafts: true });
    expect(await forge.openDraft(wanted())).toMatchObject({ number: 1, isDraft: false });
  });

  it("gets a new text, and keeps the fields that are not given", async () => {
    const { github, forge } = await newGithubForge();
    await forge.openDraft(wanted());
    expect(await forge.update(1, { body: "New." })).toMatchObject({ body: "New." });
    expect(await forge.update(1, { title: "Newer" })).toMatchObject({
      title: "Newer",
      body: "New.",
    });
    const before = github.requests.length;
    expect(await forge.update(1, {})).toMatchObject({ title: "Newer" });
    expect(methods(github).slice(before)).toEqual(["GET"]);
  });

  it("becomes ready once, when marked repeatedly", async () => {
    const { github, forge } = await newGithubForge();
    await forge.openDraft(wanted());
    expect(await forge.markReady(1)).toMatchObject({ isDraft: false, state: "open" });
    expect(await forge.markReady(1)).toMatchObject({ isDraft: false });
    expect(github.requests.filter(({ path }) => path === "/graphql")).toHaveLength(1);
  });

  it("that another process marks as ready at the same time is ready", async () => {
    const { github, forge } = await newGithubForge();
    const pull = github.add({ draft: true });
    github.trouble.before = ({ path }) => {
      if (path === "/graphql") pull.draft = false;
    };
    expect(await forge.markReady(1)).toMatchObject({ isDraft: false });
  });

  it("becomes a draft again once, when marked repeatedly", async () => {
    const { github, forge } = await newGithubForge();
    github.add({});
    expect(await forge.markDraft(1)).toMatchObject({ isDraft: true, state: "open" });
    expect(await forge.markDraft(1)).toMatchObject({ isDraft: true });
    expect(github.requests.filter(({ path }) => path === "/graphql")).toHaveLength(1);
    expect(await forge.markReady(1)).toMatchObject({ isDraft: false });
    expect(github.pulls).toMatchObject([{ draft: false }]);
  });

  it("does not become a draft where drafts are not supported, nor when it is closed", async () => {
    const { github, forge } = await newGithubForge({ refusesDrafts: true });
    github.add({});
    github.add({ head: "other", state: "closed", merged_at: "2030-01-01T00:00:00Z" });
    expect(await forge.markDraft(1)).toMatchObject({ isDraft: false, state: "open" });
    expect(await forge.markDraft(2)).toMatchObject({ isDraft: false, state: "merged" });
  });

  it("that cannot become a draft gives the reason", async () => {
    const { github, forge } = await newGithubForge();
    const pull = github.add({});
    github.trouble.before = ({ path }) => {
      if (path === "/graphql") github.pulls.length = 0;
      else if (github.pulls.length === 0) github.pulls.push(pull);
    };
    await expect(forge.markDraft(1)).rejects.toMatchObject({
      code: "program-failed",
      message: expect.stringContaining(
        "Turning pull request 1 in acme/shop into a draft",
      ) as string,
    });
  });

  it("is closed without a merge, and stays merged when GitHub merged it", async () => {
    const { github, forge } = await newGithubForge();
    github.add({});
    github.add({ head: "other", state: "closed", merged_at: "2030-01-01T00:00:00Z" });
    expect(await forge.close(1)).toMatchObject({ state: "closed" });
    expect(await forge.close(2)).toMatchObject({ state: "merged" });
    expect(await forge.markMerged(2, "abc123")).toMatchObject({ state: "merged" });
    await expect(forge.close(3)).rejects.toMatchObject({
      code: "not-found",
      message: "No pull request 3 in acme/shop.",
    });
  });

  it.each([
    ["a title like an option", { title: "--force -x" }],
    ["a title like a file", { title: "@/etc/hostname" }],
    ["quotes and shell", { title: `"'\`$(id)\\`, body: "'; rm -rf / #" }],
    ["line breaks", { body: "one\r\n\n\ttwo\n" }],
    ["other alphabets", { title: "計画 é 🎉" }],
    ["60 kB of text", { body: "x".repeat(60_000) }],
  ])("keeps %s as it is", async (_, text) => {
    const { github, forge } = await newGithubForge();
    expect(await forge.openDraft(wanted(text))).toMatchObject(text);
    expect(github.pulls).toMatchObject([text]);
  });

  it.each(["feature/a&state=closed", "repo-fix", "branch", "owner/x", "a+b#c%2F", "{owner}", "é"])(
    "is found by any branch name: %s",
    async (head) => {
      const { forge } = await newGithubForge();
      await forge.openDraft(wanted({ head }));
      expect(await forge.find(head)).toMatchObject({ number: 1, head });
    },
  );
});
