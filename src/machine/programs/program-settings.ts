// The git settings that make git run a program, or lead it to settings that do.

export interface Setting {
  readonly key: string;
  /** Undefined for a key without an equals sign. */
  readonly value: string | undefined;
}

const { raw } = String;

/** Git spells the first and the last part of a key in lower case. */
const RUNS = new RegExp(
  `^(?:${[
    raw`filter\..+\.(?:clean|smudge|process)`,
    raw`diff\.(?:.+\.)?(?:textconv|command|external)`,
    raw`merge\..+\.driver`,
    raw`(?:difftool|mergetool|browser|man)\..+\.(?:cmd|path)`,
    raw`core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|askpass|editor|pager|worktree|attributesfile|alternaterefscommand|virtualfilesystem)`,
    raw`include(?:if\..+)?\.path`,
    raw`alias\..+`,
    raw`pager\..+`,
    raw`credential\.(?:.+\.)?helper`,
    raw`remote\..+\.(?:uploadpack|receivepack|vcs)`,
    raw`uploadpack\.packobjectshook`,
    raw`url\..+\.(?:push)?insteadof`,
    raw`gpg\.(?:.+\.)?(?:program|defaultkeycommand)`,
    raw`sequence\.editor`,
    raw`interactive\.difffilter`,
    raw`extensions\.worktreeconfig`,
    raw`protocol\..+`,
    raw`trailer\..+\.(?:command|cmd)`,
    raw`submodule\..+\.update`,
    raw`tar\..+\.command`,
    raw`gc\.recentobjectshook`,
    raw`hook\..+`,
    raw`init\.templatedir`,
    // Git LFS reads them from the same files.
    raw`lfs\.(?:customtransfer|extension)\..+`,
    raw`lfs\.(?:.+\.)?standalonetransferagent`,
  ].join("|")})$`,
  "s",
);

const ADDRESS = /^(?:remote\..+\.(?:url|pushurl))$/s;
/** `https://host/x`, `ssh://host/x`, `host:x`. */
const NETWORK = /^(?:(?:https?|ssh|git):\/\/|[^/:]+:(?!:|\/\/))/;

export const runsProgram = ({ key, value = "" }: Setting): boolean =>
  // A push to a folder of this machine runs the hooks there, and `name::address` runs `git-remote-name`.
  RUNS.test(key) || (ADDRESS.test(key) && !NETWORK.test(value));

/** The output of `git config --list --null`. */
export const settingsIn = (listed: string): Setting[] =>
  listed.split("\0").flatMap((text) => {
    if (text === "") return [];
    const end = text.indexOf("\n");
    return end < 0
      ? { key: text, value: undefined }
      : { key: text.slice(0, end), value: text.slice(end + 1) };
  });
