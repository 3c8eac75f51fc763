// The one WebSocket: opened, and opened again when it is lost, a little later each time.

import type { FromPage, ToPage } from "../../protocol/messages.ts";

export interface Connection {
  /** Nothing is kept for later: whoever needs an answer asks again when `onOpen` says so. */
  readonly say: (message: FromPage) => void;
  /** Back from sleep, or online again: is it still there? */
  readonly check: () => void;
  readonly close: () => void;
}

export interface ConnectionNeeds {
  readonly open: () => WebSocket;
  readonly onOpen: () => void;
  readonly onLost: () => void;
  readonly onMessage: (message: ToPage) => void;
  /** Between 0 and 1, so that many pages do not all come back at the same moment. */
  readonly random?: () => number;
  readonly answerWithinMs?: number;
}

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8000;

export const delayBefore = (attempt: number, random: number): number =>
  Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random / 2);

export function connect(needs: ConnectionNeeds): Connection {
  const { random = Math.random, answerWithinMs = 4000 } = needs;
  let attempt = 0;
  let isClosed = false;
  let again: ReturnType<typeof setTimeout> | undefined;
  let unanswered: ReturnType<typeof setTimeout> | undefined;
  let socket = start();

  return {
    say,
    check() {
      if (isClosed) return;
      if (socket.readyState > WebSocket.OPEN) return reopen();
      // A socket may look open long after the other end is gone. A snapshot is an answer, and what
      // was missed while asleep.
      say({ type: "snapshot" });
      unanswered ??= setTimeout(reopen, answerWithinMs);
    },
    close() {
      isClosed = true;
      stopTimers();
      socket.close();
    },
  };

  function start(): WebSocket {
    const next = needs.open();
    const isCurrent = (): boolean => next === socket && !isClosed;
    next.addEventListener("open", () => {
      if (!isCurrent()) return;
      attempt = 0;
      needs.onOpen();
    });
    next.addEventListener("message", ({ data }) => {
      if (!isCurrent()) return;
      clearTimeout(unanswered);
      unanswered = undefined;
      needs.onMessage(JSON.parse(String(data)) as ToPage);
    });
    next.addEventListener("close", () => {
      if (!isCurrent()) return;
      stopTimers();
      needs.onLost();
      again = setTimeout(reopen, delayBefore(attempt++, random()));
    });
    return next;
  }

  function reopen(): void {
    stopTimers();
    const old = socket;
    if (old.readyState === WebSocket.OPEN) needs.onLost();
    socket = start();
    old.close();
  }

  function say(message: FromPage): void {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  function stopTimers(): void {
    clearTimeout(again);
    clearTimeout(unanswered);
    unanswered = undefined;
  }
}
