import { spawnSync } from "node:child_process";
import { SagaError } from "../../../errors.ts";
import { attachCommand, tmuxEnvironment } from "../../../machine/programs/tmux.ts";
import { findProject } from "../../../store/project/layout.ts";
import { isPoolName } from "../../../story/definition/names.ts";
import type { Build } from "../../program/command.ts";
import { sagaSessions, type SagaSession } from "../../watch/session-list.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("attach", "Look into a running session. Leave it with Ctrl-b d; it goes on.", [
        "saga attach add-login",
        "saga attach saga-story-add-login-1763240000000",
      ])
      .argument("<story-or-epic>", "a story, an epic that is being run, or the name of a session"),
    async ({ io, cwd }, [given = ""]) => {
      const session = chooseSession(await sagaSessions(io.env), given, findProject(cwd));
      const [program = "", ...args] = attachCommand(session.name);
      if (!io.isTerminal) {
        throw new SagaError("usage", "This is not a terminal.", {
          hint: `In one, run \`${[program, ...args].join(" ")}\`.`,
        });
      }
      const target = args.at(-1) ?? "";
      const outside = tmuxEnvironment(io.env);
      const inside = { ...outside, TMUX: io.env["TMUX"] };
      // Inside tmux one changes the session; a tmux in a tmux helps nobody. A person whose tmux is
      // another server (`tmux -L`) has no other way.
      const isInside = Boolean(io.env["TMUX"]) && isThere(program, target, inside);
      const { status } = isInside
        ? spawnSync(program, ["switch-client", "-t", target], { stdio: "inherit", env: inside })
        : spawnSync(program, args, { stdio: "inherit", env: outside });
      return {
        json: { session: session.name },
        text: () => "",
        exitCode: status === 0 ? 0 : 1,
      };
    },
  );

const isThere = (tmux: string, target: string, env: NodeJS.ProcessEnv): boolean =>
  spawnSync(tmux, ["has-session", "-t", target], { stdio: "ignore", env }).status === 0;

/** By its name anywhere; by its story or epic only in this project, because others may have one like it. */
function chooseSession(
  sessions: readonly SagaSession[],
  given: string,
  project: string | undefined,
): SagaSession {
  const found = sessions.findLast(
    ({ name, storyId, epicId, folder }) =>
      name === given || ((storyId === given || epicId === given) && folder === project),
  );
  if (found) return found;
  throw new SagaError("not-found", `No session is running for ${JSON.stringify(given)}.`, {
    hint: isPoolName(given)
      ? "`saga sessions` lists them; `saga auto status` shows the pool, and `saga auto --detach` starts one in a session."
      : "`saga sessions` lists them; `saga logs` shows what ended ones did.",
  });
}
