// Every setting of a project, with its meaning and default.

import * as z from "zod";
import { DEFAULT_CEILING } from "../definition/validate.ts";
import { DEFAULT_CHECK_MINUTES, DEFAULT_PORTS } from "./defaults.ts";
import { branch, glob } from "../definition/fields.ts";
import { poolSections } from "./pool-sections.ts";
import { folder, path, section, setting, text, variable } from "./section.ts";

/** It becomes the name of a schema in the database, where names have at most 63 characters. */
const FLEET_NAME = /^(?=.{1,40}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export const sections = {
  claude: section("Claude Code.", {
    path: setting("The path of Claude Code, if not the one on PATH.", text),
    model: setting("The model that works on stories.", z.string().min(1).default("opus")),
    tools: setting("Additional tools for agents.", z.array(z.string().min(1)).default([])),
    pass_env: setting(
      "Additional environment variables for agents.",
      z.array(variable).default([]),
    ),
    sandbox: setting(
      "Whether Claude Code's sandbox prevents shell commands from writing outside the worktree.",
      z.boolean().default(false),
    ),
    sandbox_write: setting(
      "Folders that sandboxed commands may write to, like ~/.cargo/registry.",
      z.array(folder).default([]),
    ),
    sandbox_network: setting(
      "Domains that sandboxed commands may reach, like *.npmjs.org; * means all.",
      z
        .array(
          z.string().regex(/^(?:\*|(?:\*\.)?[\w.-]+)$/, "is not a domain such as *.example.com"),
        )
        .default(["*"]),
    ),
  }),
  plan: section("New stories.", {
    checks: setting(
      "The checks of a story that `saga new story` creates without --check.",
      z.array(z.string().min(1)).default([]),
    ),
  }),
  run: section("The limits of a worker. `saga run` has a flag for each.", {
    max_cycles: setting(
      "The maximum number of agent runs in one run of a story.",
      z.int().min(1).default(10),
    ),
    max_minutes: setting(
      "The time limit for one run of a story, in minutes.",
      z.number().positive().default(60),
    ),
    max_cost: setting(
      "The cost limit for one run of a story, in US dollars; 0 for no limit.",
      z.number().min(0).default(25),
    ),
    keep: setting("How many runs of each story are kept.", z.int().min(1).default(50)),
  }),
  budget: section(
    "Budgets. You are notified at 80 %; at 100 % running stories are stopped, and their work is kept.",
    {
      day: setting(
        "What all runs of this project may cost per day together, in US dollars; 0 for no limit.",
        z.number().min(0).default(0),
      ),
      epic: setting(
        "What one `saga epic run` may cost, in US dollars, if --max-cost does not say otherwise; 0 for no limit.",
        z.number().min(0).default(0),
      ),
    },
  ),
  limits: section("What to do at the account's usage limit.", {
    wait: setting(
      "The longest wait for a usage limit, in minutes; it does not count as working time.",
      z.number().min(0).optional(),
    ),
    pause: setting(
      "Seconds to wait when the end of the limit is unknown; doubled each time.",
      z.number().positive().default(60),
    ),
  }),
  git: section("Branches.", {
    base: setting("The branch that stories start from, if not the remote's default.", branch),
    push: setting(
      "Whether story branches are pushed; auto: when pull requests are on GitHub.",
      z.enum(["auto", "always", "never"]).default("auto"),
    ),
  }),
  forge: section("Pull requests.", {
    kind: setting(
      "Where pull requests are; auto: on GitHub if it is the remote and gh is installed.",
      z.enum(["auto", "github", "local"]).default("auto"),
    ),
  }),
  delivery: section("How finished stories reach their target.", {
    kind: setting(
      "A pull request for each story, or one for the epic that its stories merge into.",
      z.enum(["story-pr", "epic-branch"]).default("story-pr"),
    ),
    update_checkout: setting(
      "Whether `saga merge` updates a clean checkout of the target.",
      z.boolean().default(false),
    ),
    history: setting(
      "What a story becomes on its target: a commit for each task, one merge commit, or one squashed commit. On GitHub its own commits always arrive with one merge commit, so that its pull request ends as merged.",
      z.enum(["tasks", "merge", "squash"]).default("tasks"),
    ),
    archive: setting("Whether a merged story moves to the archive.", z.boolean().default(false)),
  }),
  queue: section("The queue in which finished stories wait to be merged.", {
    batch: setting(
      "How many finished stories are checked and merged together, at most.",
      z.int().min(1).max(100).default(8),
    ),
    parallel: setting(
      "How many batches of a target are checked at the same time: the next ones on top of the current one, before it has landed. Each needs the resources of a whole run of your checks.",
      z.int().min(1).max(16).default(1),
    ),
  }),
  fleet: section("Several machines, one backlog.", {
    name: setting(
      "The fleet that this project is in: its machines share the backlog. The database's address is in the environment, in SAGA_FLEET_URL.",
      z
        .string()
        .regex(FLEET_NAME, "is not a name: use up to 40 lower-case letters, digits and dashes")
        .optional(),
    ),
  }),
  epic: section("What `saga epic run` does at the same time.", {
    overlap: setting(
      "Stories that do not declare their files: watch runs them at the same time and warns of conflicts; avoid runs each alone.",
      z.enum(["watch", "avoid"]).default("watch"),
    ),
  }),
  worktree: section("What a story's worktree gets in addition to the files in git.", {
    copy: setting(
      "Untracked files to copy into each worktree, like .env.",
      z.array(path).default([]),
    ),
    link: setting(
      "Untracked files or folders to link into each worktree.",
      z.array(path).default([]),
    ),
    setup: setting(
      "A command to run once in each new worktree; processes that it starts are ended with it.",
      text,
    ),
    setup_minutes: setting(
      "The time limit of that command, in minutes.",
      z.number().positive().default(10),
    ),
    first_port: setting(
      "The first port.",
      z.int().min(1024).max(60_000).default(DEFAULT_PORTS.firstPort),
    ),
    ports: setting(
      "How many ports each story gets: SAGA_PORT and those above it.",
      z.int().min(0).max(1000).default(DEFAULT_PORTS.ports),
    ),
  }),
  size: section("How large a task may be before it must be split.", {
    max_files: setting(
      "The maximum number of files that a task may declare to write.",
      z.int().min(1).default(DEFAULT_CEILING.maxFiles),
    ),
    max_lines: setting(
      "The maximum number of lines that a task may declare to change.",
      z.int().min(1).default(DEFAULT_CEILING.maxLines),
    ),
    watch: setting(
      "Whether a task that grows beyond that while it runs is stopped at a commit and split, after a warning to its agent.",
      z.boolean().default(true),
    ),
  }),
  watch: section("When an agent is stuck, and what is done about it.", {
    check_in_minutes: setting(
      "How often a worker checks whether its agent still uses tools, in minutes.",
      z.number().positive().default(3),
    ),
    silent_check_ins: setting(
      "After this many silent check-ins in a row the agent is stopped and its task is split.",
      z.int().min(1).default(2),
    ),
    tool_minutes: setting(
      "The time limit of one active tool call, such as a test suite, in minutes. A call that neither uses the processor nor writes counts as silent.",
      z.number().positive().default(30),
    ),
    plan_minutes: setting(
      "The time limit of the run that proposes how to split a task, in minutes.",
      z.number().positive().default(5),
    ),
    plan_cost: setting(
      "The most that it may spend, in US dollars.",
      z.number().positive().default(1),
    ),
  }),
  gate: section("The rules that a story's changes must follow before they count.", {
    protected: setting(
      "Files that no story may change, as globs.",
      z
        .array(glob)
        .default([
          ".saga/config.toml",
          ".claude/settings*.json",
          ".claude/hooks/**",
          ".mcp.json",
          ".github/workflows/**",
        ]),
    ),
    check_minutes: setting(
      "The time limit of a check, in minutes.",
      z.number().positive().default(DEFAULT_CHECK_MINUTES),
    ),
    reuse_receipts: setting(
      "Whether a check that passed on the same code counts without running again. Turn it off if your checks depend on more than the code.",
      z.boolean().default(true),
    ),
    inspect_minutes: setting(
      "The time limit of a tester or reviewer, in minutes.",
      z.number().positive().default(15),
    ),
    fix_rounds: setting(
      "How many times per run the agent may fix what the gate refused.",
      z.int().min(0).default(2),
    ),
    max_files: setting(
      "The maximum number of files that a story may change.",
      z.int().min(1).default(100),
    ),
    max_lines: setting(
      "The maximum number of lines that it may add and delete; lock files do not count.",
      z.int().min(1).default(5000),
    ),
    max_deleted_files: setting(
      "The maximum number of files that it may delete.",
      z.int().min(0).default(20),
    ),
    max_deleted_percent: setting(
      "The maximum share of all files that it may delete, in percent.",
      z.number().min(0).max(100).default(30),
    ),
    max_binary_kb: setting(
      "The maximum size of its binary files together, in kB.",
      z.int().min(0).default(1024),
    ),
    secrets: setting(
      "Whether added text is searched for keys, tokens and passwords.",
      z.boolean().default(true),
    ),
    secrets_allow: setting(
      "Text that only looks like a secret, or globs of files with such text.",
      z.array(z.string().regex(/\S/, "is empty")).default([]),
    ),
  }),
  ...poolSections,
};
