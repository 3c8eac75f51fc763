// The part of this process's environment that other programs get. An allow-list, because the environment holds secrets.

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

export const PROXY_VARIABLES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
] as const;

/** Enough for an ordinary program. `more` names further variables. */
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
