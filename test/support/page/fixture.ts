// A small project with stories in every state, at one fixed time, as the page receives it.

import type {
  CardState,
  Entities,
  EpicCard,
  RunCard,
  StoryCard,
  TaskCard,
} from "../../../src/dashboard/protocol/messages.ts";
import { reviewRisk, type RiskyFile } from "../../../src/story/review/review-risk.ts";
import { attentionOf } from "../../../src/story/state/attention.ts";
import { fleet } from "./fleet.ts";
import { conflicts, lanes } from "./landing.ts";
import { before, runIdAt } from "./moment.ts";
import { pool, sessions } from "./pool.ts";

type Step = readonly [id: string, subject: string, status: TaskCard["status"]];

/** Each task waits for the one before it. */
const chain = (steps: readonly Step[]): TaskCard[] =>
  steps.map(([id, subject, status], at) => ({
    id,
    subject,
    status,
    blockedBy: at === 0 ? [] : [steps[at - 1]?.[0] ?? ""],
  }));

export const aCard = (
  id: string,
  title: string,
  state: CardState,
  more: Partial<StoryCard> = {},
): StoryCard => ({
  id,
  title,
  state,
  isBegun: state !== "ready" && state !== "waiting",
  labels: [],
  tasks: [],
  waitsFor: [],
  openQuestions: 0,
  costUsd: 0,
  version: 1,
  attention: more.isArchived || more.isLegacy ? undefined : attentionIn(id, state, more),
  ...more,
});

/** By the same rule as the server. */
const attentionIn = (id: string, state: CardState, more: Partial<StoryCard>) =>
  state === "in-progress"
    ? undefined
    : attentionOf({
        id,
        state,
        isBegun: more.isBegun ?? (state !== "ready" && state !== "waiting"),
        isLanding: false,
        questions: more.question === undefined ? [] : [more.question],
        hasConflict: false,
        isWorktreeGone: false,
        lastRun: { outcome: more.run?.outcome, reason: more.reason },
      });

const run = (startedMinutesAgo: number, more: Partial<RunCard> = {}): RunCard => ({
  id: runIdAt(startedMinutesAgo),
  startedAt: before(startedMinutesAgo),
  costUsd: 0.4,
  ...more,
});

const doing = (text: string): RunCard["lastAction"] => ({ at: before(0.1), text });
const pr = (number: number): string => `https://github.com/acorn/bookshop/pull/${number}`;
const done = (id: string, subject: string): Step => [id, subject, "completed"];
const todo = (id: string, subject: string): Step => [id, subject, "pending"];
const now = (id: string, subject: string): Step => [id, subject, "in_progress"];

const changed = (path: string, addedLines: number): RiskyFile => ({
  path,
  status: "added",
  addedLines,
  deletedLines: 0,
  isBinary: false,
});

const CHECKOUT: readonly StoryCard[] = [
  aCard("checkout--cart", "Cart that survives a reload", "completed", {
    tasks: chain([
      done("cart-table", "Store carts by visitor"),
      done("cart-api", "Add, change and remove lines"),
      done("cart-badge", "Show the count in the header"),
    ]),
    pr: pr(41),
    costUsd: 2.31,
    run: run(1440, { endedAt: before(1402), outcome: "merged", costUsd: 2.31 }),
  }),
  aCard("checkout--prices", "Prices with tax by country", "running", {
    labels: ["money"],
    tasks: chain([
      done("tax-table", "Rates by country and date"),
      done("round-half-even", "Round once, at the end"),
      now("price-lines", "Price every line of a cart"),
      todo("show-tax", "Show tax on the invoice"),
      todo("tax-report", "Monthly report by country"),
    ]),
    pr: pr(46),
    branch: "story/checkout--prices",
    costUsd: 1.84,
    run: run(23, {
      session: "saga-story-checkout--prices-1794842460000",
      lastAction: doing("Bash npm test -- src/prices"),
      costUsd: 1.84,
    }),
  }),
  aCard("checkout--payment", "Pay by card", "blocked", {
    labels: ["money", "outside"],
    tasks: chain([
      done("provider-client", "Talk to the payment provider"),
      now("charge", "Charge exactly once"),
      todo("receipt-mail", "Send the receipt"),
    ]),
    question: "Should a declined card keep the order open, or cancel it at once?",
    blocker: "b2",
    openQuestions: 1,
    pr: pr(44),
    branch: "story/checkout--payment",
    costUsd: 3.02,
    run: run(95, { endedAt: before(52), outcome: "blocked", costUsd: 1.4 }),
  }),
  aCard("checkout--confirm", "Confirmation page and mail", "waiting", {
    tasks: chain([
      todo("confirm-page", "Page that can be reloaded"),
      todo("confirm-mail", "Mail with the order's lines"),
    ]),
    waitsFor: ["checkout--prices", "checkout--payment"],
  }),
  aCard("checkout--refund", "Refund a part of an order", "waiting", {
    tasks: chain([todo("refund-api", "Refund lines, not amounts")]),
    waitsFor: ["checkout--payment"],
  }),
];

const ACCOUNTS: readonly StoryCard[] = [
  aCard("accounts--tables", "Tables for people and sessions", "completed", {
    tasks: chain([done("people", "People, with a unique mail"), done("sessions", "Sessions")]),
    costUsd: 0.92,
    run: run(4300, { endedAt: before(4281), outcome: "merged", costUsd: 0.92 }),
  }),
  aCard("accounts--sign-in", "Sign in with mail and password", "review", {
    tasks: chain([
      done("hash", "Hash passwords with argon2"),
      done("form", "Form that keeps what was typed"),
      done("throttle", "Slow down after five failures"),
    ]),
    pr: pr(43),
    branch: "story/accounts--sign-in",
    priority: 1,
    risk: reviewRisk({
      files: [
        changed("src/accounts/password.ts", 64),
        changed("src/accounts/sign-in.tsx", 118),
        changed("test/accounts/password.test.ts", 52),
      ],
      isProtected: () => false,
      weakened: [],
      receipts: [],
    }),
    costUsd: 2.76,
    run: run(180, { endedAt: before(131), outcome: "done", costUsd: 2.76 }),
  }),
  aCard("accounts--reset", "Reset a forgotten password", "running", {
    tasks: chain([
      now("token", "Tokens that work once"),
      todo("mail", "Mail with the link"),
      todo("page", "Page for the new password"),
    ]),
    branch: "story/accounts--reset",
    pr: pr(47),
    costUsd: 0.31,
    run: run(6, {
      session: "saga-story-accounts--reset-1794843480000",
      lastAction: doing("Edit src/accounts/reset-token.ts"),
      costUsd: 0.31,
    }),
  }),
  aCard("accounts--profile", "Change name and mail", "killed", {
    tasks: chain([
      done("profile-api", "Change one field at a time"),
      now("confirm-new-mail", "Confirm a new mail before it counts"),
    ]),
    reason: "The machine was restarted while it worked.",
    branch: "story/accounts--profile",
    costUsd: 0.88,
    run: run(640, { costUsd: 0.88 }),
  }),
];

const OTHERS: readonly StoryCard[] = [
  aCard("search--index", "Index titles and authors", "ready", {
    labels: ["search"],
    tasks: chain([todo("tokens", "Split titles"), todo("index", "Build the index")]),
  }),
  aCard("search--rank", "Rank by what people buy", "pending"),
  aCard("faster-images", "Pictures in modern formats", "failed", {
    labels: ["speed"],
    tasks: chain([done("encode", "Encode on upload"), now("serve", "Serve by what is accepted")]),
    reason: "The check `npm test` failed three times: 2 tests of image-size.test.ts.",
    costUsd: 1.12,
    run: run(310, { endedAt: before(284), outcome: "failed", costUsd: 1.12 }),
  }),
  aCard("old-imports", "Import the old catalogue", "completed", { isLegacy: true }),
];

const epics: readonly EpicCard[] = [
  {
    id: "checkout",
    title: "Checkout",
    description:
      "A visitor pays for a cart **in one page**, by card, and gets a confirmation by mail. Prices are final: tax and shipping included.",
    status: "in_progress",
    children: [
      { id: "checkout--cart", blockedBy: [] },
      { id: "checkout--prices", blockedBy: ["checkout--cart"] },
      { id: "checkout--payment", blockedBy: ["checkout--cart"] },
      { id: "checkout--confirm", blockedBy: ["checkout--prices", "checkout--payment"] },
      { id: "checkout--refund", blockedBy: ["checkout--payment"] },
    ],
    isRunning: true,
    version: 1,
  },
  {
    id: "accounts",
    title: "Accounts",
    status: "in_progress",
    children: [
      { id: "accounts--tables", blockedBy: [] },
      { id: "accounts--sign-in", blockedBy: ["accounts--tables"] },
      { id: "accounts--reset", blockedBy: ["accounts--sign-in"] },
      { id: "accounts--profile", blockedBy: ["accounts--tables"] },
    ],
    isRunning: false,
    version: 1,
  },
  {
    id: "search",
    title: "Search",
    status: "pending",
    children: [
      { id: "search--index", blockedBy: [] },
      { id: "search--rank", blockedBy: ["search--index"] },
    ],
    isRunning: false,
    version: 1,
  },
];

/** The id of a story in an epic starts with the epic's id. */
const withEpic = (story: StoryCard): StoryCard =>
  story.id.includes("--") ? { ...story, epic: story.id.split("--")[0] } : story;

const byId = <T>(values: readonly T[], idOf: (value: T) => string): Record<string, T> =>
  Object.fromEntries(values.map((value) => [idOf(value), value]));

export const aShop = (): Entities => ({
  stories: byId([...CHECKOUT, ...ACCOUNTS, ...OTHERS].map(withEpic), ({ id }) => id),
  epics: byId(epics, ({ id }) => id),
  sessions: byId(sessions, ({ name }) => name),
  pool: { [pool.list]: pool },
  problems: {
    "stories/gift-cards/story.json": {
      file: ".saga/stories/gift-cards/story.json",
      line: 7,
      message: 'status is "doing"; it must be pending, in_progress or completed.',
    },
  },
  lanes: byId(lanes, ({ id }) => id),
  conflicts,
  fleet: { fleet },
  project: {
    project: { name: "bookshop", folder: "~/work/bookshop", costTodayUsd: 9.74, target: "main" },
  },
});

export const nothingYet = (): Entities => ({
  stories: {},
  epics: {},
  sessions: {},
  pool: {},
  problems: {},
  lanes: {},
  conflicts: {},
  fleet: {},
  project: aShop().project,
});
