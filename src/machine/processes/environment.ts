// What other programs are given of this process's environment. A list of what may pass, because the
// parent's environment is where secrets live.

export type Environment = Readonly<Record<string, string | undefined>>;

const PLAIN = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
] as const;

/** How a program gets out, where it cannot go straight. */
export const PROXY_VARIABLES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
] as const;

/** Enough for an ordinary program. `more` names what this one needs besides. */
export function plainEnvironment(
  env: Environment,
  more: readonly string[] = [],
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of [...PLAIN, ...more]) {
    const value = env[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}
