// Every setting of a project, with its meaning and default.

import * as z from "zod";
import { DEFAULT_CEILING } from "../definition/validate.ts";
import { DEFAULT_CHECK_MINUTES, DEFAULT_PORTS } from "./defaults.ts";
import { branch, glob, prose } from "../definition/fields.ts";
import {
  ACCEPTED_KINDS,
  NO_SECRET_WEBHOOK,
  NOTIFICATION_KINDS,
  WEBHOOK,
} from "../prompts/notification.ts";

/** A file or folder inside the project; not a pattern. */
const path = z.string().regex(/^(?![/~])(?!(?:.*[/\\])?\.{1,2}(?:[/\\]|$))\S/s, {
  error: "is not a path inside the project",
});
/** Anywhere on the machine. */
const folder = z.string().regex(/^(?:~\/|\/)\S/, "does not begin with / or ~/");
const variable = z.string().regex(/^[A-Za-z_]\w*$/, "is not a variable name");
const text = z.string().min(1).optional();
/** It becomes the name of a schema in the database, where names have at most 63 characters. */
const FLEET_NAME = /^(?=.{1,40}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export const sections = {
  claude: z
    .strictObject({
      path: text.describe("The path of Claude Code, if not the one on PATH."),
      model: z.string().min(1).default("opus").describe("The model that works on stories."),
      tools: z.array(z.string().min(1)).default([]).describe("Additional tools for agents."),
      pass_env: z
        .array(variable)
        .default([])
        .describe("Additional environment variables for agents."),
      sandbox: z
        .boolean()
        .default(false)
        .describe(
          "Whether Claude Code's sandbox prevents shell commands from writing outside the worktree.",
        ),
      sandbox_write: z
        .array(folder)
        .default([])
        .describe("Folders that sandboxed commands may write to, like ~/.cargo/registry."),
      sandbox_network: z
        .array(
          z.string().regex(/^(?:\*|(?:\*\.)?[\w.-]+)$/, "is not a domain such as *.example.com"),
        )
        .default(["*"])
        .describe("Domains that sandboxed commands may reach, like *.npmjs.org; * means all."),
    })
    .describe("Claude Code."),
  plan: z
    .strictObject({
      checks: z
        .array(z.string().min(1))
        .default([])
        .describe("The checks of a story that `saga new story` creates without --check."),
    })
    .describe("New stories."),
  run: z
    .strictObject({
      max_cycles: z
        .int()
        .min(1)
        .default(10)
        .describe("The maximum number of agent runs in one run of a story."),
      max_minutes: z
        .number()
        .positive()
        .default(60)
        .describe("The time limit for one run of a story, in minutes."),
      max_cost: z
        .number()
        .min(0)
        .default(25)
        .describe("The cost limit for one run of a story, in US dollars; 0 for no limit."),
      keep: z.int().min(1).default(50).describe("How many runs of each story are kept."),
    })
    .describe("The limits of a worker. `saga run` has a flag for each."),
  budget: z
    .strictObject({
      day: z
        .number()
        .min(0)
        .default(0)
        .describe(
          "What all runs of this project may cost per day together, in US dollars; 0 for no limit.",
        ),
      epic: z
        .number()
        .min(0)
        .default(0)
        .describe(
          "What one `saga epic run` may cost, in US dollars, if --max-cost does not say otherwise; 0 for no limit.",
        ),
    })
    .describe(
      "Budgets. You are notified at 80 %; at 100 % running stories are stopped, and their work is kept.",
    ),
  limits: z
    .strictObject({
      wait: z
        .number()
        .min(0)
        .optional()
        .describe(
          "The longest wait for a usage limit, in minutes; it does not count as working time.",
        ),
      pause: z
        .number()
        .positive()
        .default(60)
        .describe("Seconds to wait when the end of the limit is unknown; doubled each time."),
    })
    .describe("What to do at the account's usage limit."),
  git: z
    .strictObject({
      base: branch.describe("The branch that stories start from, if not the remote's default."),
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
        .describe(
          "Where pull requests are; auto: on GitHub if it is the remote and gh is installed.",
        ),
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
        .describe("Whether `saga merge` updates a clean checkout of the target."),
      history: z
        .enum(["tasks", "merge", "squash"])
        .default("tasks")
        .describe(
          "What a story becomes on its target: a commit for each task, one merge commit, or one squashed commit. On GitHub its own commits always arrive with one merge commit, so that its pull request ends as merged.",
        ),
      archive: z.boolean().default(false).describe("Whether a merged story moves to the archive."),
    })
    .describe("How finished stories reach their target."),
  queue: z
    .strictObject({
      batch: z
        .int()
        .min(1)
        .max(100)
        .default(8)
        .describe("How many finished stories are checked and merged together, at most."),
      parallel: z
        .int()
        .min(1)
        .max(16)
        .default(1)
        .describe(
          "How many batches of a target are checked at the same time: the next ones on top of the current one, before it has landed. Each needs the resources of a whole run of your checks.",
        ),
    })
    .describe("The queue in which finished stories wait to be merged."),
  fleet: z
    .strictObject({
      name: z
        .string()
        .regex(FLEET_NAME, "is not a name: use up to 40 lower-case letters, digits and dashes")
        .optional()
        .describe(
          "The fleet that this project is in: its machines share the backlog. The database's address is in the environment, in SAGA_FLEET_URL.",
        ),
    })
    .describe("Several machines, one backlog."),
  epic: z
    .strictObject({
      overlap: z
        .enum(["watch", "avoid"])
        .default("watch")
        .describe(
          "Stories that do not declare their files: watch runs them at the same time and warns of conflicts; avoid runs each alone.",
        ),
    })
    .describe("What `saga epic run` does at the same time."),
  worktree: z
    .strictObject({
      copy: z
        .array(path)
        .default([])
        .describe("Untracked files to copy into each worktree, like .env."),
      link: z
        .array(path)
        .default([])
        .describe("Untracked files or folders to link into each worktree."),
      setup: text.describe(
        "A command to run once in each new worktree; processes that it starts are ended with it.",
      ),
      setup_minutes: z
        .number()
        .positive()
        .default(10)
        .describe("The time limit of that command, in minutes."),
      first_port: z
        .int()
        .min(1024)
        .max(60_000)
        .default(DEFAULT_PORTS.firstPort)
        .describe("The first port."),
      ports: z
        .int()
        .min(0)
        .max(1000)
        .default(DEFAULT_PORTS.ports)
        .describe("How many ports each story gets: SAGA_PORT and those above it."),
    })
    .describe("What a story's worktree gets in addition to the files in git."),
  size: z
    .strictObject({
      max_files: z
        .int()
        .min(1)
        .default(DEFAULT_CEILING.maxFiles)
        .describe("The maximum number of files that a task may declare to write."),
      max_lines: z
        .int()
        .min(1)
        .default(DEFAULT_CEILING.maxLines)
        .describe("The maximum number of lines that a task may declare to change."),
      watch: z
        .boolean()
        .default(true)
        .describe(
          "Whether a task that grows beyond that while it runs is warned, stopped at a commit and split.",
        ),
    })
    .describe("How large a task may be before it must be split."),
  watch: z
    .strictObject({
      check_in_minutes: z
        .number()
        .positive()
        .default(3)
        .describe("How often a worker checks whether its agent still uses tools, in minutes."),
      silent_check_ins: z
        .int()
        .min(1)
        .default(2)
        .describe(
          "After this many silent check-ins in a row the agent is stopped and its task is split.",
        ),
      tool_minutes: z
        .number()
        .positive()
        .default(30)
        .describe(
          "The time limit of one active tool call, such as a test suite, in minutes. A call that neither uses the processor nor writes counts as silent.",
        ),
      plan_minutes: z
        .number()
        .positive()
        .default(5)
        .describe("The time limit of the run that proposes how to split a task, in minutes."),
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
        .describe("The time limit of a check, in minutes."),
      reuse_receipts: z
        .boolean()
        .default(true)
        .describe(
          "Whether a check that passed on the same code counts without running again. Turn it off if your checks depend on more than the code.",
        ),
      inspect_minutes: z
        .number()
        .positive()
        .default(15)
        .describe("The time limit of a tester or reviewer, in minutes."),
      fix_rounds: z
        .int()
        .min(0)
        .default(2)
        .describe("How many times per run the agent may fix what the gate refused."),
      max_files: z
        .int()
        .min(1)
        .default(100)
        .describe("The maximum number of files that a story may change."),
      max_lines: z
        .int()
        .min(1)
        .default(5000)
        .describe(
          "The maximum number of lines that it may add and delete; lock files do not count.",
        ),
      max_deleted_files: z
        .int()
        .min(0)
        .default(20)
        .describe("The maximum number of files that it may delete."),
      max_deleted_percent: z
        .number()
        .min(0)
        .max(100)
        .default(30)
        .describe("The maximum share of all files that it may delete, in percent."),
      max_binary_kb: z
        .int()
        .min(0)
        .default(1024)
        .describe("The maximum size of its binary files together, in kB."),
      secrets: z
        .boolean()
        .default(true)
        .describe("Whether added text is searched for keys, tokens and passwords."),
      secrets_allow: z
        .array(z.string().regex(/\S/, "is empty"))
        .default([])
        .describe("Text that only looks like a secret, or globs of files with such text."),
    })
    .describe("The rules that a story's changes must follow before they count."),
  auto: z
    .strictObject({
      task_list_id: z
        .string()
        // Claude Code replaces every other character by a dash, and would use another folder.
        .regex(/^[A-Za-z0-9_-]+$/, "may only contain letters, digits, dashes and underscores")
        .optional()
        .describe(
          "The list of Claude Code that the pool works through; by default `<project>-tasks`.",
        ),
      tasks_root: folder
        .optional()
        .describe("The folder with the lists, if not Claude Code's own (~/.claude/tasks)."),
      context_config_path: path
        .default(".claude/saga_task_context.toml")
        .describe("The file with texts for agents before and after a task, by its label."),
      workers: z.int().min(1).max(64).default(2).describe("How many tasks are worked on at once."),
      max_attempts: z
        .int()
        .min(1)
        .default(3)
        .describe("After this many failures a task is parked until a person releases it."),
      checks: z
        .array(prose)
        .default([])
        .describe("Commands that must pass before the work on any task is merged."),
      target: branch.describe("The branch that work is merged into, if not git.base."),
      poll_seconds: z
        .number()
        .positive()
        .default(30)
        .describe("How often the list is read, in seconds, in addition to when it changes."),
      oversee: z
        .boolean()
        .default(false)
        .describe("Whether an overseer watches `saga auto` and repairs what stops it."),
      repairs: z
        .int()
        .min(0)
        .default(3)
        .describe(
          "How many times the overseer tries to repair the same failure before it asks you.",
        ),
      repair_pause: z
        .number()
        .positive()
        .default(10)
        .describe("Seconds before the pool is restarted; doubled each time."),
      repair_minutes: z
        .number()
        .positive()
        .default(5)
        .describe("The time limit of a repair, in minutes."),
      repair_cost: z
        .number()
        .positive()
        .default(1)
        .describe("The most that it may spend, in US dollars."),
      hang_seconds: z
        .number()
        // The pool has a heartbeat every five seconds.
        .min(10)
        .default(60)
        .describe("A pool without a heartbeat for this many seconds counts as hung."),
    })
    .describe("The pool, `saga auto`: several workers on a list of loose tasks."),
  recover: z
    .strictObject({
      resume: z
        .boolean()
        .default(false)
        .describe(
          "Whether `saga recover` and `saga epic run` resume a story whose worker was killed.",
        ),
    })
    .describe("What to do with a story whose worker was killed."),
  notices: z
    .strictObject({
      bell: z.boolean().default(true).describe("Whether the terminal's bell rings."),
      desktop: z
        .union([z.boolean(), z.literal("auto")], "is neither true, false nor auto")
        .default("auto")
        .describe(
          "Whether the desktop shows notifications, with notify-send, or osascript on a Mac; auto: where that works.",
        ),
      command: text.describe(
        "A command to run; it gets SAGA_NOTICE_KIND, _STORY, _EPIC, _TITLE, _TEXT, _PROJECT, and JSON as input.",
      ),
      webhook_env: variable
        .optional()
        .describe("The variable with the address of a webhook of Slack or a service like it."),
      webhook: z
        .string()
        .regex(WEBHOOK, "is neither an https address nor one of this machine")
        .regex(
          NO_SECRET_WEBHOOK,
          "is a secret, and this file is in git: put it into a variable and name that in `webhook_env`",
        )
        .optional()
        .describe("The address itself, if it is not a secret; used when the variable is not set."),
      on: z
        .array(z.enum(ACCEPTED_KINDS))
        .default([...NOTIFICATION_KINDS])
        .describe(
          "Which notifications are sent: everything that needs you, and the end of an epic.",
        ),
    })
    .describe(
      "How you are notified that something needs you or that an epic ended. Each notification is sent once.",
    ),
};
