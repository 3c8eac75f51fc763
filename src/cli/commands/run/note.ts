import { SagaError } from "../../../errors.ts";
import { isRunning, type StoryState } from "../../../story/state/state.ts";
import type { Build } from "../../program/command.ts";

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "note",
        "Write a note to a story's agent. A running agent gets it with its next tool call, otherwise the next run does.",
        [
          'saga note add-login "Keep the old route until March."',
          "saga note add-login - < note.md",
        ],
      )
      .argument("<story>", "the story")
      .argument("<text>", "the note; - reads it from standard input"),
    async ({ io, openProject }, [storyId = "", word = ""]) => {
      const text = (word === "-" ? await io.readInput() : word).trim();
      if (text === "") {
        throw new SagaError("usage", "The note is empty.", {
          hint: `Write it as \`saga note ${storyId} "…"\`.`,
        });
      }
      const store = openProject();
      const { state } = await store.viewStory(storyId);
      const [title = "", ...rest] = text.split(/\r?\n/);
      const at = new Date().toISOString();
      const body = rest.join("\n").trim();
      const entry = await store.appendJournal(storyId, { kind: "note", at, title, body });
      return {
        json: { story: storyId, entry, isRunning: isRunning(state) },
        text: (paint) => `${paint("green", "✓")} ${outlook(storyId, state)}\n`,
      };
    },
  );

function outlook(storyId: string, state: StoryState): string {
  if (isRunning(state)) return `Noted. The agent of ${storyId} gets it with its next tool call.`;
  if (state === "completed") {
    return `Kept in the journal of ${storyId}. It is completed, so no agent will read it.`;
  }
  if (state === "review") {
    return `Noted. All tasks of ${storyId} are completed. To have it changed: \`saga send-back ${storyId} "…" --run\`.`;
  }
  return `Noted. The next run of ${storyId} gets it.`;
}
