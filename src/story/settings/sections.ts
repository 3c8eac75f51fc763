// Every setting of a project, with what it is for and what it is when nobody sets it.

import * as z from "zod";
import { DEFAULT_CEILING } from "../definition/validate.ts";
import { DEFAULT_CHECK_MINUTES } from "./defaults.ts";
import { branch, glob, prose } from "../definition/fields.ts";
import {
  ACCEPTED_KINDS,
  NO_SECRET_WEBHOOK,
  NOTIFICATION_KINDS,
  WEBHOOK,
} from "../prompts/notification.ts";

/** A file or folder below the top of the project, named as it is: no pattern. */
const path = z.string().regex(/^(?![/~])(?!(?:.*[/\\])?\.{1,2}(?:[/\\]|$))\S/s, {
  error: "is not a path inside the project",
});
/** Anywhere on the machine. */
const folder = z.string().regex(/^(?:~\/|\/)\S/, "does not begin with / or ~/");
const variable = z.string().regex(/^[A-Za-z_]\w*$/, "is not the name of a variable");
const text = z.string().min(1).optional();

export const sections = {
  claude: z
    .strictObject({
      path: text.describe("The Claude Code to use, when not the one on PATH."),
      model: z.string().min(1).default("opus").describe("The model that works on stories."),
      tools: z
        .array(z.string().min(1))
        .default([])
        .describe("Tools that agents have besides the usual ones."),
      pass_env: z
        .array(variable)
        .default([])
        .describe("Further variables of the environment that agents see."),
      sandbox: z
        .boolean()
        .default(false)
        .describe(
          "Whether Claude Code's own sandbox keeps shell commands from writing outside the worktree.",
        ),
      sandbox_write: z
        .array(folder)
        .default([])
        .describe("Folders that they may write all the same, like ~/.cargo/registry."),
    })
    .describe("Claude Code."),
  run: z
    .strictObject({
      max_cycles: z.int().min(1).default(10).describe("The most headless runs for one start."),
      max_minutes: z.number().positive().default(60).describe("The longest that one start works."),
      max_cost: z
        .number()
        .min(0)
        .default(25)
        .describe("The most that one start may spend, in US dollars; 0 for no limit."),
      keep: z.int().min(1).default(50).describe("How many runs of a story are kept on record."),
    })
    .describe("When a worker stops by itself. `saga run` has a flag for each."),
  limits: z
    .strictObject({
      wait: z
        .number()
        .min(0)
        .optional()
        .describe("The most minutes to wait for a usage limit, besides the time for work."),
      pause: z
        .number()
        .positive()
        .default(60)
        .describe("Seconds to wait when nobody says how long; each time twice as long."),
    })
    .describe("What to do when the account's limit is reached."),
  git: z
    .strictObject({
      base: branch.describe("The branch that stories start from, when not the remote's default."),
      push: z
        .enum(["auto", "always", "never"])
        .default("auto")
        .describe("Whether story branches are pushed; auto: when pull requests are on GitHub."),
    })
    .describe("Branches."),
  forge: z
    .strictObject({
      kind: z
        .enum(["auto", "github", "local"])
        .default("auto")
        .describe("Where pull requests live; auto: GitHub when there is a remote there and gh."),
    })
    .describe("Pull requests."),
  delivery: z
    .strictObject({
      kind: z
        .enum(["story-pr", "epic-branch"])
        .default("story-pr")
        .describe(
          "A pull request for each story, or one for the epic that its stories merge into.",
        ),
      update_checkout: z
        .boolean()
        .default(false)
        .describe("Whether a clean checkout of the target is brought up to date by `saga merge`."),
      archive: z.boolean().default(false).describe("Whether a merged story moves to the archive."),
    })
    .describe("How finished stories reach their target."),
  worktree: z
    .strictObject({
      copy: z
        .array(path)
        .default([])
        .describe("Untracked files that each worktree gets a copy of, like .env."),
      link: z
        .array(path)
        .default([])
        .describe("Untracked files or folders that each worktree gets a link to."),
      setup: text.describe(
        "A command that is run once in each new worktree; what it starts ends with it.",
      ),
      setup_minutes: z.number().positive().default(10).describe("The longest that it may take."),
      first_port: z.int().min(1024).max(60_000).default(42_000).describe("Where ports begin."),
      ports: z
        .int()
        .min(0)
        .max(1000)
        .default(10)
        .describe("How many ports each story has for itself: SAGA_PORT and those above it."),
    })
    .describe("What a story's worktree is given besides the files in git."),
  size: z
    .strictObject({
      max_files: z
        .int()
        .min(1)
        .default(DEFAULT_CEILING.maxFiles)
        .describe("The most files that one task may declare to write."),
      max_lines: z
        .int()
        .min(1)
        .default(DEFAULT_CEILING.maxLines)
        .describe("The most changed lines that one task may be estimated at."),
      watch: z
        .boolean()
        .default(true)
        .describe(
          "Whether a task that grows past it while it runs is warned, stopped at a commit and split.",
        ),
    })
    .describe("How large a task may be before it must be split."),
  watch: z
    .strictObject({
      check_in_minutes: z
        .number()
        .positive()
        .default(3)
        .describe("How often a worker looks whether its agent still uses tools."),
      silent_check_ins: z
        .int()
        .min(1)
        .default(2)
        .describe("After so many silent ones in a row the agent is stopped, and its task split."),
      tool_minutes: z
        .number()
        .positive()
        .default(30)
        .describe(
          "The longest that one tool call may take while it works: a test suite, for example. One that neither uses the processor nor writes counts as silent.",
        ),
      plan_minutes: z
        .number()
        .positive()
        .default(5)
        .describe("The longest that a short run takes to propose how a task is split."),
      plan_cost: z
        .number()
        .positive()
        .default(1)
        .describe("The most that it may spend, in US dollars."),
    })
    .describe("When an agent is stuck, and what is done about it."),
  gate: z
    .strictObject({
      protected: z
        .array(glob)
        .default([
          ".saga/config.toml",
          ".claude/settings*.json",
          ".claude/hooks/**",
          ".mcp.json",
          ".github/workflows/**",
        ])
        .describe("Files that no story may change, as globs."),
      check_minutes: z
        .number()
        .positive()
        .default(DEFAULT_CHECK_MINUTES)
        .describe("The longest that a check may take."),
      inspect_minutes: z
        .number()
        .positive()
        .default(15)
        .describe("The longest that a tester or a reviewer may take."),
      fix_rounds: z
        .int()
        .min(0)
        .default(2)
        .describe("How many times per run the agent may fix what the gate refused."),
      max_files: z.int().min(1).default(100).describe("The most files that a story may change."),
      max_lines: z
        .int()
        .min(1)
        .default(5000)
        .describe("The most lines that it may add and take away; lock files do not count."),
      max_deleted_files: z.int().min(0).default(20).describe("The most files that it may delete."),
      max_deleted_percent: z
        .number()
        .min(0)
        .max(100)
        .default(30)
        .describe("The largest part of all files that it may delete, in percent."),
      max_binary_kb: z
        .int()
        .min(0)
        .default(1024)
        .describe("The most that its binary files may weigh together, in kB."),
      secrets: z
        .boolean()
        .default(true)
        .describe("Whether what it adds is searched for keys, tokens and passwords."),
      secrets_allow: z
        .array(z.string().regex(/\S/, "is empty"))
        .default([])
        .describe("What looks like a secret and is none: the text itself, or a glob of files."),
    })
    .describe("What a story's changes must keep to before they count."),
  auto: z
    .strictObject({
      task_list_id: z
        .string()
        // Claude Code turns every other character into a dash, and would look elsewhere.
        .regex(/^[A-Za-z0-9_-]+$/, "may only contain letters, digits, dashes and underscores")
        .optional()
        .describe(
          "The list of Claude Code that the pool works through; by default `<project>-tasks`.",
        ),
      tasks_root: folder
        .optional()
        .describe("The folder with the lists, when not Claude Code's own (~/.claude/tasks)."),
      context_config_path: path
        .default(".claude/saga_task_context.toml")
        .describe("The file with what agents are told before and after a task, by its label."),
      workers: z.int().min(1).max(64).default(2).describe("How many tasks are worked on at once."),
      max_attempts: z
        .int()
        .min(1)
        .default(3)
        .describe("After so many failures a task is parked until a person releases it."),
      checks: z
        .array(prose)
        .default([])
        .describe("Commands that must pass before the work on any task is merged."),
      target: branch.describe("The branch that work is merged into, when not git.base."),
      poll_seconds: z
        .number()
        .positive()
        .default(30)
        .describe("How often the list is looked through, besides whenever it is seen to change."),
      oversee: z
        .boolean()
        .default(false)
        .describe("Whether `saga auto` is watched, and what stops it repaired."),
      repairs: z
        .int()
        .min(0)
        .default(3)
        .describe("How often the overseer tries to repair the same failure before it asks you."),
      repair_pause: z
        .number()
        .positive()
        .default(10)
        .describe("Seconds before the pool is started again; each time twice as long."),
      repair_minutes: z.number().positive().default(5).describe("The longest a repair may take."),
      repair_cost: z
        .number()
        .positive()
        .default(1)
        .describe("The most that it may spend, in US dollars."),
      hang_seconds: z
        .number()
        // The pool gives a sign of life every five seconds.
        .min(10)
        .default(60)
        .describe("A pool without a sign of life for so long counts as hung."),
    })
    .describe("The pool, `saga auto`: several workers on a list of loose tasks."),
  recover: z
    .strictObject({
      resume: z
        .boolean()
        .default(false)
        .describe(
          "Whether `saga recover` and `saga epic run` go on by themselves with a story whose worker was killed.",
        ),
    })
    .describe("What becomes of a story that was in flight when its worker was killed."),
  notices: z
    .strictObject({
      bell: z
        .boolean()
        .default(true)
        .describe("Whether the bell of the terminal rings, where someone may be looking."),
      desktop: z
        .boolean()
        .default(false)
        .describe("Whether the desktop shows it, with notify-send, or osascript on a Mac."),
      command: text.describe(
        "A command of your own; it gets SAGA_NOTICE_KIND, _STORY, _EPIC, _TITLE, _TEXT, _PROJECT, and JSON as input.",
      ),
      webhook_env: variable
        .optional()
        .describe("The variable that holds the address of a webhook, Slack's or one like it."),
      webhook: z
        .string()
        .regex(WEBHOOK, "is neither an https address nor one of this machine")
        .regex(
          NO_SECRET_WEBHOOK,
          "is a secret, and this file is in git: put it into a variable and name that in `webhook_env`",
        )
        .optional()
        .describe("An address that is no secret, when the variable is not set."),
      on: z
        .array(z.enum(ACCEPTED_KINDS))
        .default([...NOTIFICATION_KINDS])
        .describe("What is said: everything that needs you, and the end of an epic."),
    })
    .describe("How you are told, once each, that something needs you or that an epic has ended."),
};
