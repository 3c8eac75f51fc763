import { expect, it } from "vitest";
import { newKey } from "../../dashboard/server/address.ts";
import { dashboardAnswers, openInBrowser } from "./browser.ts";

it("says when there is no program to open a browser with", async () => {
  expect(await openInBrowser({ env: { PATH: "/no-such-folder" } }, "http://127.0.0.1/")).toBe(
    false,
  );
});

it("says when no dashboard answers", async () => {
  // Port 1 is never a dashboard's.
  expect(await dashboardAnswers({ project: "/p", port: 1, key: newKey() })).toBe(false);
});
