// The rules of the gate. Without a schema, so that the page can use them.

export const FINDING_RULES = [
  "protected",
  "saga",
  "undeclared",
  "definition",
  "symlink",
  "submodule",
  "deletions",
  "binary",
  "size",
  "secret",
  "test",
  "review",
] as const;

/** The rules that a person may override. */
export const RULES = [...FINDING_RULES, "check"] as const;
