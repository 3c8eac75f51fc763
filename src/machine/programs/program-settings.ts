// The git settings that make git run a program, or lead it to settings that do.

export interface Setting {
  readonly key: string;
  /** Undefined for a key without an equals sign. */
  readonly value: string | undefined;
}

/** Git spells the first and the last part of a key in lower case. */
const RUNS = new RegExp(
  `^(?:${[
    String.raw`filter\..+\.(?:clean|smudge|process)`,
    String.raw`diff\.(?:.+\.)?(?:textconv|command|external)`,
    String.raw`merge\..+\.driver`,
    String.raw`(?:difftool|mergetool|browser|man)\..+\.(?:cmd|path)`,
    String.raw`core\.(?:hookspath|fsmonitor|sshcommand|gitproxy|askpass|editor|pager|worktree|attributesfile|alternaterefscommand|virtualfilesystem)`,
    String.raw`include(?:if\..+)?\.path`,
    String.raw`alias\..+`,
    String.raw`pager\..+`,
    String.raw`credential\.(?:.+\.)?helper`,
    String.raw`remote\..+\.(?:uploadpack|receivepack|vcs)`,
    String.raw`uploadpack\.packobjectshook`,
    String.raw`url\..+\.(?:push)?insteadof`,
    String.raw`gpg\.(?:.+\.)?(?:program|defaultkeycommand)`,
    String.raw`sequence\.editor`,
    String.raw`interactive\.difffilter`,
    String.raw`extensions\.worktreeconfig`,
    String.raw`protocol\..+`,
    String.raw`trailer\..+\.(?:command|cmd)`,
    String.raw`submodule\..+\.update`,
    String.raw`tar\..+\.command`,
    String.raw`gc\.recentobjectshook`,
    String.raw`hook\..+`,
    String.raw`init\.templatedir`,
    // Git LFS reads them from the same files.
    String.raw`lfs\.(?:customtransfer|extension)\..+`,
    String.raw`lfs\.(?:.+\.)?standalonetransferagent`,
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
