// Requests to the dashboard's server.

import type { PageAction, ActionResult } from "../../protocol/actions.ts";

export async function fetchJson(address: string): Promise<unknown> {
  const response = await fetch(address, { headers: { accept: "application/json" } });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  throw new Error(messageIn(body) ?? `The server answered ${response.status}.`);
}

/** Whether the server runs and refuses this browser. A refused WebSocket does not say why. */
export const isLockedOut = (): Promise<boolean> =>
  fetch("/api/ping").then(
    ({ status }) => status === 401 || status === 403,
    () => false,
  );

/** Never throws: a server that does not respond is a failed action. */
export async function act(token: string, action: PageAction): Promise<ActionResult> {
  try {
    const response = await fetch("/api/act", {
      method: "POST",
      headers: { "content-type": "application/json", "x-saga-token": token },
      body: JSON.stringify(action),
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (isActionResult(body)) return body;
    return { isOk: false, message: messageIn(body) ?? `The server answered ${response.status}.` };
  } catch {
    return {
      isOk: false,
      message: "The dashboard server does not respond.",
      hint: "Is `saga dashboard` still running?",
    };
  }
}

const isActionResult = (body: unknown): body is ActionResult =>
  typeof body === "object" && body !== null && "isOk" in body;

function messageIn(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("message" in body)) return undefined;
  return typeof body.message === "string" ? body.message : undefined;
}
