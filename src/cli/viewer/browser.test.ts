import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { newFolder } from "../../../test/support/project.ts";
import { newKey } from "../../dashboard/server/address.ts";
import { dashboardAnswers, openInBrowser } from "./browser.ts";

it("says when there is no program to open a browser with", async () => {
  expect(await openInBrowser({ env: { PATH: "/no-such-folder" } }, "http://127.0.0.1/")).toBe(
    false,
  );
});

it("starts the program in BROWSER, with the address as its argument", async () => {
  const folder = newFolder();
  folder.write("browser", '#!/bin/sh\nprintf %s "$1" > "$0.url"\n');
  chmodSync(`${folder.path}/browser`, 0o755);
  const env = { PATH: "/no-such-folder", BROWSER: `${folder.path}/browser` };
  expect(await openInBrowser({ env }, "http://127.0.0.1/?a=1&b=$(id)")).toBe(true);
  expect(folder.read("browser.url")).toBe("http://127.0.0.1/?a=1&b=$(id)");
});

it("says when no dashboard answers", async () => {
  // Port 1 is never a dashboard's.
  expect(await dashboardAnswers({ project: "/p", port: 1, key: newKey() })).toBe(false);
});
