// A process that says notices, and then what it has said. Words: project folder, settings of notices
// as JSON, how many notices.

import { say, type Said } from "../../../src/store/notifications/send.ts";
import { configSchema, settingsOf } from "../../../src/story/settings/settings.ts";

const [project = "", notices = "{}", count = "1"] = process.argv.slice(2);
const wanted: unknown = JSON.parse(notices);
const settings = settingsOf(configSchema.parse({ notices: wanted }));
const all: Said[] = [];
for (let at = 0; at < Number(count); at++) {
  const notice = {
    key: `story/s/${at}/failed`,
    kind: "failed",
    story: "s",
    title: `Failed: ${at}`,
    text: "Why.",
    next: "saga logs s",
  } as const;
  const redact = (text: string): string => text;
  all.push(await say(notice, { project, settings, env: process.env, redact, now: Date.now }));
}
process.stdout.write(
  JSON.stringify({
    said: all.flatMap(({ said }) => said),
    warnings: all.flatMap(({ warnings }) => warnings),
  }),
);
