import { expect, it } from "vitest";
import { agentResult } from "../../../test/support/agent-result.ts";
import { whyNoResult } from "./no-result.ts";

const why = (outcome: object, more: object = {}) =>
  whyNoResult(agentResult(outcome, more), {
    late: "late",
    otherwise: "otherwise",
  });

it("names the cause that is nearest to the run", () => {
  expect(why({ kind: "ended" })).toBe("otherwise");
  expect(why({ kind: "stopped" }, { stuck: "stuck" })).toBe("stuck");
  expect(why({ kind: "stopped" }, { stuck: "stuck", hasTimedOut: true })).toBe("late");
  expect(why({ kind: "crashed", reason: "Killed." })).toBe("Killed.");
  expect(why({ kind: "refused", reason: "No login.", hint: "Log in." })).toBe("No login. Log in.");
});
