import { describe, expect, it } from "vitest";
import { isHarmless } from "../../../test/support/refused.ts";
import {
  NO_SECRET_WEBHOOK,
  notificationOfRun,
  notificationOfEpic,
  notificationOfPool,
  notificationOfQuestion,
  slackPayload,
  WEBHOOK,
  readyToSend,
  type Notification,
} from "./notification.ts";

const story = { id: "add-login", title: "Add a login", epic: "accounts" };
const runId = "20261115T214800123Z-1a2b";
const asItIs = (text: string): string => text;

const aNotice = (more: Partial<Notification> = {}): Notification => ({
  key: "k",
  kind: "failed",
  title: "Failed: Add a login",
  text: "The tests fail.",
  next: "saga logs add-login",
  ...more,
});

describe("a notification of the pool", () => {
  it("has a key for each occasion of a list", () => {
    const occasion = {
      list: "chores",
      title: "12 needs you",
      text: "Why?",
      next: "saga task show 12",
    };
    expect(notificationOfPool({ ...occasion, occasion: "12/blocker" })).toEqual({
      key: "pool/chores/12/blocker",
      kind: "pool",
      title: "Pool: 12 needs you",
      text: "Why?",
      next: "saga task show 12",
    });
  });
});

describe("a notification of a run", () => {
  it("has the story, the reason and the next command", () => {
    expect(
      notificationOfRun(story, { id: runId, outcome: "failed", reason: "The tests fail." }),
    ).toEqual({
      key: `story/add-login/${runId}/failed`,
      kind: "failed",
      story: "add-login",
      epic: "accounts",
      title: "Failed: Add a login",
      text: "The tests fail.",
      next: "saga logs add-login",
    });
  });

  it.each([
    ["blocked", "blocked", "Blocked: Add a login", 'saga resolve add-login "…" --run'],
    ["limit", "limit", "Limit reached: Add a login", "saga resume add-login"],
    ["push-failed", "push-failed", "Push failed: Add a login", "saga push add-login"],
    ["killed", "killed", "Killed: Add a login", "saga resume add-login"],
    ["done", "review", "Ready for review: Add a login", "saga show add-login"],
    [undefined, "killed", "Killed: Add a login", "saga resume add-login"],
  ] as const)("that ended with %s is %s", (outcome, kind, title, next) => {
    const notice = notificationOfRun(story, { id: runId, outcome, reason: "So." });
    expect(notice).toMatchObject({ kind, title, next, text: "So." });
  });

  it("is not made when a person stopped it", () => {
    expect(
      notificationOfRun(story, { id: runId, outcome: "stopped", reason: "Asked to." }),
    ).toBeUndefined();
  });

  it("has a reason for a killed run, which could not write one", () => {
    expect(notificationOfRun(story, { id: runId })?.text).toBe("Its worker was killed.");
  });

  it("has the address of the pull request", () => {
    const pullRequest = "https://github.com/a/b/pull/7";
    expect(
      notificationOfRun(story, { id: runId, outcome: "done", reason: "Done.", pullRequest })?.text,
    ).toBe(`Done. ${pullRequest}`);
  });

  it("has the same key in every process, and another for another run, story or kind", () => {
    const key = (id: string, run: string, outcome: "failed" | "limit"): string | undefined =>
      notificationOfRun({ id, title: String(Math.random()) }, { id: run, outcome })?.key;
    expect(key("a", "1", "failed")).toBe(key("a", "1", "failed"));
    const keys = [
      key("a", "1", "failed"),
      key("b", "1", "failed"),
      key("a", "2", "failed"),
      key("a", "1", "limit"),
      notificationOfEpic({ id: "a", title: "A" }, { runId: "1", isDone: false, reason: "" }).key,
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("a notification of a question that a command asks", () => {
  it("has the same key in every process, and another for the next question", () => {
    const question = { at: "2030-01-01T00:00:00.000Z", title: "How is it to be resolved?" };
    const notice = notificationOfQuestion(story, question);
    expect(notice).toMatchObject({
      kind: "blocked",
      story: "add-login",
      epic: "accounts",
      title: "Blocked: Add a login",
      text: "How is it to be resolved?",
      next: 'saga resolve add-login "…" --run',
    });
    expect(notificationOfQuestion(story, { ...question }).key).toBe(notice.key);
    const later = { ...question, at: "2030-01-02T00:00:00.000Z" };
    expect(notificationOfQuestion(story, later).key).not.toBe(notice.key);
  });
});

describe("a notification of an epic", () => {
  const epic = { id: "accounts", title: "Accounts" };

  it("says that it is done, or why it stopped", () => {
    expect(notificationOfEpic(epic, { runId: "1", isDone: true, reason: "5 stories." })).toEqual({
      key: "epic/accounts/1/epic-done",
      kind: "epic-done",
      epic: "accounts",
      title: "Epic done: Accounts",
      text: "5 stories.",
      next: "saga show accounts",
    });
    const stopped = notificationOfEpic(epic, { runId: "1", isDone: false, reason: "One failed." });
    expect(stopped).toMatchObject({ kind: "epic-stopped", title: "Epic stopped: Accounts" });
  });
});

const HOSTILE = [
  "two\nlines\r\nand a\ttab",
  "red \u001b[31mtext\u001b[0m and a bell \u0007",
  "\u001b]0;title\u0007 of a terminal",
  "turned \u202e around \u2066 here",
  "a line\u2028separator",
  "\u0000 nothing \u009b",
  "half a pair \ud83d",
];

describe("the text to send", () => {
  it.each(HOSTILE)("is one harmless line, of %j", (hostile) => {
    const { title, text, next } = readyToSend(
      aNotice({ title: hostile, text: hostile, next: hostile }),
      asItIs,
    );
    for (const line of [title, text, next]) {
      expect(isHarmless(line)).toBe(true);
      expect(line).not.toMatch(/[\n\t]|^\s|\s$|\p{Cs}/u);
      expect(line).not.toBe("");
    }
  });

  it("loses colours as a whole", () => {
    expect(readyToSend(aNotice({ text: "a \u001b[1;31mred\u001b[0m word" }), asItIs).text).toBe(
      "a red word",
    );
  });

  it("is short, whatever the reason", () => {
    const long = readyToSend(
      aNotice({ title: "x".repeat(100_000), text: "ä ".repeat(50_000) }),
      asItIs,
    );
    expect(long.title).toHaveLength(120);
    expect(long.text).toHaveLength(500);
    expect(long.text).toMatch(/ ä…$/);
  });

  it("is never cut inside a character", () => {
    for (const before of ["", "a"]) {
      const { text } = readyToSend(aNotice({ text: `${before}${"😀".repeat(400)}` }), asItIs);
      expect(text).not.toMatch(/\p{Cs}/u);
      expect(text).toMatch(/😀…$/u);
    }
  });

  it("contains no secret, not even half of one at its end, or one with a line break", () => {
    const redact = (text: string): string => text.replaceAll("hunter2 hunter2", "…");
    const atTheEnd = `${"x".repeat(490)} hunter2 hunter2`;
    expect(readyToSend(aNotice({ text: atTheEnd }), redact).text).not.toContain("hunter2");
    const broken = aNotice({ title: "hunter2\nhunter2", text: "hunter2\u001b[0m hunter2" });
    const { title, text } = readyToSend(broken, redact);
    expect([title, text]).toEqual(["…", "…"]);
  });

  it("goes through the redactor in every field", () => {
    const notice = aNotice({ story: "s", epic: "e" });
    const message = readyToSend(notice, (text) => `<${text}>`);
    expect(message).toMatchObject({
      key: notice.key,
      story: "<<s>>",
      epic: "<<e>>",
      title: `<<${notice.title}>>`,
      text: `<<${notice.text}>>`,
      next: `<<${notice.next}>>`,
    });
  });
});

describe("the payload for Slack", () => {
  const payload = (more: Partial<Notification>, project = "shop"): string =>
    slackPayload(readyToSend(aNotice(more), asItIs), project).text;

  it("is a headline with the project, the reason, and the command", () => {
    expect(payload({})).toBe(
      "*Failed: Add a login* (shop)\nThe tests fail.\n`saga logs add-login`",
    );
  });

  it("has no empty line when there is no reason", () => {
    expect(payload({ text: "" })).toBe("*Failed: Add a login* (shop)\n`saga logs add-login`");
  });

  it.each([
    ["<!channel> look", "&lt;!channel&gt; look"],
    [
      "<@U123> & <https://evil.example|here>",
      "&lt;@\u200bU123&gt; &amp; &lt;https://evil.example|here&gt;",
    ],
    ["&lt;!here&gt;", "&amp;lt;!here&amp;gt;"],
    ["@everyone @channel a@b.example", "@\u200beveryone @\u200bchannel a@\u200bb.example"],
    ["one\ntwo", "one two"],
  ])("mentions no one and keeps its format: %j", (hostile, message) => {
    expect(payload({ title: hostile, text: hostile, next: hostile }, hostile)).toBe(
      `*${message}* (${message})\n${message}\n\`${message}\``,
    );
  });

  it("stays small, whatever the reason", () => {
    expect(payload({ title: "<".repeat(100_000), text: "&".repeat(100_000) }).length).toBeLessThan(
      4_000,
    );
  });
});

describe("the address of a webhook", () => {
  it.each([
    "https://hooks.slack.com/services/T0/B0/xyz",
    "https://chat.example:8443/hooks/abc?x=1#y",
    "https://example.com",
    "http://localhost:8065/hooks/abc",
    "http://127.0.0.1:9",
    "http://[::1]:8080/x",
  ])("may be %s", (address) => {
    expect(address).toMatch(WEBHOOK);
  });

  it.each([
    "",
    "hooks.slack.com/x",
    "http://example.com/x",
    "http://127.0.0.1@evil.example/",
    "http://127.0.0.1:80@evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://127.0.0.1\\@evil.example/",
    "http://localhost.evil.example/",
    "https://user:password@example.com/",
    "https://example.com/a b",
    "https://example.com/\n",
    "file:///etc/passwd",
    "javascript:alert(1)",
  ])("may not be %j", (address) => {
    expect(address).not.toMatch(WEBHOOK);
  });

  it.each([
    "https://hooks.slack.com/services/T0/B0/xyz",
    "https://HOOKS.slack.com/services/T0/B0/xyz",
    "https://discord.com/api/webhooks/1/x/slack",
    "https://ptb.discord.com/api/webhooks/1/x",
    "https://acme.webhook.office.com/webhookb2/x",
    "https://chat.googleapis.com/v1/spaces/x",
  ])("that works like a password is recognised: %s", (address) => {
    expect(address).not.toMatch(NO_SECRET_WEBHOOK);
  });

  it.each(["https://example.com/hooks.slack.com", "https://hooks.slack.com.example/x"])(
    "%s is not one of those",
    (address) => {
      expect(address).toMatch(NO_SECRET_WEBHOOK);
    },
  );
});
