// What is asked before something ends or is given back: the same words wherever it is begun. Pure.

import type { PoolTaskCard } from "../../protocol.ts";
import type { Question } from "./act-dialog.tsx";

export const stopSession = (session: string): Question => ({
  about: "confirm",
  title: "Stop the session",
  text: `\`${session}\` ends, with its worker, its agent and everything they started. What was done stays; the story can be resumed.`,
  act: { act: "session-stop", session },
});

export const stopPool = (instance: string): Question => ({
  about: "confirm",
  title: "Stop the pool",
  text: "Its workers end, and what they hold goes back to the list.",
  act: { act: "pool-stop", instance },
});

export const releaseTask = ({ id, subject }: PoolTaskCard): Question => ({
  about: "release",
  task: id,
  subject,
});

/** What someone holds, or waits for a person. */
export const canRelease = ({ state }: PoolTaskCard): boolean =>
  state === "needs-you" || state === "working";
