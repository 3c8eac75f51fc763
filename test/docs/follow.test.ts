import { expect, it } from "vitest";
import { followPage } from "../support/docs/page.ts";
import { newFolder } from "../support/project.ts";

const follow = (...lines: string[]): ReturnType<typeof followPage> =>
  followPage(newFolder().write("page.md", `${lines.join("\n")}\n`));

it("follows a page in one project, from folder to folder", async () => {
  const page = follow(
    "```sh",
    "cd src   # where the code is",
    "ls",
    "```",
    "```text",
    "notes.js",
    "```",
    "<!-- exits 1: test -->",
    "```sh",
    "test -e missing",
    "```",
  );
  await expect(page).resolves.toMatchObject({ blocks: 3, run: 3, notRun: [] });
});

it("says which command did not end as it should", async () => {
  await expect(follow("```sh", "saga show nothing", "```")).rejects.toThrow(
    /page\.md:2: `saga show nothing` ended with 1:\nsaga: No Saga project/,
  );
});

it("says what is shown and was not printed", async () => {
  const page = follow("```sh", "echo one", "```", "```text", "two", "```");
  await expect(page).rejects.toThrow(/page\.md:4: this was not printed:\ntwo\nbut:\none/);
});

it.each([
  ["another language", ["```bash", "saga list", "```"]],
  ["no language", ["```", "saga list", "```"]],
  ["output of nothing", ["```text", "one", "```"]],
  ["a file without a name", ["```json", "{}", "```"]],
])("refuses a block that is neither run nor explained: %s", async (_, lines) => {
  await expect(follow(...lines)).rejects.toThrow(
    "page.md:1: this block is neither run nor explained",
  );
});

it("ends a command that would run on, once it has printed the expected text", async () => {
  const mute = follow('<!-- Ctrl-C at "ready": echo -->', "```sh", "echo other", "```");
  await expect(mute).rejects.toThrow("`echo other` ended with 0");
  const loop = follow('<!-- Ctrl-C at "ready": node -->', "```sh", NODE, "```");
  await expect(loop).resolves.toMatchObject({ run: 1 });
});

const NODE = `node -e 'process.on("SIGINT", () => process.exit(0)); console.log("ready"); setInterval(() => {}, 1000)'`;

it("knows what is not run, with the reason", async () => {
  const page = follow(
    "<!-- not run (it is a joke): npm link -->",
    "```sh",
    "npm link  # ha",
    "```",
  );
  await expect(page).resolves.toMatchObject({ run: 0, notRun: ["npm link  # ha: it is a joke"] });
});
