import { commandsPage } from "./commands.ts";
import { eventsPage } from "./events.ts";
import { filesPage } from "./files.ts";
import { settingsPage } from "./settings.ts";
import { troubleshootingPage } from "./troubleshooting.ts";
import { workerPromptPage } from "./worker-prompt.ts";

export const referencePages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ["docs/reference/commands.md", await commandsPage()],
    ["docs/reference/settings.md", settingsPage()],
    ["docs/reference/files.md", filesPage()],
    ["docs/reference/events.md", eventsPage()],
    ["docs/troubleshooting.md", troubleshootingPage()],
    ["plugin/skills/execute-story/worker-prompt.md", workerPromptPage()],
  ]);
