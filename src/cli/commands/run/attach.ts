import { spawnSync } from "node:child_process";
import { SagaError } from "../../../errors.ts";
import { attachCommand, tmuxEnvironment } from "../../../machine/programs/tmux.ts";
import { openStore } from "../../../store/file-store.ts";
import { storyLease } from "../../../store/leases/lease-names.ts";
import { findProject } from "../../../store/project/layout.ts";
import { isPoolName } from "../../../story/definition/names.ts";
import type { Build } from "../../program/command.ts";
import { sagaSessions, type SagaSession } from "../../watch/session-list.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "attach",
        "Watch a running session. Detach with Ctrl-b d; the session keeps running.",
        ["saga attach add-login", "saga attach saga-story-add-login-1763240000000"],
      )
      .argument("<story-or-epic>", "a running story or epic, or the name of a session"),
    async ({ io, cwd }, [word = ""]) => {
      const session = await chooseSession(await sagaSessions(io.env), word, findProject(cwd));
      const [program = "", ...args] = attachCommand(session.name);
      if (!io.isTerminal) {
        throw new SagaError("usage", "Cannot attach: this is not a terminal.", {
          hint: `Run in a terminal: \`${[program, ...args].join(" ")}\`.`,
        });
      }
      const target = args.at(-1) ?? "";
      const outside = tmuxEnvironment(io.env);
      const inside = { ...outside, TMUX: io.env["TMUX"] };
      // Inside tmux, switch the client instead of nesting tmux. If the session is on another tmux server
      // (`tmux -L`), nesting is the only way.
      const isInside = Boolean(io.env["TMUX"]) && hasSession(program, target, inside);
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

/** The other machine of the fleet that works on the story. */
async function machineOf(project: string, storyId: string): Promise<string | undefined> {
  const lease = await openStore(project).leases.read(storyLease(storyId));
  return lease?.record.machine;
}

const hasSession = (tmux: string, target: string, env: NodeJS.ProcessEnv): boolean =>
  spawnSync(tmux, ["has-session", "-t", target], { stdio: "ignore", env }).status === 0;

/** By session name in all projects; by story or epic only in this project, because others may have the same id. */
async function chooseSession(
  sessions: readonly SagaSession[],
  word: string,
  project: string | undefined,
): Promise<SagaSession> {
  const found = sessions.findLast(
    ({ name, storyId, epicId, folder }) =>
      name === word || ((storyId === word || epicId === word) && folder === project),
  );
  if (found) return found;
  const machine = project === undefined ? undefined : await machineOf(project, word);
  if (machine !== undefined) {
    throw new SagaError("not-found", `${word} is running on ${machine}, another machine.`, {
      hint: `\`saga logs ${word} -f\` follows it from here; \`saga stop ${word}\` stops it.`,
    });
  }
  throw new SagaError("not-found", `No session is running for ${JSON.stringify(word)}.`, {
    hint: isPoolName(word)
      ? "`saga auto status` shows the pool; `saga auto --detach` starts one in a session."
      : "`saga sessions` lists running sessions; `saga logs` shows what an ended one did.",
    missingId: word,
  });
}
