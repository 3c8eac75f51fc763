import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { chmodSync, existsSync, watch } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, type Project } from "../../../test/support/project.ts";
import { newWebhook } from "../../../test/support/webhook.ts";
import {
  hasDesktop,
  postToWebhook,
  ringBell,
  runNotificationCommand,
  showOnDesktop,
} from "./notify.ts";
import { startTimeOf } from "../processes/process-id.ts";

const env = { PATH: process.env["PATH"] };

describe("the bell", () => {
  it("rings in a terminal, and writes nothing else", () => {
    let written = "";
    expect(ringBell({ isTerminal: true, write: (text) => void (written += text) })).toBeUndefined();
    expect(written).toBe("\u0007");
  });

  it("is not written into a file or a pipe", () => {
    const write = (): void => expect.unreachable();
    expect(ringBell({ isTerminal: false, write })).toBe("The terminal's bell needs a terminal.");
  });
});

/** Replaces a program of the desktop: records its arguments, one per line, and its environment. */
function desktopProgram(name: string, then = "exit 0"): Project {
  const folder = newFolder();
  const file = folder.write(
    name,
    `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done > ${folder.path}/words\nenv > ${folder.path}/env\n${then}\n`,
  );
  chmodSync(file, 0o755);
  return folder;
}
const withProgram = (folder: Project): { readonly PATH: string } => ({
  PATH: `${folder.path}:${env.PATH}`,
});

describe("the desktop", () => {
  const shown = { title: "-u Blocked: $(id)", text: '<b>a</b> & \\n `id` "q"' };

  it("on Linux gets text without options, escapes or markup", async () => {
    const folder = desktopProgram("notify-send");
    expect(
      await showOnDesktop(shown, { env: withProgram(folder), platform: "linux" }),
    ).toBeUndefined();
    expect(folder.read("words").split("\n")).toEqual([
      "--",
      "Saga: -u Blocked: $(id)",
      '&lt;b&gt;a&lt;/b&gt; &amp; \\\\n `id` "q"',
      "",
    ]);
  });

  it("on a Mac gets text as arguments of a fixed script", async () => {
    const folder = desktopProgram("osascript");
    expect(
      await showOnDesktop(shown, { env: withProgram(folder), platform: "darwin" }),
    ).toBeUndefined();
    const words = folder.read("words").trimEnd().split("\n");
    expect(words.slice(-3)).toEqual(["Saga", shown.title, shown.text]);
    expect(words.slice(0, -3).join("\n")).not.toContain("Blocked");
  });

  it("gets the variables of the desktop, and no secrets", async () => {
    const folder = desktopProgram("notify-send");
    const more = { DISPLAY: ":7", DBUS_SESSION_BUS_ADDRESS: "unix:x", AWS_SECRET: "s" };
    await showOnDesktop(shown, { env: { ...withProgram(folder), ...more }, platform: "linux" });
    expect(folder.read("env")).toContain("DISPLAY=:7\n");
    expect(folder.read("env")).toContain("DBUS_SESSION_BUS_ADDRESS=unix:x\n");
    expect(folder.read("env")).not.toContain("AWS_SECRET");
  });

  it("is there if its program is installed and a desktop is running", () => {
    const PATH = desktopProgram("notify-send").path;
    const platform = "linux";
    expect(hasDesktop({ env: { PATH, DISPLAY: ":0" }, platform })).toBe(true);
    expect(hasDesktop({ env: { PATH, WAYLAND_DISPLAY: "wayland-0" }, platform })).toBe(true);
    expect(hasDesktop({ env: { PATH }, platform })).toBe(false);
    expect(hasDesktop({ env: { PATH: "/none", DISPLAY: ":0" }, platform })).toBe(false);
    expect(hasDesktop({ env: { PATH }, platform: "darwin" })).toBe(false);
  });

  it("without its program, or with one that fails or hangs, returns a message", async () => {
    const nowhere = { env: { PATH: "/nowhere" }, platform: "linux" } as const;
    expect(await showOnDesktop(shown, nowhere)).toBe(
      "Desktop notifications need `notify-send`, which is not on PATH.",
    );
    const failing = desktopProgram("notify-send", "echo no bus >&2; exit 1");
    expect(await showOnDesktop(shown, { env: withProgram(failing), platform: "linux" })).toBe(
      "`notify-send` failed with exit code 1: no bus",
    );
    const hanging = desktopProgram("notify-send", "exec sleep 1000");
    const place = { env: withProgram(hanging), platform: "linux", timeoutMs: 200 } as const;
    expect(await showOnDesktop(shown, place)).toBe(
      "`notify-send` was stopped after at most 0.2 s.",
    );
  });
});

describe("a notification command", () => {
  const send = (
    command: string,
    cwd: string,
    more: { readonly timeoutMs?: number; readonly stop?: AbortSignal } = {},
  ): Promise<string | undefined> =>
    runNotificationCommand(command, {
      cwd,
      env: { ...env, AWS_SECRET: "s" },
      variables: { SAGA_NOTICE_TITLE: "$(touch pwned); `touch pwned` \"'" },
      input: '{"kind":"failed"}\n',
      ...more,
    });

  it("gets the notification in variables and as input, in the project's folder", async () => {
    const folder = newFolder();
    const command =
      'printf %s "$SAGA_NOTICE_TITLE" > title; cat > input; echo "$AWS_SECRET" > secret';
    expect(await send(command, folder.path)).toBeUndefined();
    expect(folder.read("title")).toBe("$(touch pwned); `touch pwned` \"'");
    expect(folder.read("input")).toBe('{"kind":"failed"}\n');
    expect(folder.read("secret")).toBe("\n");
    expect(existsSync(join(folder.path, "pwned"))).toBe(false);
  });

  it("that fails returns the end of its output", async () => {
    const { path } = newFolder();
    expect(await send("echo no network >&2; exit 7", path)).toBe(
      "The notification command failed with exit code 7: no network",
    );
    expect(await send("exit 7", path)).toBe("The notification command failed with exit code 7.");
    expect(await send("kill -KILL $$", path)).toBe(
      "The notification command was killed by SIGKILL.",
    );
  });

  it("that fails after much output returns only its end", async () => {
    const problem = await send("yes x | head -c 5000000; echo the end; exit 1", newFolder().path);
    expect(problem).toMatch(/the end$/);
    expect(problem?.length).toBeLessThan(300);
  });

  it("need not read its input", async () => {
    expect(await send("exec <&-; true", newFolder().path)).toBeUndefined();
  });

  it("that hangs is ended with its children", async () => {
    const folder = newFolder();
    const changed = once(watch(folder.path), "change");
    const command = "trap '' TERM; sh -c 'echo $$ > child; exec sleep 1000' & wait; wait";
    const sending = send(command, folder.path, { timeoutMs: 1000 });
    await changed;
    expect(await sending).toBe("The notification command was stopped after at most 1 s.");
    expect(startTimeOf(Number(folder.read("child")))).toBeUndefined();
  });

  it("that leaves children behind is not waited for, and those that hold its output are ended", async () => {
    const folder = newFolder();
    const from = performance.now();
    expect(await send("sleep 1000 & echo $! > child", folder.path)).toBeUndefined();
    expect(performance.now() - from).toBeLessThan(10_000);
    // The signal was sent; the process may take a moment to end.
    await expect.poll(() => startTimeOf(Number(folder.read("child")))).toBeUndefined();
  });

  it("is ended on stop", async () => {
    const stop = AbortSignal.abort();
    expect(await send("exec sleep 1000", newFolder().path, { stop })).toMatch(/was stopped/);
  });

  it("without its folder returns a message", async () => {
    expect(await send("true", "/nowhere/at/all")).toMatch(/could not run/);
  });
});

const status = (code: number, headers: Record<string, string> = {}) => {
  return (response: ServerResponse): void => void response.writeHead(code, headers).end("words");
};
const quick = { pausesMs: [1, 1] };

describe("a webhook", () => {
  it("gets the notification as JSON", async () => {
    const { address, received } = await newWebhook(status(200));
    expect(await postToWebhook(address, { text: "ü" })).toBeUndefined();
    expect(received).toEqual([
      {
        path: "/services/T0/B0/secret",
        type: "application/json; charset=utf-8",
        body: '{"text":"ü"}',
      },
    ]);
  });

  it("that fails at first is retried", async () => {
    const { address, received } = await newWebhook((response, _, count) =>
      status(count < 3 ? 503 : 200)(response),
    );
    expect(await postToWebhook(address, {}, quick)).toBeUndefined();
    expect(received).toHaveLength(3);
  });

  it.each([500, 503, 429, 408])("that answers %i is tried three times in all", async (code) => {
    const { address, received } = await newWebhook(status(code));
    expect(await postToWebhook(address, {}, quick)).toBe(`The webhook answered ${code}, 3 times.`);
    expect(received).toHaveLength(3);
  });

  it.each([400, 403, 404, 410])("that answers %i is not retried", async (code) => {
    const { address, received } = await newWebhook(status(code));
    expect(await postToWebhook(address, {}, quick)).toBe(`The webhook answered ${code}.`);
    expect(received).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])("that redirects with %i is not followed", async (code) => {
    const elsewhere = await newWebhook(status(200));
    const { address } = await newWebhook(status(code, { location: elsewhere.address }));
    expect(await postToWebhook(address, {}, quick)).toBe(
      `The webhook answered ${code}: redirects are not followed.`,
    );
    expect(elsewhere.received).toEqual([]);
  });

  it("that never answers times out", async () => {
    const { address, received } = await newWebhook(() => undefined);
    expect(await postToWebhook(address, {}, { ...quick, timeoutMs: 500 })).toBe(
      "The webhook gave no answer within 0.5 s, 3 times.",
    );
    expect(received).toHaveLength(3);
  });

  it("that is slow is waited for", async () => {
    const { address, received } = await newWebhook((response) =>
      setTimeout(() => status(200)(response), 300),
    );
    expect(await postToWebhook(address, {})).toBeUndefined();
    expect(received).toHaveLength(1);
  });

  it("with an endless answer is not waited for", async () => {
    const { address } = await newWebhook((response) => void response.writeHead(200).write("and"));
    expect(await postToWebhook(address, {}, quick)).toBeUndefined();
  });

  it("that closes the connection or does not exist returns a message without its address", async () => {
    const { address } = await newWebhook((_, request) => void request.socket.destroy());
    expect(await postToWebhook(address, {}, quick)).toMatch(
      /^The webhook could not be reached \([A-Z_]+\), 3 times\.$/,
    );
    expect(await postToWebhook("http://127.0.0.1:1/secret", {}, quick)).not.toContain("secret");
    expect(await postToWebhook("https://user:secret@127.0.0.1:x/", {}, quick)).toBe(
      "The webhook's address is invalid.",
    );
  });

  it("is not waited for on stop", async () => {
    const stop = new AbortController();
    const { address, received } = await newWebhook(() => stop.abort());
    expect(await postToWebhook(address, {}, { stop: stop.signal })).toBe(
      "The webhook was not waited for.",
    );
    expect(received).toHaveLength(1);
  });

  it("is not retried after stop", async () => {
    const stop = new AbortController();
    const { address, received } = await newWebhook((response) => {
      status(500)(response);
      response.on("close", () => setTimeout(() => stop.abort(), 50));
    });
    const options = { stop: stop.signal, pausesMs: [60_000, 60_000] };
    expect(await postToWebhook(address, {}, options)).toMatch(
      /(?:answered 500|was not waited for)\.$/,
    );
    expect(received).toHaveLength(1);
  });
});
