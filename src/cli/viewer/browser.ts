// Opens an address in the person's browser.

import { isAbsolute } from "node:path";
import { cookieName } from "../../dashboard/server/guard.ts";
import type { Address } from "../../dashboard/server/address.ts";
import { plainEnvironment, type Environment } from "../../machine/processes/environment.ts";
import { findProgram, isProgram } from "../../machine/processes/find-program.ts";
import { run } from "../../machine/processes/run.ts";
import type { Io } from "../program/io.ts";

/** Returns whether the browser could be started. */
export async function openInBrowser({ env }: Pick<Io, "env">, url: string): Promise<boolean> {
  const program =
    ownBrowser(env) ?? findProgram(process.platform === "darwin" ? "open" : "xdg-open", env);
  if (program === undefined) return false;
  const own = plainEnvironment(env, ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "BROWSER"]);
  const result = await run(program, [url], { env: own, timeoutMs: 10_000 });
  return result.kind === "exited" && result.exitCode === 0;
}

/** The person's choice, as a name or a path. `xdg-open` understands other forms. */
function ownBrowser({ BROWSER = "", ...env }: Environment): string | undefined {
  if (isAbsolute(BROWSER)) return isProgram(BROWSER) ? BROWSER : undefined;
  return BROWSER === "" ? undefined : findProgram(BROWSER, env);
}

/** Whether a dashboard is running at this address. */
export async function dashboardAnswers({ port, key }: Address): Promise<boolean> {
  const headers = { Cookie: `${cookieName(port)}=${key}` };
  const response = fetch(`http://127.0.0.1:${port}/api/ping`, {
    headers,
    signal: AbortSignal.timeout(2_000),
  });
  return response.then(
    ({ ok }) => ok,
    () => false,
  );
}
