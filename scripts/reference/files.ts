// Every file that Saga writes, with the fields of its format.

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
    "Every write is atomic and durable, several processes may write at once, and a command that is killed at any moment leaves whole files and can simply be repeated.",
    '`saga schema --out <folder>` writes the formats as JSON Schemas, for editors; programs import them: `import { storySchema, type Story } from "@saga-run/saga/types"`.',
    ...REGIONS.flatMap(({ title, about, places }) => [
      `## ${title}`,
      about,
      table(
        ["file", "what it is"],
        places.map(({ path, what }) => [code(path.replace(OUTSIDE, "")), what]),
      ),
    ]),
    ...format("Story", "story"),
    ...format("Task", "task"),
    ...format("Epic", "epic", {
      "children[].id": "A story.",
      "children[].blockedBy": "Those of the epic that come first.",
    }),
    "## Journal",
    `Markdown that people read and may edit. An entry is a second-level heading of one exact form, and what follows it: a time, what it is (${ENTRY_KINDS.map(code).join(", ")}), for a question and its answer a number, and a title.`,
    fence("markdown", "## 2026-11-15T21:48:00.000Z Blocker b1: Which database?"),
    "An entry that Saga asks about later, such as its question how to split a task, has a key in a comment below its heading, `<!-- saga: split form -->`: its title may change.",
    "## Worker prompt",
    "The text that each headless run of a story begins with. The default is `skills/execute-story/worker-prompt.md` of the plugin; a project that has `.saga/worker-prompt.md` uses that. It is Markdown with placeholders; a paragraph whose placeholders are all empty is left out, and `\\{{` stands for two plain braces. An unknown placeholder is an error: `saga validate` names it, and `saga run` starts nothing. Whatever the template says, answers, feedback and rules are told: they are added at the end where it lacks them.",
    table(
      ["placeholder", "what it stands for"],
      Object.entries(PLACEHOLDERS).map(([name, what]) => [code(`{{${name}}}`), what]),
    ),
    ...format("Run", "run", { "start.commit": "Its id.", "start.seal": "A code over it." }),
    "## Receipt",
    "That a gate was passed or not. It stands in the run's events as an event of the type `gate`, with `seal`, a code made with the key in your state folder; without that it does not count. The journal and the pull request only show it.",
    fieldTable(schemaOf(receiptSchema), { ...RECEIPT, ...FINDING }),
    ...format("Epics", "epics", EPICS),
    "## Lease",
    "One owner at a time: the highest number in a lease's folder counts, and an empty file is a lease that was released.",
    table(
      ["field", "what it is"],
      Object.entries(LEASE).map(([name, what]) => [code(name), what]),
    ),
    bullets([
      "`story.<story>`: whoever works on a story, judges or merges it",
      "`epic.<epic>`: the run of an epic",
      "`merge`: whoever moves a target",
      "`dashboard`: the dashboard of this project",
    ]),
    "## Pull request",
    "Only where there is no forge.",
    table(
      ["field", "what it is"],
      Object.entries(PULL_REQUEST).map(([name, what]) => [code(name), what]),
    ),
  );

/** The folder's name in the table; the region says where it is. */
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
  gate: "Which gate: a command, what was changed, the tester, the reviewer, a person.",
  task: "The task it was about; nothing when it was the whole story.",
  tree: "Git's id of the code alone, without `.saga`.",
  isPassed: "Whether it passed.",
  ms: "How long it took.",
  command: "Of a check: what was run.",
  how: "How it ended: `exit 1`, `no end within 600 s`.",
  exitCode: "Of the command.",
  outputHash: "SHA-256 of everything that was printed.",
  tail: "The end of it.",
  findings: "What the gate has to say against the work.",
  overridden: "What a person set aside, why, and who.",
} satisfies Record<keyof typeof receiptSchema.shape, string>;

const FINDING = {
  "findings[].rule": "By which rule; a person may set it aside by this name.",
  "findings[].file": "In which file.",
  "findings[].line": "In which line.",
  "findings[].key":
    "Which finding of this rule in this file; stays the same when its message changes.",
  "findings[].message": "What it is.",
  "overridden.rules": "The rules.",
  "overridden.objections":
    "What was objected to, each by rule, file and key: this and no more is set aside.",
  "overridden.why": "The reason that was given.",
  "overridden.who": "By whom.",
};

const EPICS = {
  "epics[].id": "The epic.",
  "epics[].title": "What people call it.",
  "epics[].branch": "The branch that its stories merge into.",
  "epics[].pr": "Its pull request.",
  "epics[].prNumber": "The number of that.",
  "epics[].persistent": "It stays open when its stories are done.",
  "stories[].id": "The story.",
  "stories[].epicId": "Its epic.",
  "stories[].title": "What people call it.",
  "stories[].state": "How far it is.",
  "stories[].branch": "Its branch.",
  "stories[].writeFiles": "The only files it may change.",
  "stories[].needsTesting": "A tester must pass it.",
  "stories[].needsReview": "A reviewer must pass it.",
};

const LEASE: Readonly<Record<keyof LeaseRecord, string>> = {
  owner: "who has it, in words",
  pid: "the process",
  startTime: "when that process began, so that its number can be used again",
  bootId: "which boot of the machine",
  place: "which machine or container",
  takenAt: "since when",
  expiresAt: "until when it holds for those who cannot see the process",
  generation: "its number",
};

const PULL_REQUEST: Readonly<Record<Exclude<keyof PullRequest, "ref">, string>> = {
  number: "also the name of its file; `local/<number>` means it",
  title: "its title",
  body: "its text, with what the gates said",
  isDraft: "whether it is worked on still",
  state: "`open`, `merged` or `closed`",
  head: "the branch with the work",
  base: "the branch it is to be merged into",
};
