/** A story in the old format: markdown with front matter. */
export const LEGACY_STORY = `---
id: login-form
title: "A login form: the first part"
status: in-progress
epic: auth
tasks:
  - id: t1
    title: Draw it
    status: completed
  - id: t2
    title: Wire it up
    status: pending
---

## Context

What it is about.
`;
