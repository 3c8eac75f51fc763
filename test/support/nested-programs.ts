/** Settings with which a repository names programs for git, run as `evil`. */
export const EVIL_SETTINGS = [
  "filter.evil.clean",
  "filter.evil.smudge",
  "filter.long.process",
  "diff.evil.textconv",
  "diff.evil.command",
  "diff.external",
  "merge.evil.driver",
  "core.fsmonitor",
  "core.sshCommand",
  "core.pager",
];
