// The WebSocket. Reconnects when the connection is lost, with a growing delay.

import type { FromPage, ToPage } from "../../protocol/messages.ts";

export interface Connection {
  /** Drops the message while disconnected: callers send again in `onOpen`. */
  readonly send: (message: FromPage) => void;
  /** After sleep or coming online: tests whether the connection still works. */
  readonly check: () => void;
  readonly close: () => void;
}

export interface ConnectionOptions {
  readonly open: () => WebSocket;
  readonly onOpen: () => void;
  readonly onLost: () => void;
  readonly onMessage: (message: ToPage) => void;
  /** Between 0 and 1, so that many pages do not reconnect at the same moment. */
  readonly random?: () => number;
  readonly answerWithinMs?: number;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8000;

export const delayBefore = (attempt: number, random: number): number =>
  Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random / 2);

export function connect(options: ConnectionOptions): Connection {
  const { random = Math.random, answerWithinMs = 4000 } = options;
  let attempt = 0;
  let isClosed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let unanswered: ReturnType<typeof setTimeout> | undefined;
  let socket = start();

  return {
    send,
    check() {
      if (isClosed) return;
      if (socket.readyState > WebSocket.OPEN) return reopen();
      // A socket may look open long after the other end is gone. A snapshot is an answer, and contains
      // what was missed during sleep.
      send({ type: "snapshot" });
      unanswered ??= setTimeout(reopen, answerWithinMs);
    },
    close() {
      isClosed = true;
      stopTimers();
      socket.close();
    },
  };

  function start(): WebSocket {
    const next = options.open();
    const isCurrent = (): boolean => next === socket && !isClosed;
    next.addEventListener("open", () => {
      if (!isCurrent()) return;
      attempt = 0;
      options.onOpen();
    });
    next.addEventListener("message", ({ data }) => {
      if (!isCurrent()) return;
      clearTimeout(unanswered);
      unanswered = undefined;
      options.onMessage(JSON.parse(String(data)) as ToPage);
    });
    next.addEventListener("close", () => {
      if (!isCurrent()) return;
      stopTimers();
      options.onLost();
      retry = setTimeout(reopen, delayBefore(attempt++, random()));
    });
    return next;
  }

  function reopen(): void {
    stopTimers();
    const old = socket;
    if (old.readyState === WebSocket.OPEN) options.onLost();
    socket = start();
    old.close();
  }

  function send(message: FromPage): void {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  function stopTimers(): void {
    clearTimeout(retry);
    clearTimeout(unanswered);
    unanswered = undefined;
  }
}
