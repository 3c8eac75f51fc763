// A backlog.md project with many tasks, in its own format.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files only: it does not have to ask git for other branches. */
const CONFIG = `project_name: "bench"
default_status: "To Do"
statuses: ["To Do", "In Progress", "Done"]
labels: []
date_format: yyyy-mm-dd
remote_operations: false
auto_commit: false
filesystem_only: true
check_active_branches: false
task_prefix: "task"
`;

export function makeBacklog(project: string, tasks: number): void {
  mkdirSync(join(project, "backlog/tasks"), { recursive: true });
  writeFileSync(join(project, "backlog/config.yml"), CONFIG);
  for (let number = 1; number <= tasks; number++) {
    const file = join(project, `backlog/tasks/task-${number} - Number-${number}.md`);
    writeFileSync(file, taskText(number));
  }
  execFileSync("git", ["init", "--quiet"], { cwd: project });
}

const taskText = (number: number): string => `---
id: TASK-${number}
title: Number ${number}
status: To Do
assignee: []
created_date: '2026-01-01 00:00'
labels: []
dependencies: []
ordinal: ${number}000
---

## Description

${"A paragraph that says what is to be done and why. ".repeat(6)}
`;
