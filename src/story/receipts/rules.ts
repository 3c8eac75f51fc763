// The rules that gates refuse work by. Without a schema, so that the page can share them.

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

/** What gates refuse by, and a person may set aside. */
export const RULES = [...FINDING_RULES, "check"] as const;
