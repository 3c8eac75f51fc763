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
import { noticeVariables, say, type Said, type Speaker } from "./send.ts";

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

const sayIn = (
  project: Project,
  notices: Record<string, unknown>,
  more: Partial<Speaker> = {},
  said: Notification = notice,
): Promise<Said> =>
  say(said, {
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

describe("a notice is said", () => {
  it("in every way that the settings ask for, and once", async () => {
    const project = newProject("shop");
    const hook = await aWebhook();
    const terminal = aTerminal();
    chmodSync(project.write("bin/notify-send", '#!/bin/sh\necho >> "$0.said"\n'), 0o755);
    const env = { PATH: `${project.path}/bin:${PATH}`, HOOK: hook.address };
    const command = 'cat >> input; echo "$SAGA_NOTICE_KIND" >> kind';
    const notices = { desktop: true, command, webhook_env: "HOOK" };
    const speaker = { env, terminal, platform: "linux" } as const;
    expect(await sayIn(project, notices, speaker)).toEqual({
      said: ["bell", "desktop", "command", "webhook"],
      warnings: [],
    });
    expect(terminal.text()).toBe("\u0007");
    expect(textsAt(hook)).toEqual(["*Failed: Add a login* (shop)\nThe tests fail.\n`saga logs s`"]);
    expect(JSON.parse(project.read("input"))).toEqual({ ...notice, project: project.path });
    expect(project.read("kind")).toBe("failed\n");

    expect(await sayIn(project, notices, speaker)).toEqual({ said: [], warnings: [] });
    expect(textsAt(hook)).toHaveLength(1);
    expect(project.read("kind")).toBe("failed\n");
    expect(project.read("bin/notify-send.said")).toBe("\n");
    expect(terminal.text()).toBe("\u0007");
  });

  it("to the command with everything it is about, in the project's folder", async () => {
    const project = newProject();
    const about: Notification = { ...notice, epic: "e", title: "A\nB", text: "$(touch pwned)" };
    await sayIn(project, { command: "env | grep ^SAGA_ | sort > said" }, {}, about);
    expect(project.read("said").trimEnd().split("\n")).toEqual([
      "SAGA_NOTICE_EPIC=e",
      "SAGA_NOTICE_KIND=failed",
      `SAGA_NOTICE_PROJECT=${project.path}`,
      "SAGA_NOTICE_STORY=s",
      "SAGA_NOTICE_TEXT=$(touch pwned)",
      "SAGA_NOTICE_TITLE=A B",
    ]);
    expect(existsSync(join(project.path, "pwned"))).toBe(false);
  });

  it("without the secrets that the caller knows, nor the webhook's own address", async () => {
    const project = newProject();
    const hook = await aWebhook();
    const leaking: Notification = {
      ...notice,
      title: "Failed: hunter2hunter2",
      text: `curl ${hook.address} and /services/T0/B0/secret with hunter2hunter2`,
    };
    const notices = { webhook: hook.address, command: "cat; env; exit 1" };
    const redact = newRedactor(["hunter2hunter2"]);
    const { warnings } = await sayIn(project, notices, { redact }, leaking);
    expect(textsAt(hook)).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    for (const text of [...textsAt(hook), ...warnings]) {
      expect(text).not.toMatch(/hunter2|T0\/B0\/secret/);
      expect(text).toContain("…");
    }
  });

  it("by the address in the variable rather than the one in the file", async () => {
    const [inFile, inVariable] = [await aWebhook(), await aWebhook()];
    const notices = { webhook: inFile.address, webhook_env: "HOOK" };
    const env = { PATH, HOOK: ` ${inVariable.address}\n` };
    await sayIn(newProject(), notices, { env });
    expect([textsAt(inFile).length, textsAt(inVariable).length]).toEqual([0, 1]);
    await sayIn(newProject(), notices);
    expect([textsAt(inFile).length, textsAt(inVariable).length]).toEqual([1, 1]);
  });
});

describe("a notice is not said", () => {
  const nothing = { said: [], warnings: [] };

  it("when the settings do not want its kind", async () => {
    const project = newProject();
    expect(await sayIn(project, { command: "touch said", on: ["review"] })).toEqual(nothing);
    expect(await sayIn(project, { command: "touch said", on: [] })).toEqual(nothing);
    expect(readdirSync(project.path)).toEqual([".saga"]);
  });

  it("when there is no way to: then someone else may say it later", async () => {
    const project = newProject();
    const terminal = { ...aTerminal(), isTerminal: false };
    expect(await sayIn(project, { webhook_env: "NOT_SET" }, { terminal })).toEqual(nothing);
    expect(await sayIn(project, {}, { terminal: aTerminal() })).toMatchObject({ said: ["bell"] });
  });

  it("in ways that the caller leaves out: others may still say it there", async () => {
    const project = newProject();
    const notices = { command: "echo >> said" };
    const terminal = aTerminal();
    const only = await sayIn(project, notices, { terminal, channels: ["bell"] });
    expect(only.said).toEqual(["bell"]);
    expect((await sayIn(project, notices, { terminal })).said).toEqual(["command"]);
    expect((await sayIn(project, notices, { terminal })).said).toEqual([]);
  });

  it("when an address is no address, which is a warning without it", async () => {
    const env = { PATH, HOOK: "http://example.com/very-secret" };
    expect(await sayIn(newProject(), { webhook_env: "HOOK" }, { env })).toEqual({
      said: [],
      warnings: ["The address in HOOK is neither an https address nor one of this machine."],
    });
  });
});

describe("what does not work", () => {
  it("is a warning, keeps nothing else from being said, and is tried again up to three times", async () => {
    const project = newProject();
    const hook = await aWebhook(404);
    const terminal = aTerminal();
    const notices = { webhook: hook.address, command: "echo oh >&2; exit 3" };
    const warnings = [
      "The notification command failed with exit code 3: oh",
      "The webhook answered 404.",
    ];
    for (const said of [["bell"], [], []]) {
      const result = await sayIn(project, notices, { terminal });
      expect(result.said).toEqual(said);
      expect(result.warnings.toSorted()).toEqual(warnings);
    }
    expect(await sayIn(project, notices, { terminal })).toEqual({ said: [], warnings: [] });
    expect(textsAt(hook)).toHaveLength(3);
  });

  it("is a warning even when it is the program itself that throws", async () => {
    const write = (): void => {
      throw new Error("write EPIPE");
    };
    const terminal = { isTerminal: true, write };
    const result = await sayIn(newProject(), { command: "a\0b" }, { terminal });
    expect(result.said).toEqual([]);
    expect(result.warnings).toHaveLength(2);
    expect(result.warnings).toContain("write EPIPE");
  });

  it.runIf(canMount)("is no memory on a full disk: then it is said all the same", async () => {
    const disk = mounted(64);
    fill(disk, 0);
    const terminal = aTerminal();
    const result = await sayIn({ ...newProject(), path: disk }, {}, { terminal });
    expect(result.said).toEqual(["bell"]);
    expect(result.warnings).toHaveLength(1);
    expect(result.warnings[0]).toMatch(/may be said again: Cannot write .*: the disk is full/);
  });
});

describe("several processes", () => {
  it("say each of twenty notices once between the eight of them", async () => {
    const project = newProject();
    const hook = await aWebhook();
    const sayer = await bundle("test/support/processes/sayer.ts");
    const words = [sayer, project.path, JSON.stringify({ webhook: hook.address }), "20"];
    const ended = await Promise.all(
      Array.from({ length: 8 }, () => runNode(words, { cwd: project.path })),
    );
    const results = ended.map(({ stdout }) => JSON.parse(stdout) as Said);
    expect(results.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect(results.flatMap(({ said }) => said)).toHaveLength(20);
    const titles = textsAt(hook)
      .map((text) => text.replace(/\n.*/s, ""))
      .toSorted();
    const wanted = Array.from({ length: 20 }, (_, at) => `*Failed: ${at}* (project)`);
    expect(titles).toEqual(wanted.toSorted());
  });

  it("leave nothing unsaid when one is killed while it says it", async () => {
    const project = newProject();
    const command = "test -e killed || { touch killed; kill -KILL $PPID; exit 1; }; echo >> said";
    const sayer = await bundle("test/support/processes/sayer.ts");
    const words = [sayer, project.path, JSON.stringify({ command })];
    expect((await runNode(words, { cwd: project.path })).signal).toBe("SIGKILL");
    expect(existsSync(join(project.path, "said"))).toBe(false);
    const next = await runNode(words, { cwd: project.path });
    expect(JSON.parse(next.stdout)).toEqual({ said: ["command"], warnings: [] });
    const third = await runNode(words, { cwd: project.path });
    expect(JSON.parse(third.stdout)).toEqual({ said: [], warnings: [] });
    expect(project.read("said")).toBe("\n");
  });

  it("say it at least once and at most twice, wherever one is killed", async () => {
    const sayer = await bundle("test/support/processes/sayer.ts");
    const command = "echo >> said";
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
      const times = project.read("said").length;
      expect([1, 2], `killed at ${killAt}`).toContain(times);
      if (times === 2) twice++;
    }
    expect(kills).toBeGreaterThan(10);
    // Only between the end of the command and the note of it.
    expect(twice).toBeLessThan(kills / 2);
  });
});

describe("whoever says things", () => {
  it("needs the variable of the address, and the way to the desktop when that is used", () => {
    expect(noticeVariables(withNotices({}))).toEqual([]);
    expect(noticeVariables(withNotices({ webhook_env: "HOOK" }))).toEqual(["HOOK"]);
    expect(noticeVariables(withNotices({ desktop: true }))).toContain("WAYLAND_DISPLAY");
    expect(noticeVariables(withNotices({ command: "x" }))).toContain("DISPLAY");
  });
});
