// A process that sends notifications and prints what it sent. Arguments: project folder, notification settings as JSON,
// how many to send.

import { sendToChannels, type SendResult } from "../../../src/store/notifications/send.ts";
import { configSchema, settingsOf } from "../../../src/story/settings/settings.ts";

const [project = "", notices = "{}", count = "1"] = process.argv.slice(2);
const wanted: unknown = JSON.parse(notices);
const settings = settingsOf(configSchema.parse({ notices: wanted }));
const all: SendResult[] = [];
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
  all.push(
    await sendToChannels(notice, { project, settings, env: process.env, redact, now: Date.now }),
  );
}
process.stdout.write(
  JSON.stringify({
    sent: all.flatMap(({ sent }) => sent),
    warnings: all.flatMap(({ warnings }) => warnings),
  }),
);
