import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canMount, fill, mounted } from "../../../test/support/disk.ts";
import { bundle, killAtHook, plainEnv, runNode } from "../../../test/support/programs.ts";
import { newProject, type Project } from "../../../test/support/project.ts";
import { newWebhook, type Webhook } from "../../../test/support/webhook.ts";
import { newRedactor } from "../../machine/files/redact.ts";
import type { Notification } from "../../story/prompts/notification.ts";
import { configSchema, settingsOf, type Settings } from "../../story/settings/settings.ts";
import {
  notificationVariables,
  sendToChannels,
  type SendResult,
  type SendContext,
} from "./send.ts";

const notice: Notification = {
  key: "story/s/1/failed",
  kind: "failed",
  story: "s",
  title: "Failed: Add a login",
  text: "The tests fail.",
  next: "saga logs s",
};

const withNotices = (notices: Record<string, unknown>): Settings =>
  settingsOf(configSchema.parse({ notices }));

const PATH = process.env["PATH"];

const sendIn = (
  project: Project,
  notices: Record<string, unknown>,
  more: Partial<SendContext> = {},
  notification: Notification = notice,
): Promise<SendResult> =>
  sendToChannels(notification, {
    project: project.path,
    settings: withNotices(notices),
    env: { PATH },
    redact: newRedactor([]),
    now: Date.now,
    ...more,
  });

function aTerminal(): { isTerminal: boolean; write: (text: string) => void; text: () => string } {
  let written = "";
  return { isTerminal: true, write: (text) => void (written += text), text: () => written };
}

const aWebhook = (status = 200): Promise<Webhook> =>
  newWebhook((response) => void response.writeHead(status).end());

const textsAt = ({ received }: Webhook): string[] =>
  received.map(({ body }) => (JSON.parse(body) as { text: string }).text);

describe("a notification is sent", () => {
  it("over every channel that is set, once", async () => {
    const project = newProject("shop");
    const hook = await aWebhook();
    const terminal = aTerminal();
    chmodSync(project.write("bin/notify-send", '#!/bin/sh\necho >> "$0.sent"\n'), 0o755);
    const env = { PATH: `${project.path}/bin:${PATH}`, HOOK: hook.address };
    const command = 'cat >> input; echo "$SAGA_NOTICE_KIND" >> kind';
    const notices = { desktop: true, command, webhook_env: "HOOK" };
    const context = { env, terminal, platform: "linux" } as const;
    expect(await sendIn(project, notices, context)).toEqual({
      sent: ["bell", "desktop", "command", "webhook"],
      warnings: [],
    });
    expect(terminal.text()).toBe("\u0007");
    expect(textsAt(hook)).toEqual(["*Failed: Add a login* (shop)\nThe tests fail.\n`saga logs s`"]);
    expect(JSON.parse(project.read("input"))).toEqual({ ...notice, project: project.path });
    expect(project.read("kind")).toBe("failed\n");

    expect(await sendIn(project, notices, context)).toEqual({ sent: [], warnings: [] });
    expect(textsAt(hook)).toHaveLength(1);
    expect(project.read("kind")).toBe("failed\n");
    expect(project.read("bin/notify-send.sent")).toBe("\n");
    expect(terminal.text()).toBe("\u0007");
  });

  it("to the command with all its facts, in the project's folder", async () => {
    const project = newProject();
    const about: Notification = { ...notice, epic: "e", title: "A\nB", text: "$(touch pwned)" };
    await sendIn(project, { command: "env | grep ^SAGA_ | sort > sent" }, {}, about);
    expect(project.read("sent").trimEnd().split("\n")).toEqual([
      "SAGA_NOTICE_EPIC=e",
      "SAGA_NOTICE_KIND=failed",
      `SAGA_NOTICE_PROJECT=${project.path}`,
      "SAGA_NOTICE_STORY=s",
      "SAGA_NOTICE_TEXT=$(touch pwned)",
      "SAGA_NOTICE_TITLE=A B",
    ]);
    expect(existsSync(join(project.path, "pwned"))).toBe(false);
  });

  it("without the secrets that the caller knows and the webhook's address", async () => {
    const project = newProject();
    const hook = await aWebhook();
    const leaking: Notification = {
      ...notice,
      title: "Failed: hunter2hunter2",
      text: `curl ${hook.address} and /services/T0/B0/secret with hunter2hunter2`,
    };
    const notices = { webhook: hook.address, command: "cat; env; exit 1" };
    const redact = newRedactor(["hunter2hunter2"]);
    const { warnings } = await sendIn(project, notices, { redact }, leaking);
    expect(textsAt(hook)).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    for (const text of [...textsAt(hook), ...warnings]) {
      expect(text).not.toMatch(/hunter2|T0\/B0\/secret/);
      expect(text).toContain("…");
    }
  });

  it("to the address in the variable rather than the one in the file", async () => {
    const [inFile, inVariable] = [await aWebhook(), await aWebhook()];
    const notices = { webhook: inFile.address, webhook_env: "HOOK" };
    const env = { PATH, HOOK: ` ${inVariable.address}\n` };
    await sendIn(newProject(), notices, { env });
    expect([textsAt(inFile).length, textsAt(inVariable).length]).toEqual([0, 1]);
    await sendIn(newProject(), notices);
    expect([textsAt(inFile).length, textsAt(inVariable).length]).toEqual([1, 1]);
  });
});

describe("a notification is not sent", () => {
  const nothing = { sent: [], warnings: [] };

  it("when the settings leave out its kind", async () => {
    const project = newProject();
    expect(await sendIn(project, { command: "touch sent", on: ["review"] })).toEqual(nothing);
    expect(await sendIn(project, { command: "touch sent", on: [] })).toEqual(nothing);
    expect(readdirSync(project.path)).toEqual([".saga"]);
  });

  it("without a channel here: another process may send it later", async () => {
    const project = newProject();
    const terminal = { ...aTerminal(), isTerminal: false };
    expect(await sendIn(project, { webhook_env: "NOT_SET" }, { terminal })).toEqual(nothing);
    expect(await sendIn(project, {}, { terminal: aTerminal() })).toMatchObject({ sent: ["bell"] });
  });

  it("over channels that the caller leaves out: another process may use them", async () => {
    const project = newProject();
    const notices = { command: "echo >> sent" };
    const terminal = aTerminal();
    const only = await sendIn(project, notices, { terminal, channels: ["bell"] });
    expect(only.sent).toEqual(["bell"]);
    expect((await sendIn(project, notices, { terminal })).sent).toEqual(["command"]);
    expect((await sendIn(project, notices, { terminal })).sent).toEqual([]);
  });

  it("to an invalid address, with a warning that does not show it", async () => {
    const env = { PATH, HOOK: "http://example.com/very-secret" };
    expect(await sendIn(newProject(), { webhook_env: "HOOK" }, { env })).toEqual({
      sent: [],
      warnings: ["The address in HOOK is neither an https address nor one of this machine."],
    });
  });
});

describe("a channel that fails", () => {
  it("gives a warning, does not stop the others, and is tried three times in all", async () => {
    const project = newProject();
    const hook = await aWebhook(404);
    const terminal = aTerminal();
    const notices = { webhook: hook.address, command: "echo oh >&2; exit 3" };
    const warnings = [
      "The notification command failed with exit code 3: oh",
      "The webhook answered 404.",
    ];
    for (const sent of [["bell"], [], []]) {
      const result = await sendIn(project, notices, { terminal });
      expect(result.sent).toEqual(sent);
      expect(result.warnings.toSorted()).toEqual(warnings);
    }
    expect(await sendIn(project, notices, { terminal })).toEqual({ sent: [], warnings: [] });
    expect(textsAt(hook)).toHaveLength(3);
  });

  it("gives a warning even when the program throws", async () => {
    const write = (): void => {
      throw new Error("write EPIPE");
    };
    const terminal = { isTerminal: true, write };
    const result = await sendIn(newProject(), { command: "a\0b" }, { terminal });
    expect(result.sent).toEqual([]);
    expect(result.warnings).toHaveLength(2);
    expect(result.warnings).toContain("write EPIPE");
  });

  it.runIf(canMount)(
    "is not recorded on a full disk, and the notification is still sent",
    async () => {
      const disk = mounted(64);
      fill(disk, 0);
      const terminal = aTerminal();
      const result = await sendIn({ ...newProject(), path: disk }, {}, { terminal });
      expect(result.sent).toEqual(["bell"]);
      expect(result.warnings).toHaveLength(1);
      expect(result.warnings[0]).toMatch(/may be sent again: Cannot write .*: the disk is full/);
    },
  );
});

describe("several processes", () => {
  it("send each of twenty notifications once", async () => {
    const project = newProject();
    const hook = await aWebhook();
    const sayer = await bundle("test/support/processes/sender.ts");
    const words = [sayer, project.path, JSON.stringify({ webhook: hook.address }), "20"];
    const ended = await Promise.all(
      Array.from({ length: 8 }, () => runNode(words, { cwd: project.path })),
    );
    const results = ended.map(({ stdout }) => JSON.parse(stdout) as SendResult);
    expect(results.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(results.flatMap(({ sent }) => sent)).toHaveLength(20);
    const titles = textsAt(hook)
      .map((text) => text.replace(/\n.*/s, ""))
      .toSorted();
    const wanted = Array.from({ length: 20 }, (_, at) => `*Failed: ${at}* (project)`);
    expect(titles).toEqual(wanted.toSorted());
  });

  it("send a notification whose sender was killed", async () => {
    const project = newProject();
    const command = "test -e killed || { touch killed; kill -KILL $PPID; exit 1; }; echo >> sent";
    const sayer = await bundle("test/support/processes/sender.ts");
    const words = [sayer, project.path, JSON.stringify({ command })];
    expect((await runNode(words, { cwd: project.path })).signal).toBe("SIGKILL");
    expect(existsSync(join(project.path, "sent"))).toBe(false);
    const next = await runNode(words, { cwd: project.path });
    expect(JSON.parse(next.stdout)).toEqual({ sent: ["command"], warnings: [] });
    const third = await runNode(words, { cwd: project.path });
    expect(JSON.parse(third.stdout)).toEqual({ sent: [], warnings: [] });
    expect(project.read("sent")).toBe("\n");
  });

  it("send it once or twice, wherever one is killed", async () => {
    const sayer = await bundle("test/support/processes/sender.ts");
    const command = "echo >> sent";
    let twice = 0;
    let kills = 0;
    for (let killAt = 1; ; killAt++) {
      const project = newProject();
      const words = [sayer, project.path, JSON.stringify({ command })];
      const env = plainEnv(project.path, { KILL_AT: String(killAt) });
      const options = { cwd: project.path, env };
      const { signal } = await runNode(["--require", killAtHook, ...words], options);
      if (signal !== "SIGKILL") break;
      kills++;
      for (let round = 0; round < 2; round++) {
        const { stdout } = await runNode(words, { cwd: project.path });
        expect(JSON.parse(stdout), `killed at ${killAt}`).toMatchObject({ warnings: [] });
      }
      const times = project.read("sent").length;
      expect([1, 2], `killed at ${killAt}`).toContain(times);
      if (times === 2) twice++;
    }
    expect(kills).toBeGreaterThan(10);
    // Twice only if killed between the end of the command and its record.
    expect(twice).toBeLessThan(kills / 2);
  });
});

describe("sending", () => {
  it("needs the variable of the address, and those of the desktop when it is used", () => {
    expect(notificationVariables(withNotices({ desktop: false }))).toEqual([]);
    expect(notificationVariables(withNotices({ webhook_env: "HOOK", desktop: false }))).toEqual([
      "HOOK",
    ]);
    expect(notificationVariables(withNotices({}))).toContain("DISPLAY");
    expect(notificationVariables(withNotices({ desktop: true }))).toContain("WAYLAND_DISPLAY");
    expect(notificationVariables(withNotices({ command: "x" }))).toContain("DISPLAY");
  });
});
