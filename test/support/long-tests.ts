// The end-to-end tests that `npm test` leaves to `npm run test:all`. Each takes a quarter of a minute or more on two cores;
// the area of each keeps its most telling tests in `npm test`: bad-agents, deliver, fleet and its takeover, github's push,
// plugin-scope, pool, recover, sandbox, sessions, split, story and the kills in test/torture.

const LONG_TESTS = [
  "bad-agents-worktree",
  "claude-trouble",
  "cut-off",
  "deliver-conflict",
  "deliver-gate",
  "early-warning",
  "edited-story",
  "epic-remote",
  "fleet-decide",
  "fleet-demo",
  "fleet-lanes",
  "fleet-pool",
  "full-disk-run",
  "gate-trouble",
  "github",
  "one-answer",
  "overseer",
  "own-gate",
  "packed",
  "plugin-hooks",
  "pool-agents",
  "pool-control",
  "pool-killed",
  "pool-failures",
  "recover-by-hand",
  "rehearse-pool",
  "sent-back",
  "sessions-trouble",
  "split-trouble",
  "starting-states",
  "stopped-checks",
];

/** Files to leave out. `npm test` asks for it; a test that is named always runs. */
export const longTests = (): string[] =>
  process.env["SAGA_WITHOUT_LONG_TESTS"] === undefined
    ? []
    : LONG_TESTS.map((name) => `test/end-to-end/${name}.test.ts`);
