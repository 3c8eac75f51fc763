import { describe, expect, it } from "vitest";
import { legacyFindingKey, legacySetAside } from "./legacy-blocker.ts";
import { factsOf, setAsideBy } from "./blocker-key.ts";

describe("a finding of a receipt without keys", () => {
  it.each([
    ["protected", "It is protected by `.github/**`, and was changed.", "modified .github/**"],
    ["protected", "It is protected by `a`, and was put in the place of another.", "renamed-onto a"],
    [
      "saga",
      "It is Saga's, not this story's, and was replaced by another kind of file.",
      "type-changed",
    ],
    [
      "undeclared",
      "It was added, and is not among the files that the story declares to write.",
      "added",
    ],
    [
      "symlink",
      "It is a link to a place on this machine alone: `/etc/passwd`.",
      "absolute /etc/passwd",
    ],
    ["symlink", "It is a link that leads out of the repository: `../x`.", "outside ../x"],
    [
      "submodule",
      "It is a submodule that was not there before: nobody here has seen its files.",
      "new",
    ],
    [
      "deletions",
      "50 % of all files are deleted, 5 of 10; the most is 20 (`gate.max_deleted_percent`).",
      "max_deleted_percent",
    ],
    ["size", "900 lines are changed; the most is 400 (`gate.max_lines`).", "max_lines"],
    ["secret", "This looks like a secret: AWS Access Key ID.", "added AWS Access Key ID"],
    [
      "secret",
      "This looks like a secret: PrivateKey. It is in the commit 0123456789ab.",
      "history PrivateKey",
    ],
    [
      "secret",
      "This looks like a secret: PrivateKey. It is in the message of the commit 0123456789ab.",
      "message PrivateKey",
    ],
    ["secret", "It is too large to be searched for secrets: 12 MB of text.", "unsearched"],
    ["secret", "There are 40 more of this kind.", "more"],
    [
      "definition",
      "The check `npm test` was taken away after the story began.",
      "check-removed npm test",
    ],
    [
      "definition",
      "The check `t 2` of the task form was taken away after the story began.",
      "task-check-removed form t 2",
    ],
    [
      "definition",
      "It needed a reviewer when the story began, and does not any more.",
      "reviewer-removed",
    ],
    [
      "definition",
      "Which files it may change was taken away after the story began.",
      "write-files-removed",
    ],
    [
      "definition",
      "`src/**` came to the files that it may change after the story began.",
      "write-files-added src/**",
    ],
    [
      "definition",
      "`!a` went from the files that it may change after the story began.",
      "write-exception-removed !a",
    ],
    ["definition", "The task form was taken away after the story began.", "task-removed form"],
  ] as const)("of the rule %s gets the key of today: %s", (rule, message, key) => {
    expect(legacyFindingKey({ rule, message })).toBe(key);
  });

  it("with an unknown message is identified by its words, without numbers", () => {
    expect(factsOf({ rule: "size", message: "1 of 2 things." }).key).toBe("# of # things.");
  });
});

describe("an override of a receipt without keys", () => {
  it.each([
    [
      'protected "a.yml" It is protected by `*#.yml`, and was changed.',
      { rule: "protected", file: "a.yml", key: "modified *7.yml" },
    ],
    [
      'secret "a 1.ts" This looks like a secret: PrivateKey. It is in the commit #.',
      { rule: "secret", file: "a 1.ts", key: "history PrivateKey" },
    ],
    [
      "deletions # files are deleted; the most is # (`gate.max_deleted_files`).",
      { rule: "deletions", key: "max_deleted_files" },
    ],
    [
      "definition The check `t 2` was taken away after the story began.",
      { rule: "definition", key: "check-removed t 2" },
    ],
    ['check "npm" run test2', { rule: "check", key: '"npm" run test2' }],
    ["review", { rule: "review", key: "" }],
  ] as const)("is still set aside: %s", (name, blocker) => {
    expect(setAsideBy([name])(blocker)).toBe(true);
  });

  it("covers no other blocker", () => {
    const isSetAside = legacySetAside([
      'protected "a.yml" It is protected by `*.yml`, and was changed.',
      "definition The check `t #` was taken away after the story began.",
      "check one",
    ]);
    expect(isSetAside({ rule: "protected", file: "a.yml", key: "deleted *.yml" })).toBe(false);
    expect(isSetAside({ rule: "protected", file: "b.yml", key: "modified *.yml" })).toBe(false);
    expect(isSetAside({ rule: "definition", key: "check-removed t 2" })).toBe(false);
    expect(isSetAside({ rule: "check", key: "two" })).toBe(false);
  });
});
