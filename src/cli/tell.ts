// Tells a person what became of a run, in the ways that the settings ask for. It never fails a command.

import { messageOf } from "../errors.ts";
import type { Environment } from "../machine/environment.ts";
import { newRedactor, secretsIn } from "../machine/redact.ts";
import { say } from "../store/say.ts";
import type { Store } from "../store/store.ts";
import { noticeOf } from "../story/notice.ts";
import type { Settings } from "../story/settings.ts";
import type { Ending } from "../worker/worker.ts";
import type { Io } from "./io.ts";

export async function tellOfRun(
  { store, settings, env, io }: { store: Store; settings: Settings; env: Environment; io: Io },
  storyId: string,
  { runId, outcome, reason, pullRequest }: Ending,
): Promise<void> {
  try {
    const { story } = await store.readStory(storyId);
    const notice = noticeOf(story, { id: runId, outcome, reason, pullRequest });
    if (notice === undefined) return;
    const { warnings } = await say(notice, {
      project: store.project,
      settings,
      env,
      redact: newRedactor(secretsIn(env)),
      now: Date.now,
      terminal: { isTerminal: io.isTerminal, write: io.writeOut },
    });
    for (const warning of warnings) io.writeError(`saga: ${warning}\n`);
  } catch (error) {
    io.writeError(`saga: A notice could not be given: ${messageOf(error)}\n`);
  }
}
