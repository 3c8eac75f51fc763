import { attachCommand } from "../../../machine/programs/tmux.ts";
import { duration } from "../../../text/duration.ts";
import type { Build } from "../../program/command.ts";
import { columns, plain } from "../../output/terminal.ts";
import { sagaSessions } from "../../watch/session-list.ts";

export const build: Build = (builder) =>
  builder.action(
    builder.command("sessions", "List running sessions of all projects.", [
      "saga sessions",
      "saga sessions --json",
    ]),
    async ({ io }) => {
      const sessions = await sagaSessions(io.env);
      const nowMs = Date.now();
      return {
        json: {
          sessions: sessions.map(
            ({ name, storyId, epicId, startedAtMs, pid, outputFile, folder }) => ({
              session: name,
              story: storyId,
              epic: epicId,
              project: folder,
              startedAt: new Date(startedAtMs).toISOString(),
              pid,
              outputFile,
              attach: attachCommand(name),
            }),
          ),
        },
        text: (paint) =>
          sessions.length === 0
            ? "No sessions are running. `saga run <story>` starts one.\n"
            : `${columns([
                ["STORY", "FOR", "SESSION", "PROJECT"],
                ...sessions.map(({ name, storyId, epicId, startedAtMs, folder }) => [
                  plain(storyId ?? (epicId === undefined ? "-" : `${epicId} (epic)`)),
                  duration(nowMs - startedAtMs),
                  plain(name),
                  plain(folder),
                ]),
              ])
                .map((line, at) => (at === 0 ? paint("dim", line) : line))
                .join("\n")}\n`,
      };
    },
  );
