import * as z from "zod";
import type { PullRequest } from "../../src/machine/forge/forge.ts";
import type { LeaseRecord } from "../../src/store/leases/lease.ts";
import { ENTRY_KINDS } from "../../src/story/definition/journal.ts";
import { jsonSchema } from "../../src/story/json-schema.ts";
import { PLACEHOLDERS } from "../../src/story/prompts/prompt-template.ts";
import { receiptSchema } from "../../src/story/receipts/receipt.ts";
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
    ...format("Epic", "epic", {
      "children[].id": "A story.",
      "children[].blockedBy": "Stories of the epic that come first.",
    }),
    "## Journal",
    `Markdown that people read and may edit. An entry is a second-level heading and the text below it. The heading has a time, a kind (${ENTRY_KINDS.map(code).join(", ")}), a number when it is a question or its answer, and a title.`,
    fence("markdown", "## 2026-11-15T21:48:00.000Z Blocker b1: Which database?"),
    "An entry that Saga asks about later, such as its question how to split a task, has a key in a comment below its heading, `<!-- saga: split form -->`: its title may change.",
    "## Worker prompt",
    "The prompt of each headless run of a story. The default is `skills/execute-story/worker-prompt.md` of the plugin; a project that has `.saga/worker-prompt.md` uses that. It is Markdown with placeholders; a paragraph whose placeholders are all empty is left out, and `\\{{` writes two plain braces. An unknown placeholder is an error: `saga validate` reports it, and `saga run` does not start. Answers, feedback and rules are always part of the prompt: a template without them gets them at the end.",
    table(
      ["placeholder", "replaced by"],
      Object.entries(PLACEHOLDERS).map(([name, what]) => [code(`{{${name}}}`), what]),
    ),
    ...format("Run", "run", { "start.commit": "Its id.", "start.seal": "A code over it." }),
    "## Receipt",
    "The result of a gate. It is an event of the type `gate` in the run's events, with a `seal` made with the key in your state folder; without a valid seal it does not count. The journal and the pull request only show it.",
    fieldTable(schemaOf(receiptSchema), { ...RECEIPT, ...FINDING }),
    ...format("Epics", "epics", EPICS),
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

const schemaOf = (schema: z.ZodType): Schema => z.toJSONSchema(schema, { io: "input" }) as Schema;

function format(
  title: string,
  name: string,
  about: Readonly<Record<string, string>> = {},
): string[] {
  const schema = jsonSchema(name) as Schema;
  const where = (schema.description ?? "").replaceAll(/\.saga\/[^\s,]+[^\s,.]/g, code);
  return [`## ${title}`, where, fieldTable(schema, about)];
}

const RECEIPT = {
  at: "When it was written.",
  gate: "Which gate: a check, the diff, the tester, the reviewer, a person.",
  task: "The task it was about; missing for the whole story.",
  tree: "The git tree of the code, without `.saga`.",
  isPassed: "Whether it passed.",
  ms: "How long it took.",
  command: "The command of a check.",
  how: "How it ended: `exit 1`, `no end within 600 s`.",
  exitCode: "The command's exit code.",
  outputHash: "SHA-256 of everything that was printed.",
  tail: "The end of that output.",
  findings: "What the gate found wrong.",
  overridden: "What a person overrode, why, and who.",
} satisfies Record<keyof typeof receiptSchema.shape, string>;

const FINDING = {
  "findings[].rule": "The rule; a person overrides it by this name.",
  "findings[].file": "The file.",
  "findings[].line": "The line.",
  "findings[].key":
    "Identifies the finding within its rule and file; stable when the message changes.",
  "findings[].message": "The finding, in a sentence.",
  "overridden.rules": "The rules.",
  "overridden.objections":
    "The overridden findings, each by rule, file and key. Later findings are not overridden.",
  "overridden.why": "The given reason.",
  "overridden.who": "Who overrode them.",
};

const EPICS = {
  "epics[].id": "The epic.",
  "epics[].title": "The title.",
  "epics[].branch": "The branch that its stories merge into.",
  "epics[].pr": "Its pull request.",
  "epics[].prNumber": "The number of its pull request.",
  "epics[].persistent": "Whether it stays open when its stories are done.",
  "stories[].id": "The story.",
  "stories[].epicId": "Its epic.",
  "stories[].title": "The title.",
  "stories[].state": "Its progress.",
  "stories[].branch": "Its branch.",
  "stories[].writeFiles": "The only files it may change.",
  "stories[].needsTesting": "Whether a tester must pass it.",
  "stories[].needsReview": "Whether a reviewer must pass it.",
};

const LEASE: Readonly<Record<keyof LeaseRecord, string>> = {
  owner: "the name of its owner, for people",
  purpose:
    "why it is held: `work`, `command`, `merge` or `merging-epic-run`; missing in files of older versions",
  pid: "its process id",
  startTime: "when that process started; distinguishes it from a later one with the same pid",
  bootId: "the boot of the machine",
  place: "the machine or container",
  takenAt: "when it was taken",
  expiresAt: "when it expires for processes that cannot see the owner",
  generation: "its number; the highest counts",
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
