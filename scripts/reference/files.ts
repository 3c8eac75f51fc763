import type { PullRequest } from "../../src/machine/forge/forge.ts";
import type { LeaseRecord } from "../../src/store/leases/leases.ts";
import { ENTRY_KINDS } from "../../src/story/definition/journal.ts";
import { describedSchema, jsonSchema } from "../../src/story/json-schema.ts";
import { PLACEHOLDERS } from "../../src/story/prompts/prompt-template.ts";
import { RECEIPT_MEANINGS, receiptSchema } from "../../src/story/receipts/receipt.ts";
import { fieldTable, type Schema } from "./fields.ts";
import { REGIONS } from "./file-table.ts";
import { bullets, code, fence, page, table } from "./markdown.ts";

export const filesPage = (): string =>
  page(
    "Files",
    "Every write is atomic and durable, and several processes may write at once. A command that is killed leaves complete files; run it again.",
    '`saga schema --out <folder>` writes the formats as JSON Schemas for editors. Programs import them: `import { storySchema, type Story } from "@saga-run/saga/types"`.',
    ...REGIONS.flatMap(({ title, about, files }) => [
      `## ${title}`,
      about,
      table(
        ["file", "meaning"],
        files.map(({ path, what }) => [code(path.replace(OUTSIDE, "")), what]),
      ),
    ]),
    ...format("Story", "story"),
    ...format("Task", "task"),
    ...format("Epic", "epic"),
    "## Journal",
    `Markdown that people read and may edit. An entry is a second-level heading and the text below it. The heading has a time, a kind (${ENTRY_KINDS.map(code).join(", ")}), a number when it is a question or its answer, and a title.`,
    fence("markdown", "## 2026-11-15T21:48:00.000Z Blocker b1: Which database?"),
    "An entry that Saga looks up later, such as its question how to split a task, has a key in a comment below its heading, `<!-- saga: split form -->`: its title may change.",
    "## Worker prompt",
    "The prompt of each headless run of a story. The default is `skills/execute-story/worker-prompt.md` of the plugin; a project that has `.saga/worker-prompt.md` uses that. It is Markdown with placeholders; a paragraph whose placeholders are all empty is left out, and `\\{{` writes two plain braces. An unknown placeholder is an error: `saga validate` reports it, and `saga run` does not start. Answers, feedback and rules are always part of the prompt: a template without them gets them at the end.",
    table(
      ["placeholder", "replaced by"],
      Object.entries(PLACEHOLDERS).map(([name, what]) => [code(`{{${name}}}`), what]),
    ),
    ...format("Run", "run"),
    "## Receipt",
    "The result of a gate. It is an event of the type `gate` in the run's events, with a `seal` made with the key in your state folder; without a valid seal it does not count. The journal and the pull request only show it.",
    fieldTable(describedSchema(receiptSchema, RECEIPT_MEANINGS)),
    ...format("Epics", "epics"),
    "## Lease",
    "One owner at a time: the file with the highest number counts, and an empty file is a released lease.",
    table(
      ["field", "meaning"],
      Object.entries(LEASE).map(([name, what]) => [code(name), what]),
    ),
    bullets([
      "`story.<story>`: the worker, verification or merge of a story",
      "`epic.<epic>`: the run of an epic",
      "`merge`: the merge lock",
      "`dashboard`: the dashboard of this project",
    ]),
    "## Pull request",
    "Only in projects without a forge.",
    table(
      ["field", "meaning"],
      Object.entries(PULL_REQUEST).map(([name, what]) => [code(name), what]),
    ),
  );

/** The table's prefix for folders outside the project. */
const OUTSIDE = /^(?:state|sessions|claude)\//;

function format(title: string, name: string): string[] {
  const schema = jsonSchema(name) as Schema;
  const where = (schema.description ?? "").replaceAll(/\.saga\/[^\s,]+[^\s,.]/g, code);
  return [`## ${title}`, where, fieldTable(schema)];
}

const LEASE: Readonly<Record<keyof LeaseRecord | "nonce", string>> = {
  owner: "the name of its owner, for people",
  purpose:
    "why it is held: `work`, `command`, `merge` or `merging-epic-run`; missing in files of older versions",
  pid: "its process id",
  startTime: "when that process started; distinguishes it from a later one with the same pid",
  bootId: "the boot of the machine",
  place: "the machine or container",
  machine: "the name of its machine; only in a fleet's database",
  takenAt: "when it was taken",
  expiresAt: "when it expires for processes that cannot see the owner",
  nonce: "unique; missing in files of older versions",
};

const PULL_REQUEST: Readonly<Record<Exclude<keyof PullRequest, "ref">, string>> = {
  number: "also the name of its file; commands call it `local/<number>`",
  title: "its title",
  body: "its text, with the gates' results",
  isDraft: "whether the work is still in progress",
  state: "`open`, `merged` or `closed`",
  head: "the branch with the work",
  base: "the branch to merge into",
};
