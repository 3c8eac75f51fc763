// Changes, and the findings of the diff rules.

import type { DiffEntry, Changes, FileVersion } from "../../src/repo/diff/changes.ts";
import { configSchema, settingsOf, type Settings } from "../../src/story/settings/settings.ts";
import { judgeDiff, type DiffRules } from "../../src/gate/diff.ts";

export const FILE: FileVersion = { id: "1".repeat(40), kind: "file", isExecutable: false };

export const OWN = ".saga/stories/add-login";

export const aChange = (path: string, more: Partial<DiffEntry> = {}): DiffEntry => ({
  path,
  status: "modified",
  from: undefined,
  addedLines: 1,
  deletedLines: 1,
  isBinary: false,
  bytes: 10,
  before: FILE,
  after: FILE,
  linkTarget: undefined,
  ...more,
});

export const deleted = (path: string): DiffEntry =>
  aChange(path, { status: "deleted", after: undefined });

export const renamed = (from: string, path: string): DiffEntry =>
  aChange(path, { status: "renamed", from });

export const many = (count: number, make: (path: string) => DiffEntry): DiffEntry[] =>
  Array.from({ length: count }, (_, i) => make(`src/${i}.ts`));

const DEFAULTS = settingsOf(configSchema.parse({})).gate;

interface Given {
  readonly writeFiles?: readonly string[] | undefined;
  readonly bounds?: DiffRules["bounds"];
  readonly limits?: Partial<Settings["gate"]>;
  readonly filesBefore?: number;
}

export function judge(files: readonly DiffEntry[], given: Given = {}) {
  const changes: Changes = { files, filesBefore: given.filesBefore ?? 1000 };
  const rules: DiffRules = {
    storyId: "add-login",
    writeFiles: given.writeFiles,
    bounds: given.bounds,
    limits: { ...DEFAULTS, ...given.limits },
  };
  return judgeDiff(changes, rules);
}

export const rulesOf = (files: readonly DiffEntry[], given?: Given): unknown[] =>
  judge(files, given).map(({ rule, file }) => [rule, file]);
