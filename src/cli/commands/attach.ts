import { spawnSync } from "node:child_process";
import { SagaError } from "../../errors.ts";
import { attachCommand, tmuxEnvironment } from "../../machine/tmux.ts";
import { findProject } from "../../store/layout.ts";
import { isPoolName } from "../../story/names.ts";
import type { Build } from "../command.ts";
import { sagaSessions, type SagaSession } from "../session-list.ts";

export const build: Build = (shell) =>
  shell.action(
    shell
      .command("attach", "Look into a running session. Leave it with Ctrl-b d; it goes on.", [
        "saga attach add-login",
        "saga attach saga-story-add-login-1763240000000",
      ])
      .argument("<story>", "a story, or the name of a session"),
    async ({ io, cwd }, [given = ""]) => {
      const session = chooseSession(await sagaSessions(io.env), given, findProject(cwd));
      const [program = "", ...args] = attachCommand(session.name);
      if (!io.isTerminal) {
        throw new SagaError("usage", "This is not a terminal.", {
          hint: `In one, run \`${[program, ...args].join(" ")}\`.`,
        });
      }
      // Inside tmux one changes the session; a tmux in a tmux helps nobody.
      const isInside = Boolean(io.env["TMUX"]);
      const words = isInside ? ["switch-client", "-t", args.at(-1) ?? ""] : args;
      const env = { ...tmuxEnvironment(io.env), ...(isInside && { TMUX: io.env["TMUX"] }) };
      const { status } = spawnSync(program, words, { stdio: "inherit", env });
      return {
        json: { session: session.name },
        text: () => "",
        exitCode: status === 0 ? 0 : 1,
      };
    },
  );

/** By its name anywhere; by its story only in this project, because others may have one like it. */
function chooseSession(
  sessions: readonly SagaSession[],
  given: string,
  project: string | undefined,
): SagaSession {
  const found = sessions.findLast(
    ({ name, storyId, folder }) => name === given || (storyId === given && folder === project),
  );
  if (found) return found;
  throw new SagaError("not-found", `No session is running for ${JSON.stringify(given)}.`, {
    hint: isPoolName(given)
      ? "`saga sessions` lists them; `saga auto status` shows the pool, and `saga auto --detach` starts one in a session."
      : "`saga sessions` lists them; `saga logs` shows what ended ones did.",
  });
}
