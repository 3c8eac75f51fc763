// The settings of what runs while no person watches: the pool, recovery and notifications.

import * as z from "zod";
import { branch, prose } from "../definition/fields.ts";
import { NO_SECRET_WEBHOOK, NOTIFICATION_KINDS, WEBHOOK } from "../prompts/notification.ts";
import { folder, path, section, setting, text, variable } from "./section.ts";

export const poolSections = {
  auto: section("The pool, `saga auto`: several workers on a list of loose tasks.", {
    task_list_id: setting(
      "The list of Claude Code that the pool works through; by default `<project>-tasks`.",
      z
        .string()
        // Claude Code replaces every other character by a dash, and would use another folder.
        .regex(/^[A-Za-z0-9_-]+$/, "may only contain letters, digits, dashes and underscores")
        .optional(),
    ),
    tasks_root: setting(
      "The folder with the lists, if not Claude Code's own (~/.claude/tasks).",
      folder.optional(),
    ),
    context_config_path: setting(
      "The file with texts for agents before and after a task, by its label.",
      path.default(".claude/saga_task_context.toml"),
    ),
    workers: setting("How many tasks are worked on at once.", z.int().min(1).max(64).default(2)),
    max_attempts: setting(
      "After this many failures a task is parked until a person releases it.",
      z.int().min(1).default(3),
    ),
    checks: setting(
      "Commands that must pass before the work on any task is merged.",
      z.array(prose).default([]),
    ),
    target: setting("The branch that work is merged into, if not git.base.", branch),
    poll_seconds: setting(
      "How often the list is read, in seconds, in addition to when it changes.",
      z.number().positive().default(30),
    ),
    oversee: setting(
      "Whether an overseer watches `saga auto` and repairs what stops it.",
      z.boolean().default(false),
    ),
    repairs: setting(
      "How many times the overseer tries to repair the same failure before it asks you.",
      z.int().min(0).default(3),
    ),
    repair_pause: setting(
      "Seconds before the pool is restarted; doubled each time.",
      z.number().positive().default(10),
    ),
    repair_minutes: setting(
      "The time limit of a repair, in minutes.",
      z.number().positive().default(5),
    ),
    repair_cost: setting(
      "The most that it may spend, in US dollars.",
      z.number().positive().default(1),
    ),
    hang_seconds: setting(
      "A pool without a heartbeat for this many seconds counts as hung.",
      z
        .number()
        // The pool has a heartbeat every five seconds.
        .min(10)
        .default(60),
    ),
  }),
  recover: section("What to do with a story whose worker was killed.", {
    resume: setting(
      "Whether `saga recover` and `saga epic run` resume a story whose worker was killed.",
      z.boolean().default(false),
    ),
  }),
  notices: section(
    "How you are notified that something needs you or that an epic ended. Each notification is sent once.",
    {
      bell: setting("Whether the terminal's bell rings.", z.boolean().default(true)),
      desktop: setting(
        "Whether the desktop shows notifications, with notify-send, or osascript on a Mac; auto: where that works.",
        z
          .union([z.boolean(), z.literal("auto")], "is neither true, false nor auto")
          .default("auto"),
      ),
      command: setting(
        "A command to run; it gets SAGA_NOTICE_KIND, _STORY, _EPIC, _TITLE, _TEXT, _PROJECT, and JSON as input.",
        text,
      ),
      webhook_env: setting(
        "The variable with the address of a webhook of Slack or a service like it.",
        variable.optional(),
      ),
      webhook: setting(
        "The address itself, if it is not a secret; used when the variable is not set.",
        z
          .string()
          .regex(WEBHOOK, "is neither an https address nor one of this machine")
          .regex(
            NO_SECRET_WEBHOOK,
            "is a secret, and this file is in git: put it into a variable and name that in `webhook_env`",
          )
          .optional(),
      ),
      on: setting(
        "Which notifications are sent: everything that needs you, and the end of an epic.",
        z.array(z.enum(NOTIFICATION_KINDS)).default([...NOTIFICATION_KINDS]),
      ),
    },
  ),
};
